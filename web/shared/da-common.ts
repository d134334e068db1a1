/**
 * The code that all pages share, Preact included, in a file of its own. The build redirects every import of what is
 * named here to it, so that the second page finds it in the browser's cache.
 */
export * from "preact";
export * from "preact/hooks";
export { Fragment, jsx, jsxs } from "preact/jsx-runtime";
export * from "./api.ts";
export * from "./collector.ts";
export * from "./dates.ts";
export * from "./format.ts";
export * from "./help.tsx";
export * from "./token.ts";
