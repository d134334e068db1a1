import type { Change } from "./reading.ts";
import { isOfNetwork, isSecret, type Settings } from "./settings.ts";

/** What the box keeps on its data partition between starts: by file, so that files do not mix. */
export type Kept = Readonly<Record<string, KeptFile>>;

export interface KeptFile {
  /** SHA-256 of the file's text as the box left it on the boot partition; "" until it has reported. */
  readonly seen: string;
  /** What the file says, and the secrets it once held. */
  readonly says: Readonly<Record<string, string>>;
}

export const NOTHING_KEPT: Kept = {};

/** What a changed file no longer says is forgotten; secrets, which it cannot hold, stay. */
export function saysNow(
  before: KeptFile["says"] = {},
  changes: readonly Change[],
): KeptFile["says"] {
  const after = new Map(Object.entries(before).filter(([name]) => isSecret(name)));
  for (const { name, value } of changes)
    if (value === null) after.delete(name);
    else after.set(name, value);
  // A password belongs to its network.
  const isNew = changes.some(({ name }) => name === "wifi.password");
  if (after.get("wifi.ssid") !== before["wifi.ssid"] && !isNew) after.delete("wifi.password");
  return Object.fromEntries(after);
}

/** What is forgotten is forgotten for all files, or it would come back from one before. */
export function forget(kept: Kept, names: readonly string[]): Kept {
  const left = (says: KeptFile["says"]) =>
    Object.fromEntries(Object.entries(says).filter(([name]) => !names.includes(name)));
  return Object.fromEntries(
    Object.entries(kept).map(([file, { seen, says }]) => [file, { seen, says: left(says) }]),
  );
}

/** What all files say together: a later one wins, ssh keys add up. */
export function together(kept: Kept, files: Iterable<string>): Settings {
  const all = new Map<string, Settings[string]>();
  for (const from of files) {
    const says = kept[from]?.says ?? {};
    const ssid = says["wifi.ssid"];
    if (ssid !== undefined && ssid !== all.get("wifi.ssid")?.value)
      for (const name of all.keys()) if (isOfNetwork(name)) all.delete(name);
    for (const [name, value] of Object.entries(says)) {
      const before = name === "ssh.keys" ? all.get(name)?.value.split("\n") : undefined;
      const lines = new Set([...(before ?? []), ...value.split("\n")]);
      all.set(name, { value: before === undefined ? value : [...lines].join("\n"), from });
    }
  }
  return Object.fromEntries(all);
}

/**
 * What the box kept, as it was stored. A text that is damaged counts as nothing kept: then every
 * file on the boot partition is applied again.
 */
export function parseKept(text: string): Kept {
  try {
    const kept: unknown = JSON.parse(text);
    return isTable(kept) && Object.values(kept).every(isKeptFile) ? (kept as Kept) : NOTHING_KEPT;
  } catch {
    return NOTHING_KEPT;
  }
}

function isKeptFile(file: unknown): boolean {
  return (
    isTable(file) &&
    typeof file.seen === "string" &&
    isTable(file.says) &&
    Object.values(file.says).every((value) => typeof value === "string")
  );
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
