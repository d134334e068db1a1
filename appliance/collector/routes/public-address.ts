import type { Middleware } from "koa";
import type { PublicFacts } from "../public-surface.ts";
import type { PublicAddressAnswer } from "../wire.ts";

/** `GET /public-address`: for the setup page, which is opened in the own network. */
export function publicAddressRoute(facts: PublicFacts): Middleware {
  return (ctx) => {
    ctx.set("Cache-Control", "no-store");
    ctx.body = { url: facts.liveUrl() ?? null } satisfies PublicAddressAnswer;
  };
}
