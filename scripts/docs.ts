/**
 * Makes pages of docs/ and of scripts/examples, so that a box serves its own documentation. Pictures of docs come with
 * them, and links to other files of the project become plain words.
 */
import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import type { Marked, Tokens } from "marked";
import type { Made } from "./web-assets.ts";

const ROOT = join(import.meta.dirname, "..");
const DOCS = "docs";
const FIRST = `${DOCS}/README.md`;
const EXAMPLES = "scripts/examples";

/** The assets below `docs/` by name, with what makes each. */
export function docsAssets(): Record<string, () => Promise<Made>> {
  const pages = filesIn(DOCS).filter((path) => path.endsWith(".md"));
  const files = [...pages.filter((path) => path !== FIRST), ...filesIn(EXAMPLES)];
  return Object.fromEntries([
    ["docs/index.html", () => made(index())],
    ...files.map((path) => [`docs/${addressOf(path)}.html`, () => made(pageOf(path))]),
    ...pages
      .flatMap(picturesIn)
      .map((path) => [`docs/${basename(path)}`, () => made(readFile(path))] as const),
  ]);
}

/** The fragment of a heading, as code hosts make it. */
export function fragmentOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => `${folder}/${name}`);
}

function picturesIn(page: string): string[] {
  const text = readFileSync(join(ROOT, page), "utf8");
  return [...text.matchAll(/!\[[^\]]*\]\((\.\.[^)]+)\)/g)].map(([, path = ""]) =>
    join(ROOT, DOCS, path),
  );
}

/** The last part of a page's address: `deck` of docs/deck.md, `example-crontab` of scripts/examples/crontab. */
function addressOf(path: string): string {
  const name = basename(path, ".md");
  if (dirname(path) === DOCS) return path === FIRST ? "index" : name;
  return name === "README" ? "examples" : `example-${name}`;
}

async function made(content: Promise<string | Uint8Array>): Promise<Made> {
  return {
    body: Buffer.from(await content),
    modules: ["node_modules/marked"],
  };
}

async function pageOf(path: string): Promise<string> {
  const text = await readFile(join(ROOT, path), "utf8");
  if (!path.endsWith(".md"))
    return docsPage(basename(path), {
      body: `<h1>${basename(path)}</h1>\n${block(text)}`,
      about: `${basename(path)}: an example for Tallydeck, to be copied.`,
    });
  const markdown = await markdownIn(
    dirname(path),
    await sizesOf(path.startsWith(DOCS) ? path : ""),
  );
  return docsPage(titleOf(text), { body: await markdown.parse(text), about: firstSentences(text) });
}

type Sizes = ReadonlyMap<string, { width: number; height: number }>;

/** The pixels of each picture of a page, by its name: its place is kept free while it loads. */
async function sizesOf(page: string): Promise<Sizes> {
  if (page === "") return new Map();
  const sizes = picturesIn(page).map(
    async (path) => [basename(path), sizeIn(await readFile(path))] as const,
  );
  return new Map(await Promise.all(sizes));
}

/**
 * The pixels of a PNG or WebP by its header: https://developers.google.com/speed/webp/docs/riff_container
 * @throws {Error} for another file
 */
function sizeIn(file: Buffer) {
  switch (file.toString("latin1", 12, 16)) {
    case "IHDR":
      return { width: file.readUInt32BE(16), height: file.readUInt32BE(20) };
    case "VP8 ":
      return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff };
    case "VP8L": {
      const bits = file.readUInt32LE(21);
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >> 14) & 0x3fff) };
    }
    case "VP8X":
      return { width: 1 + file.readUIntLE(24, 3), height: 1 + file.readUIntLE(27, 3) };
    default:
      throw new Error("A picture of the documentation is a PNG or a WebP.");
  }
}

/** The most characters of a page's description that a search engine shows. */
const DESCRIPTION = 160;

/** The first sentences of a page as plain words, whole ones where they fit. */
function firstSentences(text: string): string {
  const paragraph = text
    .split(/\n{2,}/)
    .find((part) => /^[\p{L}\d“*`[]/u.test(part))
    ?.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[*`_]/g, "")
    .replaceAll(/\s+/g, " ");
  const words = paragraph ?? titleOf(text);
  if (words.length <= DESCRIPTION) return words;
  const whole = /^.{60,159}[.!?](?= )/.exec(words)?.[0];
  return whole ?? `${words.slice(0, words.lastIndexOf(" ", DESCRIPTION - 1))} …`;
}

