import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core";
import { CHROMIUM, CHROMIUM_ARGS, launchChromium, SHELL } from "../../scripts/chromium.ts";
import { needTools } from "../../scripts/tools.ts";
import type { DrivenBrowser } from "./driven-browser.ts";
import { afterAllFiles } from "./hooks.ts";
import { CHROME } from "./world.ts";

/** A busy machine is slow; still less than a test's own limit, for this tells what was waited for. */
const PATIENCE_MS = 4 * 60_000;

export interface ProfileOptions extends BrowserContextOptions {
  /** The browser people have: the shell keeps no page to go back to. */
  whole?: boolean;
}

/** One for all files of a process. Playwright ends them with the process, whoever ends that. */
const browsers = new Map<string, Promise<Browser>>();
afterAllFiles(() =>
  Promise.all([...browsers.values()].map(async (browser) => (await browser).close())),
);

/** A new profile in the one browser of these tests, which says it is a visitor's Chrome. */
export async function openProfile({
  whole = false,
  ...options
}: ProfileOptions = {}): Promise<BrowserContext> {
  const browser = await launched(whole ? CHROMIUM : SHELL);
  // Motion would be drawn anew for each frame, at a tenth of the work of a page.
  const profile = await browser.newContext({
    userAgent: CHROME,
    reducedMotion: "reduce",
    ...options,
  });
  profile.setDefaultTimeout(PATIENCE_MS);
  return profile;
}

function launched(executablePath: typeof SHELL | typeof CHROMIUM): Promise<Browser> {
  const known = browsers.get(executablePath);
  if (known !== undefined) return known;
  const browser = launchChromium(executablePath, folderOfBrowsers(), [
    // A page that is left sends by the browser's own agent, whatever its profile says.
    `--user-agent=${CHROME}`,
  ]);
  browsers.set(executablePath, browser);
  // One that broke down costs the tests of one file, not those of the files after it.
  const forget = () => browsers.delete(executablePath);
  browser.then((running) => running.once("disconnected", forget), forget);
  return browser;
}

let folder: string | undefined;

/** Removed with the process: a browser that is ended with it leaves its sockets. */
function folderOfBrowsers(): string {
  if (folder !== undefined) return folder;
  const made = mkdtempSync(join(tmpdir(), "tallydeck-browsers-"));
  process.once("exit", () => rmSync(made, { recursive: true, force: true }));
  folder = made;
  return made;
}

/**
 * A browser of its own that opens `url` and is driven by its page alone: one that is driven from
 * outside holds back prerendered pages. @returns what closes it
 */
export function openUndriven(url: string): () => Promise<void> {
  needTools("chromium");
  const profile = mkdtempSync(join(tmpdir(), "tallydeck-chromium-"));
  const own: ChildProcess = spawn(
    CHROMIUM,
    [...CHROMIUM_ARGS, `--user-agent=${CHROME}`, `--user-data-dir=${profile}`, url],
    // A process group, for what it starts itself ends with it.
    { stdio: "ignore", detached: true },
  );
  return async () => {
    if (own.pid !== undefined) process.kill(-own.pid, "SIGKILL");
    await once(own, "exit");
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
}

/** The browser of these tests for what is tried in each of them alike. */
export async function openChromium(): Promise<DrivenBrowser> {
  const profile = await openProfile();
  const page = await profile.newPage();
  const troubles: string[] = [];
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") troubles.push(message.text());
  });
  return {
    name: "Chromium",
    troubles: async () => troubles.splice(0),
    go: async (url) => void (await page.goto(url)),
    evaluate: (expression) =>
      page.evaluate(expression).catch((error: unknown) => {
        // The page has been left meanwhile: the next one is asked by who asks again.
        if (/context was destroyed/.test(String(error))) return null;
        throw error;
      }),
    perform: async (sources) => {
      for (const action of sources.flatMap(({ actions }) => actions as Action[]))
        if (action.type === "pointerMove") await page.mouse.move(action.x, action.y);
        else if (action.type === "pointerDown") await page.mouse.down();
        else if (action.type === "pointerUp") await page.mouse.up();
        else if (action.type === "keyDown") await page.keyboard.down(action.value);
        else await page.keyboard.up(action.value);
    },
    resize: (width, height) => page.setViewportSize({ width, height }),
    end: () => profile.close(),
  };
}

type Action =
  | { type: "pointerMove"; x: number; y: number }
  | { type: "pointerDown" }
  | { type: "pointerUp" }
  | { type: "keyDown" | "keyUp"; value: string };
