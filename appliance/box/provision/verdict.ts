import { isMadeKey } from "../ipc/wifi-rules.ts";
import { type FileResult, type Finding, NOT_JOINED, SEE_WHY } from "./reading.ts";
import { FORGET, isOfNetwork, isPlainPassword, type Settings } from "./settings.ts";
import { tunnelOf } from "./tunnel.ts";

/** The last file that cleared a setting, by setting. */
type Forgotten = ReadonlyMap<string, string>;

/** The outcome of one file, with the settings of all files; nothing for a removed file without effect. */
export function verdict(
  result: FileResult,
  settings: Settings,
  forgotten: Forgotten,
): FileResult[] {
  const namesNetwork = result.findings.some(({ name }) => name === "wifi.ssid");
  const isLeftOut = namesNetwork && settings["wifi.ssid"] === undefined;
  const findings = result.findings.flatMap((finding): Finding[] => {
    if (finding.unlessJoined !== undefined)
      return isLeftOut ? [{ ...finding, ignored: finding.unlessJoined }] : [];
    const why = finding.ignored ?? whyNot(finding, result.file, settings, forgotten);
    if (why !== undefined) return [{ ...finding, ignored: withNetwork(why, settings) }];
    const note = noteOf(finding, settings);
    return [note === "" ? finding : { ...finding, note }];
  });
  if (!result.isGone) return [{ ...result, findings }];
  const counting = findings.filter(({ ignored }) => ignored === undefined);
  return counting.length === 0 ? [] : [{ ...result, findings: counting }];
}

/** The reason that a correct setting is not applied from this file. */
function whyNot(
  { name = "", forgets }: Finding,
  file: string,
  settings: Settings,
  forgotten: Forgotten,
): string | undefined {
  const counts = settings[name] ?? (isOfNetwork(name) ? settings["wifi.ssid"] : undefined);
  if (settings[name] === undefined) {
    const by = forgotten.get(name);
    if (by !== undefined) return forgets ? undefined : `${by} says ${FORGET}, and that counts`;
    if (name === "wifi.ssid") return NOT_JOINED;
  }
  const winner = counts?.from ?? file;
  return name === "ssh.keys" || winner === file
    ? undefined
    : `${winner} says it too, and that counts`;
}

function noteOf({ name = "", forgets }: Finding, settings: Settings): string {
  if (forgets) return settings[name] === undefined ? "the box has none any more" : "";
  if (name === "wifi.ssid") return networkNotes(settings).join("; ");
  if (name === "tunnel") return tunnelNote(settings);
  const isAlone = name === "wifi.password" && settings["wifi.ssid"] === undefined;
  return isAlone ? "is for no network: give its name as WIFI_SSID" : "";
}

function tunnelNote(settings: Settings): string {
  const tunnel = tunnelOf(settings);
  const notes = [`to ${tunnel?.endpoint}`];
  if (!tunnel?.allowed.some((block) => /^(?:0\.0\.0\.0|::)\/[01]$/.test(block)))
    notes.push(NOT_ALL);
  if (tunnel?.presharedKey === "") notes.push(NO_PRESHARED_KEY);
  return notes.join("; ");
}

/** A network that is refused leaves the one the box had. */
function withNetwork(why: string, settings: Settings): string {
  const hex = settings["wifi.ssid"]?.value;
  if (why !== NOT_JOINED || hex === undefined) return why;
  const name = Buffer.from(hex, "hex").toString().replace(/\p{C}/gu, "?");
  return `is not applied, ${SEE_WHY}; the box joins ${name} with what it kept`;
}

function networkNotes(settings: Settings): string[] {
  const password = settings["wifi.password"]?.value;
  const notes = settings["wifi.country"] === undefined ? [NO_COUNTRY] : [];
  if (password === undefined) return ["an open network, without a password", ...notes];
  if (isPlainPassword(password)) return notes;
  return [isMadeKey(password) ? HASHED_KEY : OTHER_SIGNS, ...notes];
}

const NOT_ALL =
  "visitors of other addresses than AllowedIPs names are shut out: write 0.0.0.0/0 for all";
const NO_PRESHARED_KEY = "its PresharedKey is empty, and the box has none: write it again";
const NO_COUNTRY = "without WIFI_COUNTRY some channels stay closed";
const HASHED_KEY =
  "with a hashed key, which works with WPA2 only. If the router also offers WPA3, write the password itself as WIFI_PASSWORD in tallydeck.env";
const OTHER_SIGNS =
  "with a password of other signs than ASCII, which works with WPA2 only. If the router also offers WPA3, give it a password of plain letters and digits";
