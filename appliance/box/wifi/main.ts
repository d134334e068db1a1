/** Runs as root beside the service, until the box has a network: see tallydeck-wifi.service. */
import { randomInt } from "node:crypto";
import { lookup } from "node:dns/promises";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { isThere, namesIn, replaceFile, textOf } from "../../base/system/files.ts";
import { askSoon } from "../../base/system/program.ts";
import { SystemClock } from "../../base/system/system-clock.ts";
import { endAtUncaught } from "../../base/system/uncaught.ts";
import type { WifiState } from "../ipc/wifi-state.ts";
import { wifiResultText } from "../ipc/wifi-text.ts";
import { groupIn, mountedBelow } from "../provision/box.ts";
import { COUNTRIES } from "../provision/settings.ts";
import { takeAsked } from "./asked.ts";
import { SystemWifiFiles } from "./files.ts";
import { IwdRadio } from "./iwd.ts";
import { PortalFolder } from "./portal-folder.ts";
import { WifiSetUp } from "./set-up.ts";

const FOLDER = "/run/tallydeck-wifi";
const GROUP = "tallydeck";
/** A host of Debian, which the box asks for the time, too. */
const A_HOST = "www.debian.org";
const LOOKUP_MS = 8_000;

const warn = (line: string) => console.error(line);
endAtUncaught(warn);
const files = new SystemWifiFiles("/");
const clock = new SystemClock();
const group = groupIn("/")(GROUP);
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());
process.once("SIGINT", () => stop.abort());
// Timers of the clock let a process end.
const alive = setInterval(() => {}, 60_000);

await new WifiSetUp({
  clock,
  radio: new IwdRadio({ ask: askSoon, files, clock, addresses, hasInternet, warn }),
  memory: files,
  isData: () => mountedBelow("/")("/data"),
  asked: () => takeAsked(FOLDER),
  hasScreen,
  hasCable: () => Object.keys(networkInterfaces()).some(isCabled),
  isSure: () => isThere("/run/systemd/timesync/synchronized"),
  countries: [...COUNTRIES],
  randomInt: (end) => randomInt(end),
  portal: new PortalFolder("/run/tallydeck-portal", askSoon),
  tell,
  log: warn,
}).run(stop.signal);
clearInterval(alive);

/** The service alone may read the key of the set-up network. What came of it goes onto the card, too. */
function tell(state: WifiState): void {
  const result = wifiResultText(state);
  const file = join(FOLDER, "result");
  if (result !== "" && result !== textOf(file)?.trim()) replaceFile(file, `${result}\n`, 0o600);
  replaceFile(join(FOLDER, "state.json"), JSON.stringify(state), 0o640, group);
}

function addresses(name: string): string[] {
  return (networkInterfaces()[name] ?? [])
    .filter(({ family, internal }) => family === "IPv4" && !internal)
    .map(({ address }) => address);
}

/** Whether an interface is a cable with an address of somebody's network. */
function isCabled(name: string): boolean {
  return /^(?:eth|en|usb)/.test(name) && addresses(name).some((at) => !at.startsWith("169.254."));
}

async function hasInternet(): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  clock.after(LOOKUP_MS, () => resolve(false));
  lookup(A_HOST).then(
    () => resolve(true),
    () => resolve(false),
  );
  return promise;
}

/** Whether a screen is plugged in, by the kernel's picture drivers. */
function hasScreen(): boolean {
  const folder = "/sys/class/drm";
  return namesIn(folder).some(
    (name) => textOf(join(folder, name, "status"))?.trim() === "connected",
  );
}
