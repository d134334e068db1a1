import type { Context, Middleware } from "koa";
import { type Client, isEncrypted } from "../../../base/http/client.ts";
import { HttpError } from "../../../base/http/errors.ts";
import { siteCollector } from "../../../base/ports.ts";
import type { SiteRecord } from "../../../store/store.ts";
import type { TagPlaces } from "../../places/tags.ts";
import type { Access } from "../access.ts";
import { type PublicFacts, REACHED_PATH } from "../public-surface.ts";
import type { PublicAddressAnswer } from "../wire.ts";

/** `GET /public-address`: for the setup page, which is opened in the own network. */
export function publicAddressRoute(
  facts: PublicFacts,
  access: Pick<Access, "site">,
  places: TagPlaces,
): Middleware {
  return async (ctx) => {
    ctx.set("Cache-Control", "no-store");
    const site = namedSite(ctx, access);
    const { host = null } = site ?? {};
    const url = host === null ? (facts.liveUrl() ?? null) : siteCollector("", host);
    // Pages of a site with a host of its own name that, wherever it leads.
    const place = site === undefined || host !== null ? null : (await places.find()).of(site);
    ctx.body = { url, place } satisfies PublicAddressAnswer;
  };
}

/** The site that a request names and may read. The page asks while somebody types. @throws {HttpError} 429 */
function namedSite(ctx: Context, access: Pick<Access, "site">): SiteRecord | undefined {
  if (!("site" in ctx.query)) return undefined;
  try {
    return access.site(ctx);
  } catch (error) {
    if (error instanceof HttpError && error.status === 401) return undefined;
    throw error;
  }
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
