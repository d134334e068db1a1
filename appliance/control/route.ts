import type { Context } from "koa";

/** A request on the control listener, with the parameters of its path. */
export type ControlContext = Context & {
  readonly params: Readonly<
    Record<"id" | "slot" | "channel" | "page" | "number" | "upload" | "share", string>
  >;
};

/**
 * Answers a request with those parts of the box it needs. What it returns is the body: see wire.ts. Where it returns and sets
 * nothing, the answer is 204.
 */
export type Handler<Parts> = (ctx: ControlContext, parts: Parts) => unknown;

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Routes that work with the same parts of the box, by method and path: `GET /api/box`. */
export type RoutesOf<Parts> = Readonly<Record<`${Method} /${string}`, Handler<Parts>>>;
