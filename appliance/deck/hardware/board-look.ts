import { isObject } from "../../base/input/json.ts";
import type { UpdateOutcome } from "../../base/text/update-outcome.ts";
import { modelByUsb } from "../usb/models.ts";
import type { ReportStep } from "./report.ts";

/** The sources of a look at a board. */
interface BoardSources {
  /** The beginning of a file; undefined when it cannot be read. */
  read(path: string): Promise<string | undefined>;
  /** The names in a folder; none when it cannot be read. */
  list(path: string): Promise<readonly string[]>;
  /** Milliseconds from the kernel's start until the service was ready; undefined where nothing tells. */
  readyMs(): number | undefined;
  /** The id of this boot. */
  readonly boot: string;
  /** The source of the time, in a word; undefined while it is not set. */
  clock(): string | undefined;
  /** The level of the Wi-Fi's signal in dBm; undefined without. */
  signal(): Promise<number | undefined>;
  /** The file with the state of the box's Wi-Fi; undefined where nothing of ours sets it up. */
  readonly wifiState: string | undefined;
  /** The updates of this box; undefined where Tallydeck is only a program on this machine. */
  readonly updates: BoardUpdates | undefined;
  /** Milliseconds. */
  monotonic(): number;
}

interface BoardUpdates {
  readonly last?: UpdateOutcome | undefined;
  /** False once the board has ignored the flag for a trial. */
  readonly canTry?: boolean | undefined;
}

type Look = Pick<ReportStep, "result" | "note"> & { readonly ms?: number };

const NET = "/sys/class/net";
const USB = "/sys/bus/usb/devices";
const WATCHDOGS = "/sys/class/watchdog";
/** The most names of a folder that are looked at. */
const MOST = 64;

/** Looks at a board once, and changes nothing. */
export async function lookAtBoard(sources: BoardSources): Promise<ReportStep[]> {
  const looks: readonly (readonly [string, (from: BoardSources) => Look | Promise<Look>])[] = [
    ["boot", boot],
    ["clock", clock],
    ["wifi", wifi],
    ["phone", wifiSetUp],
    ["usb", usb],
    ["watchdog", watchdog],
    ["update", update],
    ["back", back],
  ];
  const steps: ReportStep[] = [];
  for (const [name, look] of looks) {
    const began = sources.monotonic();
    const { result, note, ms = Math.round(sources.monotonic() - began) } = await look(sources);
    steps.push({ name, result, ms, note });
  }
  return steps;
}

function boot({ readyMs, boot: id }: BoardSources): Look {
  const which = `boot ${id.slice(0, 8)}`;
  const ms = readyMs();
  if (ms === undefined)
    return absent(`${which}; systemd knows no service tallydeck that is ready here`);
  return { result: "ok", note: `${which}; the service was ready so long after the kernel`, ms };
}

function clock(sources: BoardSources): Look {
  const source = sources.clock();
  return source === undefined
    ? { result: "failed", note: "nothing has set it" }
    : { result: "ok", note: `set by ${source}` };
}

async function wifi({ read, list, signal }: BoardSources): Promise<Look> {
  const states: string[] = [];
  for (const name of (await list(NET)).slice(0, MOST)) {
    const parts = await list(`${NET}/${name}`);
    if (!parts.includes("wireless") && !parts.includes("phy80211")) continue;
    const state = lineOf(await read(`${NET}/${name}/operstate`)) || "unknown";
    // Some names have the address of the card in them.
    states.push(`${name.replaceAll(/[0-9a-f]{12}/g, "?")} ${state}`);
  }
  if (states.length === 0) return absent("this board has no Wi-Fi, or its driver is missing");
  const isUp = states.some((state) => state.endsWith(" up"));
  const dbm = isUp ? await signal() : undefined;
  const note = [...states, ...(dbm === undefined ? [] : [`${dbm} dBm`])].join(", ");
  return { result: isUp ? "ok" : "skipped", note };
}

/** A phone's set-up since this start: the way it went is what no emulator can tell. */
async function wifiSetUp({ read, wifiState }: BoardSources): Promise<Look> {
  const state = wifiState === undefined ? undefined : stateOf(await read(wifiState));
  const hasOpened = state?.hasOpened ?? null;
  if (hasOpened === null)
    return absent("no set-up with a phone was begun since the start, see docs/wifi.md");
  if (!hasOpened) return { result: "failed", note: "the box's own network did not open" };
  const phones = Number(state?.mostPhones);
  const came = `opened, ${phones === 1 ? "1 phone" : `${phones} phones`} on it`;
  const trouble = state?.trouble as { reason?: unknown } | null;
  const end = trouble ? `, ${trouble.reason}` : state?.hasInternet == null ? "" : ", joined";
  return { result: phones > 0 ? "ok" : "skipped", note: came + end };
}

