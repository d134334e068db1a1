import { rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { orWarn } from "../../base/message-of.ts";
import { systemPartOf } from "../../base/release/system-report.ts";
import { overwriteFile, removeFiles, whileFolderWritable } from "../../base/system/fat-files.ts";
import { bytesOf, isThere, replaceFile, textOf } from "../../base/system/files.ts";
import { type Run, runProgram } from "../../base/system/program.ts";
import { INSISTED_WIFI } from "../ipc/wifi-state.ts";
import { type Effects, effectsOf } from "./effects.ts";
import { hasSpares, mendFile, otherNameOf, replaceSecretFile } from "./files.ts";
import type { Jumper } from "./jumpers/pins.ts";
import { jumpersPutOn } from "./jumpers/put-on.ts";
import {
  type KeptSettings,
  NOTHING_KEPT,
  parseKept,
  together,
  unseen,
  withNetworkOf,
  withSettingsOf,
} from "./kept.ts";
import { DIALECTS, FILES, MOST_BYTES, provision } from "./provision.ts";
import { report } from "./report.ts";
import { erasedAt, noteJumper, noteWish } from "./reset.ts";
import type { Settings } from "./settings.ts";
import { timeZonesIn } from "./time-zones.ts";
import { layTunnel } from "./tunnel.ts";

export interface ProvisionParts {
  /** The root of the box's files: `/`, or a folder in tests. */
  readonly root: string;
  readonly run?: Run;
  readonly isMounted?: (path: string) => boolean;
  /** Reads the jumpers of the board's header; undefined where that cannot be. None are read without it. */
  readonly jumpersOn?: () => ReadonlySet<Jumper> | undefined;
  /** Logs a problem to the journal. */
  readonly warn?: (line: string) => void;
}

const BOOT = "boot/firmware";
const KEPT = "data/system/settings.json";
const RESULT = "SETUP-RESULT.txt";
const SHOW_CODE = ["SHOW-CODE", "SHOW-CODE.txt"];
const WIFI_SET_UP = ["WIFI-SETUP", "WIFI-SETUP.txt"];
/** Where tallydeck-wifi.service finds the wish for a set-up with a phone, which the service could not write. */
const BEGIN_WIFI = `run/tallydeck-wifi/${INSISTED_WIFI}`;

/**
 * Applies the files of the boot partition to this box, and writes a report there. Secrets are removed from the boot
 * partition after the data partition has them, and a file counts as seen after the report is written. So after a power
 * cut, the next start completes the work.
 */
export function provisionBox({
  root,
  run = runProgram,
  isMounted = mountedBelow(root),
  jumpersOn = () => undefined,
  warn = console.error,
}: ProvisionParts): void {
  const boot = join(root, BOOT);
  const isData = isMounted(join(root, "data"));
  const { kept, settings, results } = provision(
    isData ? keptIn(root) : NOTHING_KEPT,
    (file) => settingsIn(join(boot, file)) ?? settingsIn(otherNameOf(join(boot, file))),
    timeZonesIn(join(root, "usr/share/zoneinfo")),
  );
  const effects = effectsOf(settings, textOf(join(root, "etc/iwd/main.conf")) ?? "");
  apply(root, effects, run);
  // After a failure the box starts without one.
  const tunnel = orWarn(warn, "The tunnel could not be made", () =>
    layTunnel(settings, { root, groupOf: groupIn(root) }),
  );
  const isNew = results.length > 0;
  // The box starts all the same.
  const keeps = () => {
    keep(root, unseen(kept));
    return true;
  };
  const stored =
    isData && (!isNew || orWarn(warn, "The data partition cannot be written", keeps) === true);
  const showCode = SHOW_CODE.some((file) => isThere(join(boot, file)));
  if (showCode) replaceFile(join(root, "run/tallydeck/show-code"), "", 0o644);
  const setsUpWifi = WIFI_SET_UP.some((file) => isThere(join(boot, file)));
  const jumpers = isData ? askedByJumpers(root, jumpersOn(), warn) : [];
  if (setsUpWifi || jumpers.includes("wifi")) replaceFile(join(root, BEGIN_WIFI), "", 0o600);
  const isAsked = showCode || setsUpWifi;
  if (isData) noteWish(root, jumpers.includes("reset"));
  const files = [...FILES.keys()].map((file) => join(boot, file));
  if ((!isNew && !isAsked && !files.some(hasSpares)) || !isMounted(boot)) return;

  // Without a data partition, the secrets have to stay on the card.
  const said = stored ? results : results.map((result) => ({ ...result, rewritten: undefined }));
  whileFolderWritable(boot, run, () => {
    for (const file of files) mendFile(file, stored);
    for (const { file, rewritten } of said)
      if (rewritten !== undefined) replaceSecretFile(join(boot, file), rewritten);
    const publicName = settings["service.PUBLIC_NAME"]?.value;
    const erased = erasedAt(root);
    const about = { hostname: effects.hostname, publicName, tunnel, stored, erased };
    // The updater's part about the system stays.
    const system = systemPartOf(textOf(join(boot, RESULT)) ?? "");
    if (isNew) overwriteFile(join(boot, RESULT), report(said, about) + system);
    // People make folders of these names too.
    removeFiles([...SHOW_CODE, ...WIFI_SET_UP].map((file) => join(boot, file)).filter(isThere));
  });
  if (stored && isNew) keep(root, kept);
}

/** The jumpers that were put on for this start. Without a memory of the last one there are none. */
function askedByJumpers(
  root: string,
  on: ReadonlySet<Jumper> | undefined,
  warn: NonNullable<ProvisionParts["warn"]>,
): readonly Jumper[] {
  if (on === undefined) return [];
  if (on.has("reset")) noteJumper(root);
  const what = "The jumpers ask for nothing, since they cannot be noted";
  return orWarn(warn, what, () => jumpersPutOn(root, on)) ?? [];
}

/** Reads one byte beyond the limit, which shows that a file is too large. */
function settingsIn(path: string): Uint8Array | undefined {
  return bytesOf(path, MOST_BYTES + 1);
}

function apply(root: string, effects: Effects, run: Run): void {
  const groupOf = groupIn(root);
  for (const { path, content, mode, group } of effects.files)
    replaceFile(join(root, path), content, mode, group && groupOf(group));
  const zone = join(root, "etc/localtime");
  rmSync(zone, { force: true });
  symlinkSync(`/usr/share/zoneinfo/${effects.timezone}`, zone);
  run("hostname", [], [effects.hostname]);
}

/** The settings of earlier starts. */
export function keptSettings(root: string): Settings {
  return together(keptIn(root), DIALECTS.keys());
}

/** Keeps a network that was joined, as if a file had named it. */
export function keepNetwork(root: string, says: Readonly<Record<string, string>>): void {
  keep(root, withNetworkOf(keptIn(root), says));
}

/** Keeps settings that were made in the Web UI, as if a file had named them. */
export function keepSettings(root: string, says: Readonly<Record<string, string>>): void {
  keep(root, withSettingsOf(keptIn(root), says));
}

/** Applies the kept name, zone and ssh keys, and no other setting. */
export function applyMachine(root: string, run: Run): void {
  const { files, ...effects } = effectsOf(keptSettings(root), "");
  apply(root, { ...effects, files: files.filter(({ path }) => OF_MACHINE.has(path)) }, run);
}

const OF_MACHINE = new Set(["/etc/hostname", "/etc/hosts", "/run/tallydeck/authorized_keys"]);

function keptIn(root: string): KeptSettings {
  return parseKept(textOf(join(root, KEPT)) ?? "");
}

function keep(root: string, kept: KeptSettings): void {
  replaceFile(join(root, KEPT), JSON.stringify(kept), 0o600);
}

export function groupIn(root: string): (name: string) => number | undefined {
  const groups = textOf(join(root, "etc/group")) ?? "";
  return (name) => {
    const [, number] = new RegExp(`^${name}:[^:]*:(\\d+):`, "m").exec(groups) ?? [];
    return number === undefined ? undefined : Number(number);
  };
}

/** Whether a folder has a file system of its own. */
export function mountedBelow(root: string): (path: string) => boolean {
  const system = statSync(root).dev;
  return (path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found !== undefined && found.dev !== system;
  };
}
