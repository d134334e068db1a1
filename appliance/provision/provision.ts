import { createHash } from "node:crypto";
import { readNetworkConfig, readUserData } from "./cloud-init.ts";
import { readEnvFile } from "./env-file.ts";
import { forget, type Kept, keptFile, together } from "./kept.ts";
import { NOT_READ } from "./not-read.ts";
import { readPreseed } from "./preseed.ts";
import { type Dialect, decodeText, type Finding, Findings } from "./reading.ts";
import type { Settings } from "./settings.ts";
import type { FindTimeZone } from "./time-zones.ts";
import { verdict } from "./verdict.ts";

/** The files that are read, in this order: what a later one says wins. */
export const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ["network-config", readNetworkConfig],
  ["user-data", readUserData],
  ["rpi-preseed.toml", readPreseed],
  // Windows hides the `.txt` that its editor adds.
  ["tallydeck.env.txt", readEnvFile],
  ["tallydeck.env", readEnvFile],
]);

/** All files of which the report has something to say. */
export const FILES: ReadonlyMap<string, Dialect> = new Map([...DIALECTS, ...NOT_READ]);

const MOST_BYTES = 256 * 1024;

/** What came of one file. */
export interface FileResult {
  readonly file: string;
  readonly findings: readonly Finding[];
  /** Its text without secrets, when it holds some that are kept now. */
  readonly rewritten: string | undefined;
}

export interface Provisioned {
  readonly kept: Kept;
  readonly settings: Settings;
  /** Of every file there is; empty when none has changed. */
  readonly results: readonly FileResult[];
}

/**
 * Reads the boot partition's files when one has changed since the box saw it last. A file that is
 * gone still counts as it was. `read` gives a file's bytes, or undefined when there is none. Never
 * throws for what is in them.
 */
export function provision(
  before: Kept,
  read: (file: string) => Uint8Array | undefined,
  findTimeZone: FindTimeZone,
): Provisioned {
  const present = [...FILES].flatMap(([file, dialect]) => {
    const bytes = read(file);
    return bytes === undefined ? [] : [{ file, dialect, bytes }];
  });
  if (present.every(({ file, bytes }) => before[file]?.seen === hashOf(bytes)))
    return { kept: before, settings: together(before, DIALECTS.keys()), results: [] };

  let kept = before;
  const results: FileResult[] = [];
  for (const { file, dialect, bytes } of present) {
    if (bytes.length > MOST_BYTES) {
      kept = { ...kept, [file]: { says: {}, ...before[file], seen: hashOf(bytes) } };
      results.push({ file, findings: [TOO_LARGE], rewritten: undefined });
      continue;
    }
    const text = decodeText(bytes);
    const found = new Findings(findTimeZone);
    const redacted = dialect(text, found);
    const rewritten = redacted === text ? undefined : redacted;
    const seen = hashOf(rewritten === undefined ? bytes : Buffer.from(rewritten));
    const reading = found.reading();
    kept = { ...kept, [file]: keptFile(seen, reading, kept[file]?.says) };
    kept = forget(kept, reading.changes);
    results.push({ file, findings: reading.findings, rewritten });
  }
  const settings = together(kept, DIALECTS.keys());
  return { kept, settings, results: results.map((result) => verdict(result, settings)) };
}

const TOO_LARGE: Finding = {
  label: "the file",
  ignored: "is larger than 256 kB: what it said before still counts",
};

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
