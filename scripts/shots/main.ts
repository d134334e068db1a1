import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { launchChromium, SHELL } from "../chromium.ts";
import { type Box, NOW, startDemoBox, startNewBox } from "./box.ts";
import { dressDecks } from "./decks.ts";
import { PICTURES, type Picture } from "./pictures.ts";

const FOLDER = join(import.meta.dirname, "../../web/pictures");
const ENDING = ".webp";
/** Pixels for each CSS pixel, as good screens have them. */
const SCALE = 2;
/** Where letters still have sharp edges; a PNG of the same takes five times the bytes. */
const QUALITY = 90;
const VIEWS_NOW = 7;

const named = process.argv.slice(2);
const unknown = named.filter((name) => PICTURES[name] === undefined);
if (unknown.length > 0)
  throw new Error(`there is no picture ${unknown}: ${Object.keys(PICTURES).join(" ")}`);
await makePictures(named.length > 0 ? named : Object.keys(PICTURES));

async function makePictures(names: readonly string[]): Promise<void> {
  const [demo, fresh] = [await startDemoBox(), await startNewBox()];
  const browser = await launchChromium(SHELL);
  try {
    await dressDecks(demo);
    await demo.ask("POST", "/api/sites", { id: "blog" });
    for (let i = 0; i < VIEWS_NOW; i++) await view(demo);
    for (const name of names) {
      const picture = PICTURES[name] as Picture;
      const file = join(FOLDER, name + ENDING);
      writeFileSync(file, await take(browser, picture.of === "new" ? fresh : demo, picture));
      console.log(`${name}: ${(statSync(file).size / 1_000).toFixed(0)} kB`);
    }
  } finally {
    await browser.close();
    await demo.stop();
    await fresh.stop();
  }
  for (const file of readdirSync(FOLDER))
    if (PICTURES[basename(file, ENDING)] === undefined) rmSync(join(FOLDER, file));
}

/** Somebody is on the site now. */
async function view({ collector }: Box): Promise<void> {
  const v = btoa(
    encodeURIComponent(JSON.stringify({ p: "/notes", h: "https://fieldnotes.example" })),
  );
  await fetch(`${collector}/e?s=fieldnotes&v=${encodeURIComponent(v)}`, {
    headers: { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Firefox/145.0" },
  });
}

async function take(browser: Browser, box: Box, picture: Picture): Promise<Buffer> {
  const { of, path, width, height, isDark = false, part, prepare } = picture;
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: SCALE,
    colorScheme: isDark ? "dark" : "light",
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "UTC",
  });
  try {
    const page = await context.newPage();
    await page.clock.setFixedTime(NOW);
    if (of === "collector" && box.token !== null)
      await page.addInitScript(`sessionStorage.setItem("tallydeck.token", "${box.token}")`);
    await page.goto((of === "collector" ? box.collector : box.control) + path);
    await page.locator("main h1, main h2").first().waitFor({ state: "attached" });
    await prepare?.(page, box.said);
    return await shot(page, part);
  } finally {
    await context.close();
  }
}

/** Once nothing moves any more and all that is asked for is there. */
async function shot(page: Page, part: string | undefined): Promise<Buffer> {
  await page.locator("[aria-busy=true]").waitFor({ state: "detached" });
  await page.evaluate(`(async () => {
    document.activeElement?.blur();
    await document.fonts.ready;
    await Promise.all([...document.images].map((image) => image.decode().catch(() => {})));
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  })()`);
  const box = part === undefined ? null : await page.locator(part).boundingBox();
  const devtools = await page.context().newCDPSession(page);
  const { data } = await devtools.send("Page.captureScreenshot", {
    format: "webp",
    quality: QUALITY,
    ...(box && { clip: { ...box, scale: 1 } }),
  });
  return Buffer.from(data, "base64");
}
