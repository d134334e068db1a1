import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
} from "playwright-core";
import { aroundTests } from "./hooks.ts";
import { CHROME } from "./world.ts";

/** What draws pages, without the windows, tabs and profiles around it: for a third of the work. */
const SHELL = "/usr/bin/chromium-headless-shell";
/** The browser people have. */
const CHROMIUM = "/usr/bin/chromium";

const ARGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Else navigator.webdriver is true, as in no visitor's browser.
  "--disable-blink-features=AutomationControlled",
  // Every made-up domain is this machine.
  "--host-resolver-rules=MAP * 127.0.0.1",
];

/** The pages the address bar would open: one more process, and half the work, for each window. */
const UNSEEN = ["WebUIOmniboxPopup", "WebUIOmniboxFullPopup", "WebUIOmniboxAimPopup"];

/** What Playwright switches off: of two such lists Chromium goes by the last. */
const UNSTEADY = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "TcpPortRandomizationWin",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
];

// Visitors' browsers do keep pages to go back to.
const UNWANTED_ARGS = ["--disable-back-forward-cache"];

/** A busy machine is slow; still less than a test's own limit, for this tells what was waited for. */
const PATIENCE_MS = 4 * 60_000;

export interface ProfileOptions extends BrowserContextOptions {
  /** The browser people have: the shell keeps no page to go back to. */
  whole?: boolean;
}

const browsers = new Map<string, Promise<Browser>>();
aroundTests(
  () => browsers.clear(),
  () => Promise.all([...browsers.values()].map(async (browser) => (await browser).close())),
);

/** A new profile in the one browser of these tests, which says it is a visitor's Chrome. */
export async function openProfile({
  whole = false,
  ...options
}: ProfileOptions = {}): Promise<BrowserContext> {
  const browser = await launched(whole ? CHROMIUM : SHELL);
  const profile = await browser.newContext({ userAgent: CHROME, ...options });
  profile.setDefaultTimeout(PATIENCE_MS);
  return profile;
}

function launched(executablePath: string): Promise<Browser> {
  const known = browsers.get(executablePath);
  if (known !== undefined) return known;
  const browser = chromium.launch({
    executablePath,
    args: [...ARGS, `--disable-features=${[...UNSTEADY, ...UNSEEN].join()}`],
    ignoreDefaultArgs: UNWANTED_ARGS,
  });
  browsers.set(executablePath, browser);
  return browser;
}

/**
 * A browser of its own that opens `url` and is driven by its page alone: one that is driven from
 * outside holds back prerendered pages. @returns what closes it
 */
export function openUndriven(url: string): () => Promise<void> {
  const profile = mkdtempSync(join(tmpdir(), "tallydeck-chromium-"));
  const own: ChildProcess = spawn(
    CHROMIUM,
    [...ARGS, `--user-agent=${CHROME}`, `--user-data-dir=${profile}`, url],
    // A process group, for what it starts itself ends with it.
    { stdio: "ignore", detached: true },
  );
  return async () => {
    if (own.pid !== undefined) process.kill(-own.pid, "SIGKILL");
    await once(own, "exit");
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
}
