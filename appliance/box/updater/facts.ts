import { once } from "node:events";
import { realpathSync, rmSync, statSync } from "node:fs";
import { isIPv4 } from "node:net";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import { dirname, join } from "node:path";
import { connect } from "node:tls";
import { exchange } from "../../base/http/exchange.ts";
import { HEALTH_PATH, VERSION_HEADER } from "../../base/release/health.ts";
import { isThere, namesIn, replaceFile, textOf } from "../../base/system/files.ts";
import { type AskProgram, askProgram } from "../../base/system/program.ts";
import type { Box } from "./box.ts";
import { factsFrom, type HealthFacts, isHealth } from "./health.ts";

/** The answer of a port of the box to a question from the box itself. */
export interface OwnAnswer {
  readonly status: number;
  readonly version: string | undefined;
  readonly body: string;
}

/** The sources of facts about the box. Tests pass stand-ins. */
interface FactSources {
  /** `/`, or a folder. */
  readonly root: string;
  readonly ask: AskProgram;
  /** Rejects when nothing answers in time. */
  readonly get: (port: number, path: string) => Promise<OwnAnswer>;
  /** Rejects when no certificate is shown in time. */
  readonly shakeHands: (port: number) => Promise<void>;
  readonly interfaces: () => NodeJS.Dict<
    readonly Pick<NetworkInterfaceInfo, "address" | "internal">[]
  >;
}

export function thisMachine(): FactSources {
  return { root: "/", ask: askProgram, get, shakeHands, interfaces: networkInterfaces };
}

const COLLECTOR_PORT = 80;
const CONTROL_PORT = 3000;
const TLS_PORT = 443;
/** Twice the time that the service gives its database. */
const ANSWER_MS = 10_000;
/** The longest body of an answer about health; the journal keeps it. */
const MOST_BODY = 65_536;

export async function readFacts(machine: FactSources): Promise<HealthFacts> {
  const orNull = <T>(asked: Promise<T>) => asked.catch(() => null);
  const [collector, control, tls] = await Promise.all([
    orNull(machine.get(COLLECTOR_PORT, "/").then(({ version }) => version ?? "?")),
    orNull(machine.get(CONTROL_PORT, HEALTH_PATH).then(healthIn)),
    orNull(machine.shakeHands(TLS_PORT).then(() => true)),
  ]);
  return {
    service: serviceOf(machine),
    collector,
    control,
    tls: tls === true,
    dataIsWritable: isWritable(machine),
    settingsAreApplied: areSettingsApplied(machine),
    failed: failedUnits(machine),
    interfaces: interfacesOf(machine),
    usb: usbOf(machine),
  };
}

/** The file with the facts, for a program without access to the network. */
const SEEN = "run/tallydeck-update/facts.json";

export async function noteFacts(machine: FactSources): Promise<void> {
  replaceFile(join(machine.root, SEEN), JSON.stringify(await readFacts(machine)), 0o600);
}

/**
 * The facts before the restart, for comparison in the trial; undefined when they are unknown.
 */
export function factsNow({ root, run }: Pick<Box, "root" | "run">): HealthFacts | undefined {
  try {
    rmSync(join(root, SEEN), { force: true });
    run("systemctl", ["start", "tallydeck-facts.service"]);
    return factsFrom(JSON.parse(textOf(join(root, SEEN)) ?? "null"));
  } catch {
    return undefined;
  }
}

function healthIn({ status, body }: OwnAnswer): HealthFacts["control"] {
  const read: unknown = status === 200 ? JSON.parse(body) : undefined;
  return isHealth(read) ? read : null;
}

function shownOf({ ask }: FactSources, unit: string): Map<string, string> {
  return new Map(
    ask("systemctl", ["show", `--property=${SHOWN.join()}`], [unit])
      .split("\n")
      .map((line) => [line.split("=", 1)[0] ?? "", line.slice(line.indexOf("=") + 1)]),
  );
}

function serviceOf(machine: FactSources): HealthFacts["service"] {
  const shown = shownOf(machine, "tallydeck.service");
  return {
    state: shown.get("ActiveState") ?? "",
    result: shown.get("Result") ?? "",
    exitStatus: Number(shown.get("ExecMainStatus") ?? 0),
    restarts: Number(shown.get("NRestarts") ?? 0),
  };
}

const SHOWN = ["ActiveState", "Result", "ExecMainStatus", "NRestarts"];

