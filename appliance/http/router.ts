import { createRequire } from "node:module";
import type KoaRouter from "@koa/router";

/**
 * The router, as CommonJS: its other build imports `node:http`, for which Node loads its whole web
 * client (see node-http.ts).
 */
export const Router = createRequire(import.meta.url)("@koa/router") as typeof KoaRouter;
export type Router = KoaRouter;
