import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { launchChromium, SHELL } from "../chromium.ts";
import { type Box, NOW, startDemoBox, startNewBox } from "./box.ts";
import { ENDING, PICTURES, type Picture } from "./pictures.ts";
import { showEveryWidget } from "./widgets.ts";

const FOLDER = join(import.meta.dirname, "../../web/pictures");
/** Pixels for each CSS pixel, as good screens have them. */
const SCALE = 2;
/** Of WebP: letters keep their edges, and a PNG of the same takes five times the bytes. */
const QUALITY = 90;
const VIEWS_NOW = 7;

const named = process.argv.slice(2);
const unknown = named.filter((name) => PICTURES[name] === undefined);
if (unknown.length > 0)
  throw new Error(`There is no picture ${unknown}. There are: ${Object.keys(PICTURES).join(" ")}`);
await makePictures(named.length > 0 ? named : Object.keys(PICTURES));

async function makePictures(names: readonly string[]): Promise<void> {
  const browser = await launchChromium(SHELL);
  try {
    const ofNew = (name: string) => PICTURES[name]?.of === "new";
    await withBox(startDemoBox, async (box) => {
      await showEveryWidget(box);
      await box.ask("POST", "/api/sites", { id: "blog" });
      for (const name of ["Home Assistant", "GitHub Actions"])
        await box.ask("POST", "/api/push-tokens", { name });
      for (let i = 0; i < VIEWS_NOW; i++) await view(box);
      for (const name of names) if (!ofNew(name)) await make(browser, box, name);
    });
    // After the other, since both have the same ports.
    await withBox(startNewBox, async (box) => {
      for (const name of names) if (ofNew(name)) await make(browser, box, name);
    });
  } finally {
    await browser.close();
  }
  for (const file of readdirSync(FOLDER))
    if (PICTURES[basename(file, ENDING)] === undefined) rmSync(join(FOLDER, file));
}

async function withBox(start: () => Promise<Box>, use: (box: Box) => Promise<void>): Promise<void> {
  const box = await start();
  try {
    await use(box);
  } finally {
    await box.stop();
  }
}

/** Somebody is on the site now. */
async function view({ collector }: Box): Promise<void> {
  const hit = { p: "/notes", h: "https://fieldnotes.example" };
  const v = encodeURIComponent(btoa(encodeURIComponent(JSON.stringify(hit))));
  const { port } = new URL(collector);
  await fetch(`http://127.0.0.1:${port}/e?s=fieldnotes&v=${v}`, {
    headers: { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Firefox/145.0" },
  });
}

async function make(browser: Browser, box: Box, name: string): Promise<void> {
  const picture = PICTURES[name] as Picture;
  const { of, path, width, height, isDark = false, hasUpdate = false, part, prepare } = picture;
  box.offerUpdate(hasUpdate);
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: SCALE,
    colorScheme: isDark ? "dark" : "light",
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "UTC",
  });
  try {
    await stopTime(context);
    if (of === "collector" && box.token !== null)
      await context.addInitScript(`sessionStorage.setItem("tallydeck.token", "${box.token}")`);
    const page = await context.newPage();
    await page.goto((of === "collector" ? box.collector : box.control) + path);
    await page.locator("h1, h2").first().waitFor({ state: "attached" });
    await prepare?.(page, box.said);
    const bytes = await shot(page, part);
    writeFileSync(join(FOLDER, name + ENDING), bytes);
    console.log(`${name}: ${(bytes.length / 1_000).toFixed(0)} kB`);
  } finally {
    await context.close();
  }
}

/** The browser's clock, and the box's as answers tell it: in those of the Web UI Node writes it. */
async function stopTime(context: BrowserContext): Promise<void> {
  await context.clock.setFixedTime(NOW);
  await context.addInitScript(`{
    const { get } = Headers.prototype;
    Headers.prototype.get = function (name) {
      return name === "date" ? "${new Date(NOW).toUTCString()}" : get.call(this, name);
    };
  }`);
}

/** Once nothing moves any more and all that is asked for is there. */
async function shot(page: Page, part: string | undefined): Promise<Buffer> {
  const busy = page.locator("[aria-busy=true]");
  // Several may be so at a time, and the pages let nobody evaluate a text to wait for.
  while ((await busy.count()) > 0) await page.waitForTimeout(50);
  await page.mouse.move(0, 0);
  await page.evaluate(`(async () => {
    document.activeElement?.blur();
    await document.fonts.ready;
    await Promise.all([...document.images].map((image) => image.decode().catch(() => {})));
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  })()`);
  const clip = part === undefined ? null : await page.locator(part).boundingBox();
  const devtools = await page.context().newCDPSession(page);
  const { data } = await devtools.send("Page.captureScreenshot", {
    format: "webp",
    quality: QUALITY,
    ...(clip && { clip: { ...clip, scale: 1 } }),
  });
  return Buffer.from(data, "base64");
}
