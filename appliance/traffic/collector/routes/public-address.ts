import type { Middleware } from "koa";
import { type Client, isEncrypted } from "../../../base/http/client.ts";
import { type PublicFacts, REACHED_PATH } from "../public-surface.ts";
import type { PublicAddressAnswer } from "../wire.ts";

/** `GET /public-address`: for the setup page, which is opened in the own network. */
export function publicAddressRoute(facts: PublicFacts): Middleware {
  return (ctx) => {
    ctx.set("Cache-Control", "no-store");
    ctx.body = { url: facts.liveUrl() ?? null } satisfies PublicAddressAnswer;
  };
}

const SENTENCES = {
  reached: "Your machine is reached from outside. Its Web UI knows it now, too.",
  inside:
    "You came from the machine's own network, which proves nothing. Turn Wi-Fi off on this phone, and open the link again.",
  unknown:
    "This link has been used, or is older than ten minutes. Make another in the Web UI of the machine.",
} as const;

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** `GET /help/reached/NONCE`, by TLS: the page that a phone opens to prove that it gets here. */
export function reachedRoute(facts: PublicFacts, client: Client): Middleware {
  return (ctx) => {
    if (!isEncrypted(ctx.req)) return;
    // A look ahead uses nothing up.
    const found =
      ctx.method === "GET"
        ? facts.isReached(client.address(ctx.req), ctx.path.slice(REACHED_PATH.length))
        : "unknown";
    ctx.status = found === "unknown" ? 404 : 200;
    ctx.set({
      "Content-Security-Policy": POLICY,
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
      "X-Robots-Tag": "noindex",
    });
    ctx.type = "html";
    ctx.body = page(SENTENCES[found]);
  };
}

function page(sentence: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Tallydeck</title>
<style>:root{color-scheme:light dark}body{font:1.5rem/1.5 system-ui,sans-serif;margin:2rem;max-width:24rem}</style>
<p>${sentence}</p>
</html>
`;
}
