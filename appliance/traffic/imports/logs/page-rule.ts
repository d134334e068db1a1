import type { LogLine } from "./line.ts";

const PAGE_TYPE = /^(?:text\/html|application\/xhtml\+xml)/;
const FILE_TYPE = /^(?:image|font|audio|video)\/|css|javascript|wasm/;
/** The names of pages that have an ending. */
const PAGE_NAME = /\.(?:x?html?|php\d?|aspx?|jsp|do|cgi)$/i;
const ANY_ENDING = /\.[a-z][a-z\d]{0,9}$|\.(?:7z|3gp)$/i;
/** Files that a browser fetches for a page, and crawlers seldom do. */
const FILE_NAME =
  /\.(?:css|m?js|wasm|png|jpe?g|gif|svg|webp|avif|ico|bmp|woff2?|ttf|otf|eot|webm|mp[34]|webmanifest)$/i;
const WORDPRESS = /\/(?:wp-[^/]*|xmlrpc\.php)(?:\/|$)/i;
const WELL_KNOWN = /^\/\.well-known(?:\/|$)/;
const FEED = /\/(?:feed|rss|atom|feeds)(?:\/|$)|\.(?:rss|atom|rdf)$/i;
const FEED_TYPE = /rss|atom/;
const HEALTH =
  /^\/(?:_?health(?:z|[-_]?check)?|livez|readyz|ping|up|(?:server|nginx|stub)[-_]status|php-fpm-status)\/?$/i;

const FILES = "requests of images, styles, scripts and other files";

/**
 * Judges a request: a view of a page, a file that belongs to one, or something else, with the words in which it is told
 * as left out.
 */
export function judgeRequest(line: LogLine): { readonly kind: "page" } | Left {
  const { method, status, type, purpose, agent } = line;
  const path = pathIn(line.target);
  if (method !== "GET") return left("requests other than GET");
  if (isFile(path, type))
    return left(FILES, status === 200 || status === 206 || status === 304 ? "file" : "other");
  if (status !== 200 && status !== 304)
    return left("answers other than 200, as errors and redirects");
  if (WELL_KNOWN.test(path) || HEALTH.test(path)) return left("checks by machines");
  if (WORDPRESS.test(path)) return left("requests of WordPress's own addresses");
  if (FEED.test(path) || FEED_TYPE.test(type)) return left("requests of feeds");
  if (!isPage(path, type)) return left(FILES);
  if (/prefetch|prerender|preview/.test(purpose))
    return left("pages fetched before anybody wanted them");
  if (status === 304) return left("views of pages that the browser had already (304)");
  if (agent === "") return left("requests without a user agent");
  return PAGE;
}

const PAGE = { kind: "page" } as const;

interface Left {
  /** A file that a browser fetched for a page, or something else. */
  readonly kind: "file" | "other";
  readonly why: string;
}

function left(why: string, kind: Left["kind"] = "other"): Left {
  return { kind, why };
}

/** The path of a request's target. */
export function pathIn(target: string): string {
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
}

function isFile(path: string, type: string): boolean {
  return type === "" ? FILE_NAME.test(path) : FILE_TYPE.test(type);
}

function isPage(path: string, type: string): boolean {
  return type === "" ? PAGE_NAME.test(path) || !ANY_ENDING.test(path) : PAGE_TYPE.test(type);
}
