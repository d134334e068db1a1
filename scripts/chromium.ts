import { tmpdir } from "node:os";
import { type Browser, chromium } from "playwright-core";
import { needTools } from "./tools.ts";

/** The part of Chromium that draws pages, without windows, tabs and profiles: a third of the work. */
export const SHELL = "/usr/bin/chromium-headless-shell";
/** The browser people have. */
export const CHROMIUM = "/usr/bin/chromium";

export const CHROMIUM_ARGS: readonly string[] = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Otherwise navigator.webdriver would be true, unlike in visitors' browsers.
  "--disable-blink-features=AutomationControlled",
  // Every made-up domain is this machine.
  "--host-resolver-rules=MAP * 127.0.0.1",
];

/** The pages the address bar would open: one more process, and half the work, for each window. */
const UNSEEN = ["WebUIOmniboxPopup", "WebUIOmniboxFullPopup", "WebUIOmniboxAimPopup"];

/** The features that Playwright switches off: of two such lists Chromium goes by the last. */
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

/** A process begun ahead for a page that most tests never open. */
const AHEAD = ["SpareRendererForSitePerProcess"];

/** Fewer processes and threads. Painting keeps a process of its own, so that the browser survives its crash. */
const SPARING_ARGS = [
  // Chromium uses the last of two such lists, so the first name is Playwright's.
  "--enable-features=CDPScreenshotNewSurface,NetworkServiceInProcess2",
  "--js-flags=--single-threaded",
];

// Visitors' browsers do keep pages to go back to.
const UNWANTED_ARGS = ["--disable-back-forward-cache"];

/**
 * Starts Debian's Chromium without a screen.
 * @param folder the folder for its temporary files; that of the system unless given
 */
export function launchChromium(
  executablePath: typeof SHELL | typeof CHROMIUM,
  folder = tmpdir(),
  ownArgs: readonly string[] = [],
): Promise<Browser> {
  needTools(executablePath === SHELL ? "chromium-headless-shell" : "chromium");
  return chromium.launch({
    executablePath,
    env: { ...process.env, TMPDIR: folder },
    args: [
      ...CHROMIUM_ARGS,
      ...SPARING_ARGS,
      ...ownArgs,
      `--disable-features=${[...UNSTEADY, ...UNSEEN, ...AHEAD].join()}`,
    ],
    ignoreDefaultArgs: UNWANTED_ARGS,
  });
}