/** The first page, with a link to the one page that is of no file here. */
async function index(): Promise<string> {
  const page = await pageOf(FIRST);
  return page.replace(
    "    </main>",
    '<p><a href="licenses">Licenses</a> of all that comes with it.</p>\n    </main>',
  );
}

function titleOf(text: string): string {
  return (/^# (.+)$/m.exec(text)?.[1] ?? "").replaceAll("`", "");
}

export function docsPage(title: string, { body, about }: { body: string; about: string }): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="description" content="${escaped(about)}">
    <title>${escaped(title)} · Tallydeck</title>
    <link rel="icon" href="../favicon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="../docs.css">
    <link rel="preload" href="../plex-condensed-400.woff2" as="font" type="font/woff2" crossorigin>
    <link rel="preload" href="../plex-condensed-600.woff2" as="font" type="font/woff2" crossorigin>
  </head>
  <body>
    <header class="top">
      <img src="../favicon.svg" alt="" width="26" height="26">
      <nav aria-label="Documentation"><a href="index">All pages</a></nav>
    </header>
    <main>
${body}
    </main>
  </body>
</html>
`;
}

/** Reads Markdown of a file in `folder`, whose links are relative to it. */
async function markdownIn(folder: string, sizes: Sizes): Promise<Marked> {
  // Loaded here because whoever asks whether all is built does not need it.
  const { Marked } = await import("marked");
  let tables = 0;
  return new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const id = fragmentOf(text);
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const to = addressed(folder, href);
        return to === undefined ? text : `<a href="${escaped(to)}">${text}</a>`;
      },
      image: ({ href, text }) => {
        const { width = 0, height = 0 } = sizes.get(basename(href)) ?? {};
        return `<img src="${basename(href)}" alt="${escaped(text)}" width="${width}" height="${height}" loading="lazy">`;
      },
      code: ({ text }) => block(text),
      html: ({ text }) => escaped(text),
      table(token) {
        tables += 1;
        return `<div class="wide" tabindex="0" role="region" aria-label="Table ${tables}">${table(token, (cell) => this.parser.parseInline(cell.tokens))}</div>\n`;
      },
    },
  });
}

/** Where a link leads among the pages, or outside; undefined when it leads to a file that is not among them. */
function addressed(folder: string, href: string): string | undefined {
  if (/^(https?:|#)/.test(href)) return href;
  const [path = "", fragment] = href.split("#", 2);
  const file = join(folder, path);
  const isPage = dirname(file) === EXAMPLES || (dirname(file) === DOCS && extname(file) === ".md");
  if (!isPage) return;
  return fragment === undefined ? addressOf(file) : `${addressOf(file)}#${fragment}`;
}

/** A table whose rows are blocks on a phone: there each cell says its head, and roles keep it a table for all readers. */
function table({ header, rows }: Tokens.Table, inner: (cell: Tokens.TableCell) => string): string {
  // Tables of pictures have no heads.
  const hasHead = header.some(({ text }) => text !== "" && !text.startsWith("!["));
  // Where a column has no head, a cell is told by the one that its row begins with.
  const hasRowHeads = hasHead && header.some(({ text }) => text === "");
  const row = (cells: readonly string[]) => `<tr role="row">${cells.join("")}</tr>`;
  const cell = (each: Tokens.TableCell, at: number) => {
    const head = hasHead ? (header[at]?.text.replaceAll("`", "") ?? "") : "";
    if (hasRowHeads && at === 0) return `<th scope="row" role="rowheader">${inner(each)}</th>`;
    const said = at > 0 && head !== "" ? ` data-head="${escaped(head)}"` : "";
    return `<td role="cell"${said}>${inner(each)}</td>`;
  };
  const heads = header.map((each) =>
    each.text === ""
      ? '<td role="cell"></td>'
      : `<th scope="col" role="columnheader">${inner(each)}</th>`,
  );
  const head = hasHead ? `<thead role="rowgroup">${row(heads)}</thead>` : "";
  const body = (hasHead ? rows : [header, ...rows]).map((cells) => row(cells.map(cell)));
  return `<table role="table">${head}<tbody role="rowgroup">${body.join("\n")}</tbody></table>`;
}

function block(text: string): string {
  return `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`;
}

export function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
