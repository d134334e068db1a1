import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { Stage } from "../running/stage.ts";
import { animatedWebp } from "./animated-webp.ts";
import type { Box } from "./box.ts";
import { Film, type Place } from "./film.ts";
import { shot } from "./shot.ts";

const SITE = "fieldnotes";
const HOST = `${SITE}.example`;
const DECK = "virtual-mk2";
/** Shows the site's views of today. */
const KEY = "k0";
/** The counter leaves out browsers that say no person uses them, as this one would. */
const VISITOR =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";

const READ = "/rain";
const TITLE = "A rain gauge from a bottle";
const NOTES: Readonly<Record<string, string>> = {
  "/ferns": "Ferns on a north wall",
  [READ]: TITLE,
  "/swifts": "The swifts are back",
};
const TEXT = `Cut the upper third off, turn it round, and put it back as a funnel. A ruler on the side, some
  pebbles below, and it counts every millimetre.`;

/** A page of the site, with the tag that the Web UI gives. */
function pageOf(path: string, collector: string): string {
  const list = Object.entries(NOTES).map(([to, title]) => `<li><a href="${to}">${title}</a></li>`);
  const body =
    NOTES[path] === undefined
      ? `<h1>Field notes</h1><p>What grows, flies and falls around the house.</p><ul>${list.join("")}</ul>`
      : `<h1>${NOTES[path]}</h1><p>${TEXT}</p><p><a href="/">All notes</a></p>`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Field notes</title>
    <style>
      body { margin: 24px 28px; font: 17px/1.45 sans-serif; color: #222; background: #fffdf8 }
      html { min-height: 100vh } h1 { font-size: 23px; margin: 0 0 14px } p { margin: 0 0 12px }
      li { margin: 9px 0 } a { color: #14532d }
    </style>
    <script defer src="${collector}/s.js" data-site="${SITE}"></script>
    ${body}`;
}

/**
 * A visitor opens a page, and a key of the deck shows it. The page and the number come in the picture as long after the
 * press as they did; the ring around the key is of the picture, not of the deck.
 */
export async function visitPicture(browser: Browser, box: Box, stage: Stage): Promise<Buffer> {
  const site = createServer(({ url }, answer) => {
    answer.setHeader("content-type", "text/html").end(pageOf(url ?? "/", box.collector));
  }).listen(0, "127.0.0.1");
  await once(site, "listening");
  stage.onClose(() => site.close());
  const { port } = site.address() as AddressInfo;

  const open = (size: Size, options: BrowserContextOptions = {}) =>
    openPage(browser, stage, size, options);
  const film = new Film(await open(Film.SIZE));
  await film.open();
  const desk = await open([1280, 820]);
  const visitor = await open([404, 294], { userAgent: VISITOR });
  await desk.goto(`${box.control}/?deck=${DECK}`);
  await newNumber(desk, () => visitor.goto(`http://${HOST}:${port}/`));

  await film.show("#page", await shot(visitor, "html", Film.SCALE), `${HOST}/`);
  await film.show("#deck", await shot(desk, ".deck", Film.SCALE));
  await film.take(1_200);
  const link = visitor.getByRole("link", { name: TITLE });
  await film.pointAt(link);

  const start = performance.now();
  let pageAt = 0;
  const numberAt = await newNumber(desk, async () => {
    await link.click();
    await visitor.getByRole("heading", { name: TITLE }).waitFor();
    pageAt = performance.now() - start;
  }).then(() => performance.now() - start);

  await film.count(0, pageAt);
  await film.show("#page", await shot(visitor, "html", Film.SCALE), HOST + READ);
  await film.count(pageAt, numberAt, "body");
  await film.show("#deck", await shot(desk, ".deck", Film.SCALE));
  await film.end(numberAt, await placeIn(desk, KEY));
  return animatedWebp(film.frames);
}

type Size = readonly [width: number, height: number];

async function openPage(
  browser: Browser,
  stage: Stage,
  [width, height]: Size,
  options: BrowserContextOptions,
): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: Film.SCALE,
    colorScheme: "light",
    reducedMotion: "reduce",
    locale: "en-GB",
    ...options,
  });
  stage.onClose(() => context.close());
  return context.newPage();
}

/** Waits until the key shows another number than before `visit`. */
async function newNumber(desk: Page, visit: () => Promise<unknown>): Promise<void> {
  const key = desk.locator(`[data-slot=${KEY}] img`);
  const before = await key.getAttribute("src");
  await visit();
  const after = desk.locator(`[data-slot=${KEY}] img:not([src="${before}"])`);
  await after.waitFor();
  await after.evaluate((image) => (image as unknown as { decode(): Promise<void> }).decode());
}

/** The place of a key, in shares of its deck. */
async function placeIn(desk: Page, key: string): Promise<Place> {
  const deck = await desk.locator(".deck").boundingBox();
  const box = await desk.locator(`[data-slot=${key}]`).boundingBox();
  if (deck === null || box === null) throw new Error("The Web UI shows no deck.");
  return {
    left: (box.x - deck.x) / deck.width,
    top: (box.y - deck.y) / deck.height,
    width: box.width / deck.width,
    height: box.height / deck.height,
  };
}
