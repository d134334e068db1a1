import { createHash } from "node:crypto";
import { readNetworkConfig, readUserData } from "./cloud-init.ts";
import { readEnvFile } from "./env-file.ts";
import { readPreseed } from "./preseed.ts";
import { type Change, type Dialect, decodeText, type Finding, Findings } from "./reading.ts";
import { isSecret, type Settings } from "./settings.ts";
import type { FindTimeZone } from "./time-zones.ts";

/** The files that are read, in this order: what a later one says wins. */
export const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ["network-config", readNetworkConfig],
  ["user-data", readUserData],
  ["rpi-preseed.toml", readPreseed],
  ["tallydeck.env", readEnvFile],
]);

const MOST_BYTES = 256 * 1024;

/** What the box keeps on its data partition between starts. */
export interface Kept {
  readonly settings: Settings;
  /** File → SHA-256 of its text as it was left on the boot partition. */
  readonly seen: Readonly<Record<string, string>>;
}

export const NOTHING_KEPT: Kept = { settings: {}, seen: {} };

/** What came of one file that was new or had changed. */
export interface FileResult {
  readonly file: string;
  readonly findings: readonly Finding[];
  /** Its text without secrets, when it holds some that are kept now. */
  readonly rewritten: string | undefined;
}

export interface Provisioned {
  readonly kept: Kept;
  /** Empty when no file has changed. */
  readonly results: readonly FileResult[];
}

/**
 * Reads the files that changed since the box saw them last and merges them into what it keeps.
 * `read` gives a file's bytes, or undefined when there is none. Never throws for what is in them.
 */
export function provision(
  before: Kept,
  read: (file: string) => Uint8Array | undefined,
  findTimeZone: FindTimeZone,
): Provisioned {
  let settings = before.settings;
  const seen: Record<string, string> = { ...before.seen };
  const results: FileResult[] = [];
  for (const [file, dialect] of DIALECTS) {
    const bytes = read(file);
    if (bytes === undefined || seen[file] === hashOf(bytes)) continue;
    if (bytes.length > MOST_BYTES) {
      seen[file] = hashOf(bytes);
      results.push({
        file,
        findings: [{ label: "the file", ignored: "is larger than 256 kB" }],
        rewritten: undefined,
      });
      continue;
    }
    const text = decodeText(bytes);
    const found = new Findings(findTimeZone);
    const redacted = dialect(text, found);
    settings = merge(settings, file, found.changes);
    const rewritten = redacted === text ? undefined : redacted;
    seen[file] = rewritten === undefined ? hashOf(bytes) : hashOf(Buffer.from(rewritten));
    results.push({ file, findings: found.findings, rewritten });
  }
  return { kept: { settings, seen }, results };
}

/** What a changed file no longer says is forgotten; secrets, which it cannot hold, stay. */
function merge(before: Settings, from: string, changes: readonly Change[]): Settings {
  const ssidBefore = before["wifi.ssid"]?.value;
  const after = new Map(
    Object.entries(before).filter(([name, setting]) => setting.from !== from || isSecret(name)),
  );
  for (const { name, value } of changes) {
    if (value === null) after.delete(name);
    else after.set(name, { value, from });
  }
  // A password belongs to its network.
  const says = changes.some(({ name }) => name === "wifi.password");
  if (after.get("wifi.ssid")?.value !== ssidBefore && !says) after.delete("wifi.password");
  return Object.fromEntries(after);
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * What the box kept, as it was stored. A text that is damaged counts as nothing kept: then every
 * file on the boot partition is applied again.
 */
export function parseKept(text: string): Kept {
  try {
    const { settings, seen } = JSON.parse(text) as Partial<Kept>;
    const sound =
      isTable(settings) &&
      isTable(seen) &&
      Object.values(seen).every((hash) => typeof hash === "string") &&
      Object.values(settings).every(
        (setting: unknown) =>
          isTable(setting) && typeof setting.value === "string" && typeof setting.from === "string",
      );
    return sound ? { settings, seen } : NOTHING_KEPT;
  } catch {
    return NOTHING_KEPT;
  }
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
