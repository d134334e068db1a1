import type { Context } from "koa";

/** A request on the control listener, with the parameters of its path. */
export type ControlContext = Context & {
  readonly params: Readonly<Record<"id" | "slot" | "channel", string>>;
};

/** Answers a request with those parts of the box it needs. */
export type Handler<Parts> = (ctx: ControlContext, parts: Parts) => void | Promise<void>;
