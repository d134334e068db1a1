import { originOf } from "../../../../appliance/base/input/origin.ts";
import { CHANNEL_RULE, isChannelName } from "../../../../appliance/base/names.ts";
import type { Action, RequestAction, Step } from "../../../../appliance/control/wire.ts";

type ActionKind = Action["do"];

/** The actions that a slot can do, in the words of the page. */
export const ACTION_WORDS: Readonly<Record<ActionKind, { name: string; about: string }>> = {
  acknowledge: {
    name: "Mark as seen",
    about: "Says to an alarm that somebody has seen it. It calms down, and its sender can know.",
  },
  page: { name: "Show a page", about: "Turns the pages of this deck." },
  send: { name: "Send a value", about: "Gives a channel a text, as a push would." },
  clear: { name: "Clear a channel", about: "The channel waits for its next text." },
  toggle: {
    name: "Toggle",
    about: "Turns a channel on, or off where it is on. Home automation can follow it by MQTT.",
  },
  sleep: {
    name: "Put the deck to sleep",
    about: "Its keys go dark. The next press only wakes it.",
  },
  request: {
    name: "Send an HTTP request",
    about: "Calls a web hook: a light, a script, a door. The key shows what came of it.",
  },
  sequence: {
    name: "Several, one after the other",
    about: "Each step waits for the one before; the first that fails ends it.",
  },
};

/** An action of this kind to begin with. */
export function firstAction(kind: ActionKind, ownChannel: string): Action {
  switch (kind) {
    case "page":
      return { do: kind, page: "next" };
    case "send":
      return { do: kind, channel: ownChannel, text: "" };
    case "clear":
      return { do: kind, channel: ownChannel };
    case "request":
      return { do: kind, method: "POST", url: "" };
    case "sequence":
      return { do: kind, steps: [] };
    default:
      return { do: kind };
  }
}

/** A step of a sequence to begin with. */
export function firstStep(kind: Step["do"], ownChannel: string): Step {
  return kind === "pause" ? { do: kind, seconds: 1 } : (firstAction(kind, ownChannel) as Step);
}

/**
 * The part that an action still lacks before it can be done; empty when none.
 * @param origins where keys may send requests; null while it is not known
 */
export function lackOfAction(
  action: Action | Step | undefined,
  origins: readonly string[] | null,
): string {
  switch (action?.do) {
    case "send":
    case "clear":
      return lackOfChannel(action.channel);
    case "sequence":
      if (action.steps.length === 0) return "Add a step first.";
      return action.steps.map((step) => lackOfAction(step, origins)).find(Boolean) ?? "";
    case "toggle":
    case "acknowledge":
      return action.channel === undefined ? "" : lackOfChannel(action.channel);
    case "request":
      return lackOfAddress(originOf(action.url), origins);
    default:
      return "";
  }
}

function lackOfAddress(origin: string | undefined, origins: readonly string[] | null): string {
  if (origin === undefined)
    return "Type the whole address of the request, beginning with http:// or https://.";
  return origins === null || origins.includes(origin) ? "" : "Allow the address first.";
}

function lackOfChannel(channel: string): string {
  if (isChannelName(channel)) return "";
  return channel === "" ? "Name a channel first." : `A channel has ${CHANNEL_RULE}.`;
}

/** Headers as lines to edit: `Name: value`. */
export function headerLines(headers: RequestAction["headers"] = {}): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
}

/** Headers of lines as they were typed; undefined while one of them has no colon yet. */
export function readHeaderLines(lines: string): Record<string, string> | undefined {
  const pairs = lines
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => /^([^:]+):(.*)$/.exec(line.trim()));
  if (pairs.some((pair) => pair === null)) return undefined;
  return Object.fromEntries(
    pairs.map((pair) => [pair?.[1]?.trim() ?? "", pair?.[2]?.trim() ?? ""]),
  );
}
