import type { Browser, CDPSession, Page, Response } from "playwright-core";
import { CHROMIUM, launchChromium } from "../chromium.ts";
import { makeHistory } from "../running/history.ts";
import type { Part } from "../running/parts.ts";
import { median } from "../running/report.ts";
import { SITE, TOKEN } from "../running/servers.ts";
import { ship } from "../running/shipped.ts";
import { bytesOf, HISTORY } from "./reads.ts";

const OPENINGS = 7;
const ROUNDS = 5;
/** Periods, each reached from the one before it. */
const PERIODS = ["7 days", "30 days", "90 days", "365 days", "All", "Today"];

/** Runs before the page's own scripts: signs in, notes when numbers are there, and long tasks. */
const PREPARED = `{
  sessionStorage.setItem("tallydeck.token", "${TOKEN}");
  // Resolves after the next frame and the tasks behind it.
  globalThis.painted = () => new Promise((resolve) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(performance.now());
    port2.postMessage(0);
  }));
  globalThis.switchTo = async (period) => {
    const presets = [...document.querySelectorAll(".presets button")];
    const from = performance.now();
    presets.find(({ textContent }) => textContent === period).click();
    return await painted() - from;
  };
  globalThis.numbers = new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (!/\\d/.test(document.querySelector(".dashboard .tile .figure")?.textContent ?? "")) return;
      observer.disconnect();
      resolve(painted());
    });
    observer.observe(document, { childList: true, subtree: true });
  });
  globalThis.longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: "longtask" });
}`;

export const page: Part = {
  says: "The dashboard of a long history in Chromium, with nothing cached.",
  async run({ seed, stage, report }) {
    const dataDir = stage.folder();
    await makeHistory(dataDir, { ...HISTORY, seed });
    const { origin } = await ship(stage).start(stage, dataDir);
    const browser = await launchChromium(CHROMIUM);
    stage.onClose(() => browser.close());
    const [first = Number.NaN, ...next] = await openings(browser, origin);
    const { page, weight } = await openPage(browser, origin);
    const devtools = await page.context().newCDPSession(page);
    // CPU time, so that other programs have no effect.
    await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
    report.note(`numbers painted the first time: ${first.toFixed(0)} ms`);
    report.atMost("numbers painted after opening /dashboard", median(next), "ms", 1_000);
    const { period, main, clock } = await slowestSwitch(page, devtools);
    report.note(`the slowest switch, to ${period}, by the clock: ${clock.toFixed(0)} ms`);
    report.atMost("main thread's CPU from a period to another", main, "ms", 100);
    const { all, longest } = await refreshes(page, devtools);
    report.note(`main thread's CPU for a refresh: ${all.toFixed(0)} ms`);
    report.atMost("longest task after a refresh without news", longest, "ms", 50);
    report.atMost("/dashboard without fonts and map", await weight(), "bytes", 60_000);
  },
};

/** @returns milliseconds by the clock from each navigation to the painted numbers */
async function openings(browser: Browser, origin: string): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < OPENINGS; i++) {
    const { page } = await openPage(browser, origin);
    times.push(await page.evaluate<number>("numbers"));
    await page.context().close();
  }
  return times;
}

async function openPage(browser: Browser, origin: string) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  await context.addInitScript(PREPARED);
  const page = await context.newPage();
  const loaded: Response[] = [];
  page.on("response", (response) => loaded.push(response));
  await page.goto(`${origin}/dashboard?site=${SITE}`);
  await page.evaluate("numbers");
  return {
    page,
    weight: async () => {
      const kinds = ["document", "script", "stylesheet", "image"];
      const parts = loaded.filter((part) => kinds.includes(part.request().resourceType()));
      // The parts are requested again, since Chromium accepts only gzip on plain HTTP.
      const sizes = await Promise.all([...new Set(parts.map((part) => part.url()))].map(bytesOf));
      return sizes.reduce((sum, size) => sum + size, 0);
    },
  };
}

/** Milliseconds of the processor that the main thread has taken. */
async function mainThread(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send("Performance.getMetrics");
  return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN) * 1_000;
}

/** @returns what the slowest switch costs, ms: the main thread's CPU time, and by the clock */
async function slowestSwitch(page: Page, devtools: CDPSession) {
  const costs = PERIODS.map((period) => ({ period, main: [] as number[], clock: [] as number[] }));
  for (let round = 0; round < ROUNDS; round++) {
    for (const { period, main, clock } of costs) {
      await page.getByRole("button", { name: /^Period: / }).click();
      await page.locator(".presets").waitFor();
      const before = await mainThread(devtools);
      clock.push(await page.evaluate<number>(`switchTo(${JSON.stringify(period)})`));
      main.push((await mainThread(devtools)) - before);
    }
  }
  return costs
    .map(({ period, main, clock }) => ({ period, main: median(main), clock: median(clock) }))
    .reduce((slowest, one) => (one.main > slowest.main ? one : slowest));
}

/** @returns ms of a refresh that brings nothing: the main thread's longest task (0 up to 50), and its CPU time */
async function refreshes(page: Page, devtools: CDPSession) {
  const all: number[] = [];
  await page.evaluate("longTasks.length = 0");
  for (let round = 0; round < ROUNDS; round++) {
    const before = await mainThread(devtools);
    const answer = page.waitForResponse((response) => response.url().includes("/stats?"));
    await page.getByRole("button", { name: "Refresh" }).click();
    const status = (await answer).status();
    if (status !== 304) throw new Error(`nothing was counted, and still /stats answered ${status}`);
    await page.locator('button[aria-label="Refresh"][aria-disabled="false"]').waitFor();
    await page.evaluate("painted()");
    all.push((await mainThread(devtools)) - before);
  }
  const longest = await page.evaluate<number>("Math.max(0, ...longTasks)");
  return { longest, all: median(all) };
}
