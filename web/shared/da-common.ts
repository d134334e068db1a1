/**
 * The code that all pages share, Preact included, in a file of its own. The build redirects every import of Preact and
 * of this folder here, so that the second page finds it in the browser's cache.
 */
export * from "preact";
export * from "preact/hooks";
export { Fragment, jsx, jsxs } from "preact/jsx-runtime";
export * from "./api.ts";
export * from "./collector.ts";
export * from "./copy.ts";
export * from "./copy-button.tsx";
export * from "./dates.ts";
export * from "./dialog.tsx";
export * from "./download.ts";
export * from "./field.tsx";
export * from "./format.ts";
export * from "./help.tsx";
export * from "./last-view.ts";
export * from "./token.ts";
export * from "./week-line.tsx";
