import { sha256 } from "../../base/system/secrets.ts";
import { readNetworkConfig, readUserData } from "./dialects/cloud-init.ts";
import { NOT_READ } from "./dialects/not-read.ts";
import { readPreseed } from "./dialects/preseed.ts";
import { keyOf, readEnvFile } from "./dialects/tallydeck-env.ts";
import { readWireguard } from "./dialects/wireguard.ts";
import { forget, GONE, type KeptSettings, keptFile, together, withoutWebUi } from "./kept.ts";
import { type Dialect, decodeText, type FileResult, type Finding, Findings } from "./reading.ts";
import { isOfTunnel, type Settings } from "./settings.ts";
import type { FindTimeZone } from "./time-zones.ts";
import { verdict } from "./verdict.ts";

/** The files in the order of reading. A later one wins. */
export const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ["network-config", readNetworkConfig],
  ["user-data", readUserData],
  ["rpi-preseed.toml", readPreseed],
  ["wireguard.conf", readWireguard],
  // Windows hides the `.txt` that its editor adds.
  ["tallydeck.env.txt", readEnvFile],
  ["tallydeck.env", readEnvFile],
]);

/** All files that the report mentions. */
export const FILES: ReadonlyMap<string, Dialect> = new Map([...DIALECTS, ...NOT_READ]);

/** The most a file may hold to be applied. */
export const MOST_BYTES = 64 * 1024;

interface Provisioned {
  readonly kept: KeptSettings;
  readonly settings: Settings;
  /** The results of every file present now or before; empty when none has changed. */
  readonly results: readonly FileResult[];
}

/**
 * Reads the files of the boot partition if one has changed since the last start. A removed file still counts as it was.
 * It never throws because of their content.
 * @param read returns the bytes of a file, only the beginning of one that is too large; undefined where there is none
 */
export function provision(
  before: KeptSettings,
  read: (file: string) => Uint8Array | undefined,
  findTimeZone: FindTimeZone,
): Provisioned {
  const present = [...FILES].flatMap(([file, dialect]) => {
    const bytes = read(file);
    return bytes === undefined ? [] : [{ file, dialect, bytes }];
  });
  const gone = [...DIALECTS.keys()].filter(
    (file) => before[file] !== undefined && !present.some((each) => each.file === file),
  );
  const isSeen =
    present.every(({ file, bytes }) => before[file]?.seen === hashOf(bytes)) &&
    gone.every((file) => before[file]?.seen === GONE);
  if (isSeen) return { kept: before, settings: together(before, DIALECTS.keys()), results: [] };

  let kept = before;
  const results: FileResult[] = [];
  const forgotten = new Map<string, string>();
  for (const each of present) {
    const applied = applyFile(kept, each, findTimeZone);
    for (const name of applied.forgets) forgotten.set(name, each.file);
    kept = applied.kept;
    results.push(applied.result);
  }
  for (const file of gone) {
    const says = kept[file]?.says ?? {};
    kept = { ...kept, [file]: { says, seen: GONE } };
    results.push({ file, findings: Object.keys(says).flatMap(stillSaid), isGone: true });
  }
  const settings = together(kept, DIALECTS.keys());
  return { kept, settings, results: results.flatMap((each) => verdict(each, settings, forgotten)) };
}

function applyFile(
  before: KeptSettings,
  { file, dialect, bytes }: { file: string; dialect: Dialect; bytes: Uint8Array },
  findTimeZone: FindTimeZone,
): { kept: KeptSettings; result: FileResult; forgets: ReadonlySet<string> } {
  if (bytes.length > MOST_BYTES) {
    const kept = { ...before, [file]: { says: {}, ...before[file], seen: hashOf(bytes) } };
    return { kept, result: { file, findings: [TOO_LARGE] }, forgets: new Set() };
  }
  const text = decodeText(bytes);
  const found = new Findings(findTimeZone);
  const redacted = dialect(text, found);
  const rewritten = redacted === text ? undefined : redacted;
  const seen = hashOf(rewritten === undefined ? bytes : Buffer.from(rewritten));
  const reading = found.reading();
  const read = keptFile(seen, reading, before[file]?.says);
  const isSame = before[file]?.seen === hashOf(bytes);
  const kept = { ...before, [file]: isSame ? withoutWebUi(before, read) : read };
  const forgets = new Set(
    reading.changes.filter(({ value }) => value === null).map(({ name }) => name),
  );
  const result = { file, findings: reading.findings, rewritten };
  return { kept: forget(kept, forgets), result, forgets };
}

function stillSaid(name: string): Finding[] {
  return name === "wifi.open" || isOfTunnel(name) ? [] : [{ label: keyOf(name), name }];
}

const TOO_LARGE: Finding = {
  label: "the file",
  ignored: "is larger than 64 kB: what it said before still counts",
};

function hashOf(bytes: Uint8Array): string {
  return sha256(bytes).toString("hex");
}
