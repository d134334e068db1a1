import type { Middleware } from "koa";
import type { Access } from "../access.ts";
import type { SessionAnswer } from "../wire.ts";

/** `POST /session` with a code as the token → `{token}`, which reads every site for a while. */
export function sessionRoute(access: Access): Middleware {
  return (ctx) => {
    ctx.set("Cache-Control", "no-store");
    ctx.body = { token: access.redeem(ctx) } satisfies SessionAnswer;
  };
}
