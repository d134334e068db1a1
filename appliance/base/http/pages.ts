import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Context } from "koa";
import { namesEtag } from "../etag.ts";
import { Refusal } from "../refusal.ts";
import { encodingFor } from "./encoding.ts";

/** A file of the web build, with its compressed twins. */
interface PageFile {
  readonly body: Buffer;
  readonly encoded: Readonly<Record<"br" | "gzip", Buffer | undefined>>;
  readonly type: string;
  readonly etag: string;
}

const WEB_BUILD = join(import.meta.dirname, "../../../web/dist");
const TWINS = { br: ".br", gzip: ".gz" } as const;

/** Whether a file is rarely requested. Such files are read at the first request. */
const isRare = (name: string) => name === "icons.json" || name.startsWith(DOCS);

/** The folder of the documentation. */
const DOCS = "docs/";

let known: Pages | undefined;

/** The files of the web build, which a process reads once. @throws {Refusal} as `Pages` */
export function builtPages(): Pages {
  known ??= new Pages(WEB_BUILD);
  return known;
}

/** The files of a folder of web files, held in memory. */
export class Pages {
  readonly #dir: string;
  readonly #pages = new Map<string, PageFile | undefined>();
  /** Files with a replaced text, in their last form. */
  readonly #changed = new Map<string, { readonly by: string; readonly page: PageFile }>();

  /** @throws {Refusal} `web_build_missing` when `dir` does not exist. */
  constructor(dir: string) {
    if (!existsSync(dir))
      throw new Refusal(
        "web_build_missing",
        `${dir} is missing. Build the web files with scripts/build-web, or start with scripts/start.`,
      );
    this.#dir = dir;
    for (const name of readdirSync(dir, { recursive: true }) as string[]) {
      // On the box some are links to files of the system.
      const file = statSync(join(dir, name), { throwIfNoEntry: false });
      if (file?.isFile() !== true || [".br", ".gz"].includes(extname(name))) continue;
      this.#pages.set(name, isRare(name) ? undefined : readPage(join(dir, name)));
    }
  }

  get names(): readonly string[] {
    return [...this.#pages.keys()];
  }

  /** The text of the file `name`, from the disk. @throws {Error} when it cannot be read */
  text(name: string): string {
    return readFileSync(join(this.#dir, name), "utf8");
  }

  /** Answers the file `name`, 304 when the client has it. @returns false when there is none. */
  send(ctx: Context, name: string, cacheControl?: string): boolean {
    if (!this.#pages.has(name)) return false;
    answer(ctx, this.#page(name), cacheControl);
    return true;
  }

  /** Answers a page of the documentation, or one of its pictures. @returns false when there is none. */
  sendDoc(ctx: Context, name: string): boolean {
    return this.send(ctx, `${DOCS}${name}.html`) || this.send(ctx, DOCS + name);
  }

  /** The same, with `by` in the place of `text`: made when `by` is another than before. */
  sendWith(
    ctx: Context,
    name: string,
    { text, by }: { text: string; by: string },
    cacheControl?: string,
  ): void {
    if (text === by || !this.#pages.has(name)) {
      this.send(ctx, name, cacheControl);
      return;
    }
    const known = this.#changed.get(name);
    const page =
      known?.by === by
        ? known.page
        : pageOf(name, Buffer.from(this.#page(name).body.toString().replaceAll(text, by)));
    this.#changed.set(name, { by, page });
    answer(ctx, page, cacheControl);
  }

  #page(name: string): PageFile {
    const page = this.#pages.get(name) ?? readPage(join(this.#dir, name));
    this.#pages.set(name, page);
    return page;
  }
}

/** Leads on to a path relative to the one that was asked for: there may be a prefix before it. */
export function leadsTo(path: string): (ctx: Context) => void {
  return (ctx) => {
    ctx.status = 308;
    ctx.set("Location", path);
    ctx.body = "";
  };
}

function answer(ctx: Context, page: PageFile, cacheControl = "no-cache"): void {
  ctx.status = 200;
  ctx.type = page.type;
  ctx.set({ ETag: page.etag, "Cache-Control": cacheControl });
  ctx.vary("Accept-Encoding");
  if (namesEtag(ctx.get("If-None-Match"), page.etag)) {
    ctx.status = 304;
    return;
  }
  const encoding = encodingFor(ctx);
  const encoded = encoding && page.encoded[encoding];
  if (encoding && encoded) ctx.set("Content-Encoding", encoding);
  ctx.body = encoded ?? page.body;
}

function readPage(file: string): PageFile {
  const twin = (suffix: string) =>
    existsSync(file + suffix) ? readFileSync(file + suffix) : undefined;
  return pageOf(file, readFileSync(file), { br: twin(TWINS.br), gzip: twin(TWINS.gzip) });
}

function pageOf(
  file: string,
  body: Buffer,
  encoded: PageFile["encoded"] = { br: brotliCompressSync(body), gzip: gzipSync(body) },
): PageFile {
  return {
    body,
    encoded,
    type: extname(file),
    etag: `W/"${createHash("sha1").update(body).digest("base64url")}"`,
  };
}
