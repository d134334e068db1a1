import { type Document, isMap, isScalar, isSeq, type Pair, parseDocument } from "yaml";
import { type Dialect, Findings, NO_ACCOUNTS, NOTHING_RUNS, UNKNOWN } from "./reading.ts";

/** A value of the file with the place it stands in: splices keep all else as it was written. */
interface Node {
  readonly path: readonly string[];
  readonly label: string;
  readonly value: unknown;
  readonly line: number;
  readonly range: Cut;
}

/** cloud-init's `user-data` as Raspberry Pi Imager writes it. */
export const readUserData: Dialect = (text) =>
  readYaml(text, (node, found) => {
    const { label, line } = node;
    if (label === "hostname" || label === "timezone") return take(found, label, node);
    if (/^ntp\.servers\.\d+$/.test(label)) return take(found, "time.servers", node);
    if (/^(?:users\.\d+\.)?ssh_authorized_keys\.\d+$/.test(label)) takeKeys(found, node);
    else if (!SILENT.test(label)) found.ignore(label, whyNot(label), line);
    return undefined;
  });

/** A block text may hold several keys, a line each. */
function takeKeys(found: Findings, { label, value, line }: Node): void {
  for (const key of String(value).split(/\r?\n/))
    if (key.trim() !== "") found.take("ssh.keys", key.trim(), label, line);
}

function whyNot(label: string): string {
  if (/^(?:runcmd|bootcmd|packages|package_|write_files|apt)/.test(label)) return NOTHING_RUNS;
  return /^(?:users|user|chpasswd|password|ssh_pwauth)\b/.test(label) ? NO_ACCOUNTS : UNKNOWN;
}

const SILENT =
  /^(?:manage_etc_hosts|preserve_hostname|enable_ssh|ntp\.enabled|users\.\d+\.(?:name|groups(?:\.\d+)?|shell|lock_passwd|sudo(?:\.\d+)?))$|^users\.\d+$/;

/** cloud-init's `network-config` (netplan, version 2) as Raspberry Pi Imager writes it. */
export const readNetworkConfig: Dialect = (text) => {
  let network: string | undefined;
  return readYaml(text, (node, found) => {
    const path = node.path[0] === "network" ? node.path.slice(1) : node.path;
    const [kind = "", , key = "", ssid, ...rest] = path;
    if (kind === "wifis" && key === "regulatory-domain") return take(found, "wifi.country", node);
    if (kind === "wifis" && key === "access-points" && ssid !== undefined) {
      if (network === undefined) found.take("wifi.ssid", ssid, "access-points", node.line);
      network ??= ssid;
      if (ssid === network) return takeAccessPoint(found, rest.join("."), node);
      found.ignore(node.label, "the box joins one network: the first one named", node.line);
    } else if (!/^(?:version|renderer)$/.test(kind) && !/^(?:dhcp[46]|optional)$/.test(key))
      found.ignore(node.label, "the box takes its addresses by DHCP", node.line);
    return undefined;
  });
};

function takeAccessPoint(found: Findings, what: string, node: Node): Cut | undefined {
  if (what === "hidden") return take(found, "wifi.hidden", node);
  if (what === "password" || what === "auth.password") return take(found, "wifi.password", node);
  return undefined;
}

/** @returns the place to cut out when a secret was taken */
function take(found: Findings, name: string, { label, value, line, range }: Node): Cut | undefined {
  return found.take(name, String(value), label, line) ? range : undefined;
}

type Cut = readonly [number, number];
type Visit = (node: Node, found: Findings) => Cut | undefined;

const MOST_NODES = 1_000;

/** Reads what can be read of a YAML text and cuts the secrets out. */
function readYaml(text: string, visit: Visit): ReturnType<Dialect> {
  const found = new Findings();
  const cuts: Cut[] = [];
  // cloud-init's header lines (`#cloud-config`) are comments to YAML.
  const document = parseDocument(text, { strict: false, uniqueKeys: false, logLevel: "silent" });
  for (const { message, pos } of document.errors)
    found.ignore(
      `line ${lineAt(text, pos[0])}`,
      message.split("\n")[0]?.replace(/ at line.*/, "") ?? "",
    );
  let left = MOST_NODES;
  for (const node of leaves(text, document)) {
    if (left-- === 0) {
      found.ignore("the rest", "the file holds too much");
      break;
    }
    const cut = visit(node, found);
    if (cut) cuts.push(cut);
  }
  let redacted = text;
  for (const [start, end] of cuts.sort((a, b) => b[0] - a[0]))
    redacted = `${redacted.slice(0, start)}""${redacted.slice(end)}`;
  return found.reading(redacted);
}

/** Every scalar with its path; aliases are not followed. */
function* leaves(text: string, { contents }: Document.Parsed): Generator<Node> {
  yield* walk(text, contents, []);
}

function* walk(text: string, node: unknown, path: readonly string[]): Generator<Node> {
  if (path.length > 10) return;
  if (isMap(node) && node.items.length > 0)
    for (const { key, value } of node.items as Pair[])
      yield* walk(text, value, [...path, isScalar(key) ? String(key.value) : "?"]);
  else if (isSeq(node))
    for (const [index, item] of node.items.entries())
      yield* walk(text, item, [...path, `${index}`]);
  else if ((isScalar(node) || isMap(node)) && path.length > 0) {
    const [start, end] = node.range ?? [0, 0];
    yield {
      path,
      label: path.join("."),
      value: isScalar(node) ? (node.value ?? "") : "",
      line: lineAt(text, start),
      range: [start, end],
    };
  }
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