/** Whether the settings were applied. For systemd it is no failure if they were not. */
function areSettingsApplied(machine: FactSources): boolean {
  return Number(shownOf(machine, "tallydeck-provision.service").get("ExecMainStatus") ?? 0) === 0;
}

function failedUnits({ ask }: FactSources): string[] {
  const listed = ask("systemctl", ["list-units", "--state=failed", "--plain", "--no-legend"]);
  return listed.split("\n").flatMap((line) => line.trim().split(/\s+/, 1)[0] || []);
}

/** Whether the data can be written, by trying: mount options say nothing inside of a sandbox. */
function isWritable({ root }: FactSources): boolean {
  const file = join(root, "data/system/writable");
  try {
    // Without a mounted data partition, a file would go to memory.
    if (root === "/" && statSync("/data").dev === statSync("/").dev) return false;
    replaceFile(file, "", 0o600);
    rmSync(file);
    return true;
  } catch {
    return false;
  }
}

function interfacesOf({ root, interfaces }: FactSources): HealthFacts["interfaces"] {
  const found = interfaces();
  const folder = join(root, "sys/class/net");
  return namesIn(folder)
    .sort()
    .filter((name) => name !== "lo")
    .map((name) => ({
      name,
      hasAddress: (found[name] ?? []).some(({ address }) => isReachable(address)),
      isUnplugged: isUnplugged(join(folder, name)),
      hasLink: hasLink(join(folder, name)),
      ...usbBehind(join(folder, name, "device")),
    }));
}

/** A radio that finds no network, or is not switched on, may be the system's fault. */
function isUnplugged(folder: string): boolean {
  const isRadio = ["phy80211", "wireless"].some((name) => isThere(join(folder, name)));
  // Only an interface that is switched on reports its cable.
  return !isRadio && textOf(join(folder, "carrier"))?.trim() === "0";
}

/** A device that is soldered on hangs on the bus, too, but the board's device tree names it. */
function usbBehind(device: string): { usb?: string } {
  if (!isThere(device)) return {};
  // The found folder is an interface of the device on the bus.
  const folder = dirname(realpathSync(device));
  const isFixed = isThere(join(folder, "of_node"));
  return isFixed || !isThere(join(folder, "idVendor")) ? {} : { usb: usbId(folder) };
}

function usbId(folder: string): string {
  const [vendor, product] = ["idVendor", "idProduct"].map((file) => textOf(join(folder, file)));
  return `${vendor?.trim() ?? ""}:${product?.trim() ?? ""}`;
}

/** Whether a network is connected. A tunnel does not count, since it always has an address. */
function hasLink(folder: string): boolean {
  return isThere(join(folder, "device")) && textOf(join(folder, "carrier"))?.trim() === "1";
}

/** Addresses that a link gives itself say nothing about the network. */
function isReachable(address: string): boolean {
  return isIPv4(address) ? !address.startsWith("169.254.") : !/^fe[89ab]/i.test(address);
}

function usbOf({ root }: FactSources): HealthFacts["usb"] {
  const folder = join(root, "sys/bus/usb/devices");
  const names = namesIn(folder).sort();
  const isRoot = (name: string) => /^usb\d+$/.test(name);
  return {
    // A controller of USB 3 has two root hubs.
    hosts: new Set(names.filter(isRoot).map((name) => dirname(realpathSync(join(folder, name)))))
      .size,
    devices: names
      // Interfaces of a device have a colon.
      .filter((name) => !isRoot(name) && !name.includes(":"))
      .map((name) => usbId(join(folder, name))),
  };
}

async function get(port: number, path: string): Promise<OwnAnswer> {
  const { status, headers, body, ended } = await exchange(
    { method: "GET", url: `http://127.0.0.1:${port}${path}`, headers: {} },
    { mostBytes: MOST_BODY, signal: AbortSignal.timeout(ANSWER_MS) },
  );
  if (ended !== "whole") throw new Error("not a whole answer");
  return { status, version: [headers[VERSION_HEADER]].flat()[0], body: body.toString() };
}

/** Tries a handshake, and accepts any certificate: its name and age do not depend on the release. */
async function shakeHands(port: number): Promise<void> {
  const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false });
  const signal = AbortSignal.timeout(ANSWER_MS);
  try {
    await once(socket, "secureConnect", { signal });
  } finally {
    socket.on("error", () => {}).destroy();
  }
}
