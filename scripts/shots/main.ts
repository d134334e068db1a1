import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { launchChromium, SHELL } from "../chromium.ts";
import { type Given, runScript } from "../running/parts.ts";
import type { Stage } from "../running/stage.ts";
import { type Box, NOW, startDemoBox, startNewBox } from "./box.ts";
import { ENDING, PICTURES, type Picture } from "./pictures.ts";
import { showEveryWidget } from "./widgets.ts";

const FOLDER = join(import.meta.dirname, "../../web/pictures");
/** Pixels for each CSS pixel, as good screens have them. */
const SCALE = 2;
/** The quality of WebP at which letters keep their edges; a PNG would take five times the bytes. */
const QUALITY = 90;
const VIEWS_NOW = 7;

let browser: Browser | undefined;
let running: { readonly start: typeof startDemoBox; readonly box: Box } | undefined;

await runScript({
  parts: Object.fromEntries(
    Object.entries(PICTURES).map(([name, picture]) => [
      name,
      {
        says: picture.says,
        async run({ seed, whole, report }: Given) {
          const browser = await browserOf(whole);
          const box = await boxFor(picture.of === "new" ? startNewBox : startDemoBox, seed, whole);
          const bytes = await make(browser, box, picture);
          writeFileSync(join(FOLDER, name + ENDING), bytes);
          report.figure("size", `${(bytes.length / 1_000).toFixed(0)} kB`);
        },
      },
    ]),
  ),
  options: {},
  seed: 4_711,
});

/** The one browser, started for the first picture. */
async function browserOf(whole: Stage): Promise<Browser> {
  if (browser === undefined) {
    const launched = await launchChromium(SHELL);
    browser = launched;
    whole.onClose(() => launched.close());
    whole.onClose(removeOthers);
  }
  return browser;
}

/** The box of the picture before, unless another kind is needed: both kinds have the same ports. */
async function boxFor(start: typeof startDemoBox, seed: number, whole: Stage): Promise<Box> {
  if (running?.start !== start) {
    await running?.box.close();
    const box = await whole.add(start(seed));
    running = { start, box };
    if (start === startDemoBox) await fill(box);
  }
  return running.box;
}

async function fill(box: Box): Promise<void> {
  await showEveryWidget(box);
  await box.ask("POST", "/api/sites", { id: "blog" });
  for (const name of ["Home Assistant", "GitHub Actions"])
    await box.ask("POST", "/api/push-tokens", { name });
  for (let i = 0; i < VIEWS_NOW; i++) await view(box);
}

/** Files of pictures that there are no more. */
function removeOthers(): void {
  for (const file of readdirSync(FOLDER))
    if (PICTURES[basename(file, ENDING)] === undefined) rmSync(join(FOLDER, file));
}

/** Sends a view, for the number of views now. */
async function view({ collector }: Box): Promise<void> {
  const hit = { p: "/notes", h: "https://fieldnotes.example" };
  const v = encodeURIComponent(btoa(encodeURIComponent(JSON.stringify(hit))));
  const { port } = new URL(collector);
  await fetch(`http://127.0.0.1:${port}/e?s=fieldnotes&v=${v}`, {
    headers: { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Firefox/145.0" },
  });
}

async function make(browser: Browser, box: Box, picture: Picture): Promise<Buffer> {
  const {
    of,
    path,
    size: [width, height],
    isDark = false,
    hasUpdate = false,
    part,
    prepare,
  } = picture;
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
    return await shot(page, part);
  } finally {
    await context.close();
  }
}

/** Stops the browser's clock, and the one in answers of the Web UI, whose dates are Node's. */
async function stopTime(context: BrowserContext): Promise<void> {
  await context.clock.setFixedTime(NOW);
  await context.addInitScript(`{
    const { get } = Headers.prototype;
    Headers.prototype.get = function (name) {
      return name === "date" ? "${new Date(NOW).toUTCString()}" : get.call(this, name);
    };
  }`);
}

/** A screenshot, once nothing moves and all requests are answered. */
async function shot(page: Page, part: string | undefined): Promise<Buffer> {
  const busy = page.locator("[aria-busy=true]");
  // Several may be busy at a time, and the pages forbid to evaluate a text, which waiting for a function needs.
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
