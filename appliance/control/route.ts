import type { DefaultContext, DefaultState, ParameterizedContext } from "koa";

/** A request whose answer has a body of this type: see wire.ts. */
type Answering<Body> = ParameterizedContext<DefaultState, DefaultContext, Body>;

/** A request on the control listener, with the parameters of its path. */
export type ControlContext<Body = unknown> = Answering<Body> & {
  readonly params: Readonly<
    Record<"id" | "slot" | "channel" | "page" | "number" | "upload", string>
  >;
};

/** Answers a request with those parts of the box it needs, and with a `Body`; with none unless named. */
export type Handler<Parts, Body = never> = (
  ctx: ControlContext<Body>,
  parts: Parts,
) => void | Promise<void>;
