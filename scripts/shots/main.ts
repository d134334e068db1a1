import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext } from "playwright-core";
import { launchChromium, SHELL } from "../chromium.ts";
import { type Given, runScript } from "../running/parts.ts";
import type { Stage } from "../running/stage.ts";
import { type Box, NOW, startDemoBox, startNewBox } from "./box.ts";
import { ANIMATED, ENDING, FILES, PICTURES, type Picture } from "./pictures.ts";
import { shot } from "./shot.ts";
import { visitPicture } from "./visit.ts";
import { showEveryWidget } from "./widgets.ts";

const FOLDER = join(import.meta.dirname, "../../web/pictures");
/** Pixels for each CSS pixel, as good screens have them. */
const SCALE = 2;
const VIEWS_NOW = 7;

let browser: Browser | undefined;
let running: { readonly start: typeof startDemoBox; readonly box: Box } | undefined;

const stills = Object.entries(PICTURES).map(([name, picture]) => {
  const start = picture.of === "new" ? startNewBox : startDemoBox;
  return part(name, picture.says, start, (browser, box) => make(browser, box, picture));
});
await runScript({
  parts: Object.fromEntries([
    ...stills,
    part(ANIMATED, "A visit, and the key that shows it.", startDemoBox, visitPicture),
  ]),
  options: {},
  seed: 4_711,
});

/** A part that writes a picture of such a box. */
function part(
  name: string,
  says: string,
  start: typeof startDemoBox,
  take: (browser: Browser, box: Box, stage: Stage) => Promise<Buffer>,
) {
  const run = async ({ seed, stage, whole, report }: Given) => {
    const browser = await browserOf(whole);
    const bytes = await take(browser, await boxFor(start, seed, whole), stage);
    writeFileSync(join(FOLDER, name + ENDING), bytes);
    report.figure("size", `${(bytes.length / 1_000).toFixed(0)} kB`);
  };
  return [name, { says, run }] as const;
}

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
  for (const file of readdirSync(FOLDER)) if (!FILES.includes(file)) rmSync(join(FOLDER, file));
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
