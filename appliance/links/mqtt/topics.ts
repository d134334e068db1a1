import { isChannelName, looksLikeSiteId } from "../../base/names.ts";

/** Every topic of this box. `base` is the prefix and the box's id. */

export function baseTopic(prefix: string, box: string): string {
  return `${prefix}/${box}`;
}

/** The id of the box among Home Assistant's devices. */
export function deviceId(box: string): string {
  return `tallydeck_${box}`;
}

/** The topic of the box's document for Home Assistant. */
export function configTopic(discovery: string, box: string): string {
  return `${discovery}/device/${deviceId(box)}/config`;
}

/** The topic at which Home Assistant reports its start. */
export function birthTopic(discovery: string): string {
  return `${discovery}/status`;
}

export const availabilityTopic = (base: string) => `${base}/availability`;
export const channelTopic = (base: string, channel: string) => `${base}/channel/${channel}/state`;
export const channelCommand = (base: string, channel: string) => `${base}/channel/${channel}/set`;
const acknowledgeCommand = (base: string, channel: string) =>
  `${base}/channel/${channel}/acknowledge/set`;
export const notifyCommand = (base: string) => `${base}/notify`;
/** AWTRIX's own topic for a notification that was seen. */
const dismissCommand = (base: string) => `${notifyCommand(base)}/dismiss`;
export const siteTopic = (base: string, site: string) => `${base}/site/${site}/state`;
export const placesTopic = (base: string) => `${base}/places/state`;
export const deckTopic = (base: string, deck: string) => `${base}/deck/${deck}/state`;
export const deckCommand = (base: string, deck: string, what: string) =>
  `${base}/deck/${deck}/${what}/set`;
export const deckImage = (base: string, deck: string) => `${base}/deck/${deck}/image`;
export const slotEvent = (base: string, deck: string, slot: string) =>
  `${base}/deck/${deck}/${slot}/event`;

/** The commands to the box: filters to subscribe to. */
export function commandFilters(base: string): string[] {
  return [
    channelCommand(base, "+"),
    acknowledgeCommand(base, "+"),
    `${base}/custom/+`,
    notifyCommand(base),
    dismissCommand(base),
    `${base}/deck/+/+/set`,
  ];
}

/** A filter for all topics in a tree, to subscribe to, and for the advice on rights. */
export const treeOf = (prefix: string) => `${prefix}/#`;

/**
 * The messages that the broker keeps for the box: filters that find those without an owner. No
 * pictures, which are large: they go with the state of their deck.
 */
export function keptFilters(base: string): string[] {
  return [channelTopic(base, "+"), siteTopic(base, "+"), deckTopic(base, "+"), placesTopic(base)];
}

/**
 * The topics that go together with one that a box with this base keeps at the broker, itself first;
 * none for a topic that no box could have made: every client that may write there can invent some.
 */
export function keptWith(topic: string, base: string): string[] {
  if (!topic.startsWith(`${base}/`)) return [];
  const [kind, name = "", ...rest] = topic.slice(base.length + 1).split("/");
  if (kind === "availability" && name === "") return [topic];
  if (topic === placesTopic(base)) return [topic];
  if (rest.join("/") !== "state") return [];
  if (kind === "channel" && isChannelName(name) && name === name.toLowerCase()) return [topic];
  if (kind === "site" && looksLikeSiteId(name)) return [topic];
  return kind === "deck" && isDeckId(name) ? [topic, deckImage(base, name)] : [];
}

/** Decks are called by model and serial number, which on USB has 126 characters at most. */
function isDeckId(name: string): boolean {
  return name.length <= 192 && /^[a-z0-9-]+$/.test(name);
}

/** The command of a topic; undefined for a topic that is none. */
export function commandIn(
  base: string,
  topic: string,
):
  | { kind: "channel" | "acknowledge" | "custom"; channel: string }
  | { kind: "notify" | "dismiss" }
  | { kind: "deck"; deck: string; what: string }
  | undefined {
  if (!topic.startsWith(`${base}/`)) return undefined;
  const [kind, name = "", third, fourth, ...rest] = topic.slice(base.length + 1).split("/");
  if (rest.length > 0) return undefined;
  if (topic === notifyCommand(base)) return { kind: "notify" };
  if (topic === dismissCommand(base)) return { kind: "dismiss" };
  if (kind === "custom" && third === undefined) return { kind: "custom", channel: name };
  if (kind === "channel" && third === "set" && fourth === undefined)
    return { kind: "channel", channel: name };
  if (kind === "channel" && third === "acknowledge" && fourth === "set")
    return { kind: "acknowledge", channel: name };
  if (kind === "deck" && third !== undefined && fourth === "set")
    return { kind: "deck", deck: name, what: third };
  return undefined;
}

export function resultTopic(command: string): string {
  return command.endsWith("/set")
    ? `${command.slice(0, -"set".length)}result`
    : `${command}/result`;
}

/** A name in the characters that Home Assistant takes in ids: two names never become one. */
export function idPart(name: string): string {
  return name.replaceAll("_", "__").replaceAll(".", "_-");
}

/** Bytes of the longest topic: ours have some hundred. */
export const MAX_TOPIC = 512;

/**
 * Whether a topic may be published. A broker would end the connection over any other topic, each time it is sent
 * again.
 */
export function isTopic(topic: string): boolean {
  return (
    topic !== "" &&
    Buffer.byteLength(topic) <= MAX_TOPIC &&
    !/[+#\0]/.test(topic) &&
    topic.isWellFormed()
  );
}
