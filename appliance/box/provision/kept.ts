import { hasFields, isMapOf, isText, objectIn } from "../../base/input/json.ts";
import { isMadeKey } from "../ipc/wifi-rules.ts";
import type { Reading } from "./reading.ts";
import { isNetwork, isOfNetwork, isOfTunnel, isSecret, type Settings } from "./settings.ts";

/**
 * The settings that the box keeps on its data partition between starts: by file, so that files do
 * not mix.
 */
export type KeptSettings = Readonly<Record<string, KeptFile>>;

interface KeptFile {
  /** SHA-256 of the file after the box has handled it, or GONE; "" until the report is written. */
  readonly seen: string;
  /** The settings of the file, with the secrets that were removed from it. */
  readonly says: Readonly<Record<string, string>>;
}

/** Reported to be no longer on the boot partition. */
export const GONE = "gone";

export const NOTHING_KEPT: KeptSettings = {};

/** The settings that were made at the box or in the Web UI, beside those of the files. A file that names them later wins. */
const SET_UP = "the Wi-Fi set-up";

/** The name of the settings that were made there, in place of a file. */
const WEB_UI = "the Web UI";

/** Settings in place of what was named before. A file that is changed afterwards wins again. */
export function withSettingsOf(
  kept: KeptSettings,
  says: Readonly<Record<string, string>>,
): KeptSettings {
  const before = forget(kept, new Set(Object.keys(says)));
  const all = { ...before[WEB_UI]?.says, ...says };
  return { ...before, [WEB_UI]: { seen: GONE, says: all } };
}

/** A file that was not changed since, without what the owner has set in the Web UI. */
export function withoutWebUi(kept: KeptSettings, file: KeptFile): KeptFile {
  const set = kept[WEB_UI]?.says ?? {};
  const says = Object.entries(file.says).filter(([name]) => set[name] === undefined);
  return { ...file, says: Object.fromEntries(says) };
}

/** The network that was joined at last, in place of any that was named before. */
export function withNetworkOf(
  kept: KeptSettings,
  says: Readonly<Record<string, string>>,
): KeptSettings {
  const before = forget(kept, new Set(["wifi.ssid", "wifi.country"]));
  const open = says["wifi.password"] === undefined ? { "wifi.open": "1" } : {};
  return { ...before, [SET_UP]: { seen: GONE, says: { ...says, ...open } } };
}

/**
 * The file as it is kept now. Settings that it no longer makes are forgotten; secrets, which it
 * cannot hold, stay, and so does the network it had when it names one that cannot be joined.
 */
export function keptFile(seen: string, reading: Reading, before: KeptFile["says"] = {}): KeptFile {
  const { changes, isNetworkRefused, isPasswordBlank } = reading;
  const stays = (name: string) =>
    isSecret(name) ||
    (isNetworkRefused && isNetwork(name)) ||
    (isPasswordBlank && name === "wifi.open");
  const isOther = isOtherNetwork(reading, before);
  const after = new Map(
    Object.entries(before).filter(([name]) => stays(name) && !(isOther && isOfNetwork(name))),
  );
  for (const { name, value } of changes)
    if (value === null) after.delete(name);
    else after.set(name, value);
  return { seen, says: Object.fromEntries(after) };
}

/**
 * A password belongs to its network. Only above a blank line for the password is another name the
 * same network's, corrected; a hashed key is made of the name, and useless with another.
 */
function isOtherNetwork(
  { changes, isNetworkRefused, isPasswordBlank }: Reading,
  before: KeptFile["says"],
): boolean {
  const ssid = changes.find(({ name }) => name === "wifi.ssid")?.value;
  const earlier = before["wifi.ssid"];
  if (isNetworkRefused || earlier === undefined || ssid === earlier) return false;
  return !(isPasswordBlank && ssid && !isMadeKey(before["wifi.password"] ?? ""));
}

/** The settings with every file unseen, so that each is read again at the next start. */
export function unseen(kept: KeptSettings): KeptSettings {
  return Object.fromEntries(
    Object.entries(kept).map(([name, file]) => [name, { ...file, seen: "" }]),
  );
}

/**
 * Forgets settings for all files, so that none comes back from an earlier one.
 */
export function forget(kept: KeptSettings, names: ReadonlySet<string>): KeptSettings {
  const isForgotten = (name: string) =>
    names.has(name) ||
    (isOfNetwork(name) && names.has("wifi.ssid")) ||
    (isOfTunnel(name) && names.has("tunnel"));
  const left = (says: KeptFile["says"]) => ({
    ...Object.fromEntries(Object.entries(says).filter(([name]) => !isForgotten(name))),
    ...(names.has("wifi.password") && says["wifi.ssid"] !== undefined && { "wifi.open": "1" }),
  });
  return Object.fromEntries(
    Object.entries(kept).map(([name, file]) => [name, { ...file, says: left(file.says) }]),
  );
}

/**
 * The settings of all files together: a later one wins, ssh keys add up. A network is joined with
 * its password, or where the last word is that it is open.
 */
export function together(kept: KeptSettings, files: Iterable<string>): Settings {
  const all = new Map<string, Settings[string]>();
  for (const from of [SET_UP, WEB_UI, ...files]) {
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
  if (!all.has("wifi.password") && all.get("wifi.open")?.value !== "1") all.delete("wifi.ssid");
  all.delete("wifi.open");
  return Object.fromEntries(all);
}

/**
 * Reads the kept settings as they were stored. A text that is damaged counts as nothing kept: then
 * every file on the boot partition is applied again.
 */
export function parseKept(text: string): KeptSettings {
  return (
    objectIn(text, isMapOf(hasFields({ seen: isText, says: isMapOf(isText) }))) ?? NOTHING_KEPT
  );
}
