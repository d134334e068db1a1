import { type Dialect, type Findings, NO_ACCOUNTS, NOTHING_RUNS, UNKNOWN } from "../reading.ts";
import { type Cut, type Leaf, readYaml } from "./yaml.ts";

/** cloud-init's `user-data` as Raspberry Pi Imager writes it. */
export const readUserData: Dialect = (text, found) =>
  readYaml(text, found, (leaves) => {
    for (const leaf of leaves) takeUserData(found, leaf);
    return [];
  });

function takeUserData(found: Findings, leaf: Leaf): void {
  const { label, line, value } = leaf;
  if (label === "hostname" || label === "timezone") take(found, label, leaf);
  else if (/^ntp\.servers\.\d+$/.test(label)) take(found, "time.servers", leaf);
  else if (KEYS.test(label)) takeKeys(found, leaf);
  else if (!SILENT.test(label)) found.ignore(label, whyNot(label), line, value);
}

const KEYS = /^(?:users\.\d+\.|user\.)?ssh_authorized_keys(?:\.\d+)?$/;

/** A block text may hold several keys, a line each. */
function takeKeys(found: Findings, { label, value, line }: Leaf): void {
  for (const key of value.split(/\r?\n/))
    if (key.trim() !== "") found.take("ssh.keys", key.trim(), label, line);
}

function whyNot(label: string): string {
  if (/^(?:runcmd|bootcmd|packages|package_|write_files|apt)/.test(label)) return NOTHING_RUNS;
  return /^(?:users|user|chpasswd|password|ssh_pwauth)\b/.test(label) ? NO_ACCOUNTS : UNKNOWN;
}

const SILENT =
  /^(?:manage_etc_hosts|manage_resolv_conf|preserve_hostname|enable_ssh|ntp\.enabled|(?:users\.\d+|user)\.(?:name|groups(?:\.\d+)?|shell|lock_passwd|sudo(?:\.\d+)?))$|^users\.\d+$/;

/** cloud-init's `network-config` (netplan, version 2) as Raspberry Pi Imager writes it. */
export const readNetworkConfig: Dialect = (text, found) =>
  readYaml(text, found, (leaves) => {
    const places = leaves.map(placeOf);
    const network = places.find(({ ssid }) => ssid !== undefined);
    for (const { leaf, point, what } of places)
      if (point === network?.point && what === "auth.key-management")
        found.checkKeyManagement(leaf.value, leaf.label, leaf.line);
    if (network?.ssid !== undefined)
      found.take("wifi.ssid", network.ssid, "access-points", network.leaf.line);
    return places
      .map((place) => takeNetwork(found, place, network?.point))
      .filter((cut) => cut !== undefined);
  });

interface NetplanLeaf {
  readonly leaf: Leaf;
  readonly kind: string;
  readonly key: string;
  readonly ssid: string | undefined;
  /** The access point: one network may be named under each of two interfaces. */
  readonly point: string | undefined;
  /** The value that is given for the access point. */
  readonly what: string;
}

function placeOf(leaf: Leaf): NetplanLeaf {
  const path = leaf.path[0] === "network" ? leaf.path.slice(1) : leaf.path;
  const [kind = "", , key = "", ssid, ...rest] = path;
  const isPoint = kind === "wifis" && key === "access-points";
  const point = isPoint && ssid !== undefined ? path.slice(0, 4).join("\0") : undefined;
  return { leaf, kind, key, ssid: isPoint ? ssid : undefined, point, what: rest.join(".") };
}

/** @returns the place to cut out when a secret was taken */
function takeNetwork(
  found: Findings,
  { leaf, kind, key, point, what }: NetplanLeaf,
  network: string | undefined,
): Cut | undefined {
  if (kind === "wifis" && key === "regulatory-domain") return take(found, "wifi.country", leaf);
  if (point !== undefined) {
    if (point === network) return takeAccessPoint(found, what, leaf);
    found.ignore(leaf.label, "the box joins one network: the first named", leaf.line, leaf.value);
  } else if (!/^(?:version|renderer)$/.test(kind) && !/^(?:dhcp[46]|optional)$/.test(key))
    found.ignore(leaf.label, "the box takes its addresses by DHCP", leaf.line, leaf.value);
  return undefined;
}

function takeAccessPoint(found: Findings, what: string, leaf: Leaf): Cut | undefined {
  if (what === "hidden") return take(found, "wifi.hidden", leaf);
  if (what === "password" || what === "auth.password") return take(found, "wifi.password", leaf);
  if (/^(?:auth\.)?password\./.test(what))
    found.refusePassword(leaf.label, "must be one text", leaf.line);
  else if (what !== "" && what !== "auth.key-management")
    found.ignore(leaf.label, UNKNOWN, leaf.line, leaf.value);
  return undefined;
}

/** @returns the place to cut out when a secret was taken */
function take(found: Findings, name: string, { label, value, line, range }: Leaf): Cut | undefined {
  return found.take(name, value, label, line) ? range : undefined;
}