/** Root's state of the Wi-Fi, whose names of networks go into no report. */
function stateOf(text = ""): Record<string, unknown> | undefined {
  try {
    const state: unknown = JSON.parse(text);
    return isObject(state) ? state : undefined;
  } catch {
    return undefined;
  }
}

async function usb({ read, list }: BoardSources): Promise<Look> {
  const names = (await list(USB)).slice(0, MOST);
  const buses: string[] = [];
  const decks: string[] = [];
  for (const name of names) {
    const file = async (file: string) => lineOf(await read(`${USB}/${name}/${file}`));
    if (/^usb\d+$/.test(name)) buses.push(`${await file("speed")}`);
    if (!/^\d+-[\d.]+$/.test(name)) continue;
    const [vendor, product] = [await file("idVendor"), await file("idProduct")];
    const model = modelByUsb(Number.parseInt(vendor, 16), Number.parseInt(product, 16));
    if (model !== undefined) decks.push(`${model.id} at ${await file("speed")} Mbit/s`);
  }
  if (buses.length === 0) return absent("this board shows no USB bus in host mode");
  const note = [`buses of ${buses.join(", ")} Mbit/s`, ...decks].join("; ");
  return { result: "ok", note: decks.length === 0 ? `${note}; no deck` : note };
}

async function watchdog({ read, list, updates }: BoardSources): Promise<Look> {
  const [name] = (await list(WATCHDOGS)).filter((each) => /^watchdog\d+$/.test(each)).sort();
  if (name === undefined) return absent("this system shows none");
  const file = async (file: string) => lineOf(await read(`${WATCHDOGS}/${name}/${file}`));
  const [identity, state, timeout] = [
    await file("identity"),
    await file("state"),
    await file("timeout"),
  ];
  const note = `${identity || "a watchdog"}: ${state || "state not told"}${timeout === "" ? "" : `, ${timeout} s`}`;
  if (state === "active") return { result: "ok", note };
  // Elsewhere it is up to the owner to arm one.
  return { result: updates !== undefined && state !== "" ? "failed" : "absent", note };
}

const NO_BOX = "Tallydeck is a program on this machine, not the whole of it";

function update({ updates }: BoardSources): Look {
  if (updates === undefined) return absent(NO_BOX);
  const { last, canTry } = updates;
  if (canTry === false)
    return { result: "failed", note: "the board ignored the flag for a trial of another system" };
  if (last === undefined) return { result: "skipped", note: "none was tried yet" };
  if (last.kind === "back") return { result: "skipped", note: "the last one was a way back" };
  if (last.kind === "updated")
    return { result: "ok", note: `kept ${last.version}, ${dayOf(last)}` };
  return { result: "failed", note: `${last.kind}: ${last.version}, ${dayOf(last)}` };
}

function back({ updates }: BoardSources): Look {
  if (updates === undefined) return absent(NO_BOX);
  const { last } = updates;
  return last?.kind === "back"
    ? { result: "ok", note: `started ${last.version}, ${dayOf(last)}` }
    : { result: "skipped", note: "the last update was no way back; --back makes one" };
}

function absent(note: string): Look {
  return { result: "absent", note };
}

function dayOf({ at }: UpdateOutcome): string {
  return new Date(at * 1_000).toISOString().slice(0, 10);
}

/** The first line of a small file of the system. */
function lineOf(text = ""): string {
  return (text.split("\n")[0] ?? "").trim().slice(0, 60);
}

const VIRTUAL_MAKERS = /QEMU|VMware|VirtualBox|innotek|Xen|Parallels|KVM|Hyper-V|Virtual Machine/i;

/** Whether this machine is only software. */
export async function isEmulatedBoard({
  read,
  list,
}: Pick<BoardSources, "read" | "list">): Promise<boolean> {
  const dmi = await Promise.all(
    ["sys_vendor", "product_name"].map((name) => read(`/sys/class/dmi/id/${name}`)),
  );
  const model = (await read("/sys/firmware/devicetree/base/model")) ?? "";
  const processors = (await read("/proc/cpuinfo")) ?? "";
  const firmware = await list("/sys/firmware/qemu_fw_cfg");
  return (
    VIRTUAL_MAKERS.test(dmi.join(" ")) ||
    /dummy-virt/.test(model) ||
    /^flags\s*:.*\bhypervisor\b/m.test(processors) ||
    firmware.length > 0
  );
}
