import type { IncomingMessage } from "node:http";
import type { Context, Middleware } from "koa";
import { type Client, isEncrypted, plainAddress } from "../../base/http/client.ts";
import { HttpError } from "../../base/http/errors.ts";

/** The collector's knowledge of the box's own address on the internet. */
export interface PublicFacts {
  /** `https://NAME` while visitors are served there. */
  liveUrl(): string | undefined;
  /** Whether pages and reads answer there, too. */
  showsDashboard(): boolean;
  /** The answer that a CA is to find under a token of its challenges (RFC 8555, section 8.3). */
  challengeAnswer(token: string): string | undefined;
  /** Whether this own address of the box is that of the owner's tunnel. */
  isTunnel(ownAddress: string): boolean;
  /** Whether `address` proves, by a nonce that the owner was given, that the box is reached. */
  isReached(address: string, nonce: string): "reached" | "inside" | "unknown";
}

/** The paths that strangers of the whole internet may ask for. */
const ALWAYS: ReadonlySet<string> = new Set([
  "/",
  "/s.js",
  "/e",
  "/a",
  "/s",
  "/badge",
  "/place/changes",
  "/place/sites",
]);
export const REACHED_PATH = "/help/reached/";
/** Readers there have a site's own token at most, so paths that take more are not there either. */
const NEVER: ReadonlySet<string> = new Set(["/session", "/sites", "/overview", "/web-ui"]);
const CHALLENGE_PATH = "/.well-known/acme-challenge/";
/** Requests of visitors, which are not redirected, since not every sender follows. */
const NOT_REDIRECTED: ReadonlySet<string> = new Set(["/e", "/a", "/s"]);

/** Decides which requests are allowed from outside, and which need TLS. */
export function publicSurface(facts: PublicFacts, client: Client): Middleware {
  return async (ctx, next) => {
    if (!isEncrypted(ctx.req)) {
      if (ctx.path.startsWith(CHALLENGE_PATH)) return showChallenge(ctx, facts);
      if (redirected(ctx, facts, client)) return;
    }
    if (!isStrangers(ctx, facts, client)) return next();
    strangers.add(ctx.req);
    if (!isServed(ctx.path, facts)) throw notFound(ctx.path);
    await next();
    // The collector has no page to go on to.
    if (!facts.showsDashboard()) ctx.remove("Refresh");
  };
}

const strangers = new WeakSet<IncomingMessage>();

/** Whether a request came from the internet. */
export function isByStranger({ req }: Pick<Context, "req">): boolean {
  return strangers.has(req);
}

/** Whether a request came by TLS that ends here, or through the tunnel. A trusted proxy is not the internet. */
function isStrangers({ req }: Context, facts: PublicFacts, client: Client): boolean {
  if (isEncrypted(req)) return true;
  const { socket } = req;
  // The interfaces of the machine are asked for last: that takes as long as all the rest of a small answer.
  return (
    !client.trusts(client.peer(socket)) && facts.isTunnel(plainAddress(socket.localAddress ?? ""))
  );
}

function isServed(path: string, facts: PublicFacts): boolean {
  if (ALWAYS.has(path) || path.startsWith(REACHED_PATH)) return true;
  return facts.showsDashboard() && !NEVER.has(path) && !path.startsWith("/api/");
}

function showChallenge(ctx: Context, facts: PublicFacts): void {
  const answer = facts.challengeAnswer(ctx.path.slice(CHALLENGE_PATH.length));
  if (answer === undefined) throw notFound(ctx.path);
  ctx.set("Cache-Control", "no-store");
  ctx.type = "text/plain";
  ctx.body = answer;
}

/** Redirects requests to the public name without TLS. */
function redirected(ctx: Context, facts: PublicFacts, client: Client): boolean {
  const live = facts.liveUrl();
  const { path } = ctx;
  if (live === undefined || NOT_REDIRECTED.has(path) || !path.startsWith("/")) return false;
  const asked = client.url(ctx.req);
  if (asked?.protocol !== "http:" || asked.hostname !== new URL(live).hostname) return false;
  ctx.status = ["GET", "HEAD"].includes(ctx.method) ? 301 : 308;
  // The redirect must not be cached, since the owner may turn TLS off again.
  ctx.set({ Location: `${live}${path}${ctx.search}`, "Cache-Control": "no-store" });
  ctx.body = `This is at ${live} now.`;
  return true;
}

function notFound(path: string): HttpError {
  return new HttpError(404, "not_found", `Nothing is served at ${path}.`);
}
