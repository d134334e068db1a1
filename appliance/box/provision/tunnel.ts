import { createPrivateKey, createPublicKey, randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { replaceFile, textOf } from "../../base/system/files.ts";
import { isTunnelKey, readTunnel, type Tunnel } from "../../base/system/wireguard.ts";
import { TUNNEL, type TunnelState } from "../ipc/tunnel.ts";
import type { Settings } from "./settings.ts";

/** The file of the tunnel that was pasted in the Web UI. */
export const PASTED = "data/system/wireguard.conf";
/** The file of a key that the box has made, for a tunnel without one. */
const OWN_KEY = "data/system/wireguard.key";
const NETDEV = `run/systemd/network/40-${TUNNEL}.netdev`;
const NETWORK = `run/systemd/network/40-${TUNNEL}.network`;
/** The state for display by the service. */
const STATE = "run/tallydeck-tunnel/state.json";
/** The table of the routes back, beside the box's own. */
const TABLE = 51_820;

interface TunnelOptions {
  readonly root: string;
  readonly groupOf: (name: string) => number | undefined;
}

/**
 * Writes the files of the box's tunnel, which is the one of the card, or else the one pasted in the Web UI. Without a
 * tunnel it removes them.
 * @returns the state of the tunnel
 */
export function layTunnel(
  settings: Settings,
  { root, groupOf }: TunnelOptions,
): TunnelState | undefined {
  const fromCard = tunnelOf(settings);
  const tunnel = fromCard ?? readTunnel(textOf(join(root, PASTED)) ?? "").tunnel;
  if (tunnel === undefined) {
    for (const file of [NETDEV, NETWORK, STATE]) rmSync(join(root, file), { force: true });
    return undefined;
  }
  const key = tunnel.privateKey || ownKey(join(root, OWN_KEY));
  const { addresses, endpoint } = tunnel;
  const state = {
    declared: fromCard !== undefined,
    endpoint,
    addresses,
    publicKey: publicKeyOf(key),
  };
  const group = groupOf("systemd-network");
  replaceFile(join(root, NETDEV), netdev(tunnel, key), 0o640, group);
  replaceFile(join(root, NETWORK), network(tunnel), 0o644);
  replaceFile(join(root, STATE), JSON.stringify(state), 0o644);
  return state;
}

/** The tunnel of the card. A blank key is the one that the box has taken from there. */
export function tunnelOf(settings: Settings): Tunnel | undefined {
  const { tunnel } = readTunnel(settings.tunnel?.value.replaceAll("|", "\n") ?? "");
  if (tunnel === undefined) return undefined;
  const kept = (line: string | undefined, name: string) =>
    line === undefined ? undefined : (settings[name]?.value ?? line);
  return {
    ...tunnel,
    privateKey: kept(tunnel.privateKey, "tunnel.private-key"),
    presharedKey: kept(tunnel.presharedKey, "tunnel.preshared-key"),
  };
}

/** The .netdev file, see systemd.netdev(5). The allowed blocks become no routes. */
function netdev(tunnel: Tunnel, key: string): string {
  return [
    "[NetDev]",
    `Name=${TUNNEL}`,
    "Kind=wireguard",
    `MTUBytes=${tunnel.mtu}`,
    "[WireGuard]",
    `PrivateKey=${key}`,
    "RouteTable=off",
    "[WireGuardPeer]",
    `PublicKey=${tunnel.publicKey}`,
    ...(tunnel.presharedKey ? [`PresharedKey=${tunnel.presharedKey}`] : []),
    `Endpoint=${tunnel.endpoint}`,
    `AllowedIPs=${tunnel.allowed.join(",")}`,
    `PersistentKeepalive=${tunnel.keepalive}`,
    "",
  ].join("\n");
}

/** The .network file, see systemd.network(5). Only traffic from the box's address in the tunnel goes there. */
function network({ addresses }: Tunnel): string {
  const length = (address: string) => (address.includes(":") ? 128 : 32);
  const families = new Set(
    addresses.map((address) => (address.includes(":") ? "::/0" : "0.0.0.0/0")),
  );
  return [
    "[Match]",
    `Name=${TUNNEL}`,
    "[Link]",
    "RequiredForOnline=no",
    "[Network]",
    ...addresses.map((address) => `Address=${address}/${length(address)}`),
    "LinkLocalAddressing=no",
    "IPv6AcceptRA=no",
    "LLMNR=no",
    "MulticastDNS=no",
    ...addresses.flatMap((address) => [
      "[RoutingPolicyRule]",
      `From=${address}/${length(address)}`,
      `Table=${TABLE}`,
    ]),
    ...[...families].flatMap((all) => ["[Route]", `Destination=${all}`, `Table=${TABLE}`]),
    "",
  ].join("\n");
}

/** The box's own key, made once. Without a data partition it is a new one at each start, which no server knows. */
function ownKey(path: string): string {
  const kept = textOf(path)?.trim() ?? "";
  if (isTunnelKey(kept)) return kept;
  const made = randomBytes(KEY_BYTES).toString("base64");
  replaceFile(path, `${made}\n`, 0o600);
  return made;
}

/** RFC 7748: the public half of an X25519 key; both as WireGuard writes them. */
function publicKeyOf(key: string): string {
  const der = Buffer.concat([PKCS8_X25519, Buffer.from(key, "base64")]);
  const made = createPublicKey(createPrivateKey({ key: der, format: "der", type: "pkcs8" }));
  return made.export({ format: "der", type: "spki" }).subarray(-KEY_BYTES).toString("base64");
}

const KEY_BYTES = 32;
/** The bytes before a key in PKCS #8: RFC 8410, section 7. */
const PKCS8_X25519 = Buffer.from("302e020100300506032b656e04220420", "hex");
