import { createHash } from "node:crypto";
import type { Channels } from "./channels.ts";
import type { Status } from "./push-body.ts";

/** Something that a monitoring system watches, and that is not well. */
export interface Alert {
  /** The key of the alert, unique in its channel. */
  key: string;
  name: string;
  /** The trouble, in a line. */
  summary?: string;
  status: "warn" | "fail";
  /** The number of alerts that it represents; one unless given. */
  count?: number;
}

/** A report of a system on all its alerts of one channel. */
export interface AlertReport {
  /** The report takes the place of the one before under this name. */
  source: string;
  firing: readonly Alert[];
  /** Keys of resolved alerts. */
  resolved: readonly string[];
  /** The text to show when nothing fires. */
  name: string;
}

interface KnownAlert extends Alert {
  source: string;
}

/** The most alerts of a channel that are kept, the worst ones. */
const MAX_ALERTS = 256;
const NAMED = 3;

/** Sums up reports of monitoring systems: a channel shows the worst alert, and the number of firing ones. */
export class Alerts {
  readonly #channels: Channels;
  /** Firing alerts, by channel and key. They are in memory only, since systems repeat them. */
  readonly #firing = new Map<string, Map<string, KnownAlert>>();

  constructor(channels: Channels) {
    this.#channels = channels;
    channels.stepped.on(({ channel, to }) => {
      if (to === "waiting") this.#firing.delete(channel);
    });
  }

  /** @returns how many fire @throws {Refusal} `channel_limit` */
  report(channel: string, { source, firing, resolved, name }: AlertReport): number {
    const before = this.#firing.get(channel) ?? new Map<string, KnownAlert>();
    const others = [...before].filter(([, known]) => known.source !== source);
    const all = new Map<string, KnownAlert>(others);
    for (const alert of firing) all.set(alert.key, { ...alert, source });
    const alerts = worstFirst([...all.values()]).slice(0, MAX_ALERTS);
    const now = new Map(alerts.map((alert) => [alert.key, alert]));
    if (now.size === 0) this.#resolve(channel, name, [...before.keys(), ...resolved]);
    else this.#fire(channel, alerts, before);
    // The alerts are kept only once the channel has taken them.
    if (now.size > 0) this.#firing.set(channel, now);
    else this.#firing.delete(channel);
    return countOf(alerts);
  }

  /**
   * Updates a firing message. It stays acknowledged as long as no other alert fires, and none gets worse.
   */
  #fire(
    channel: string,
    alerts: readonly KnownAlert[],
    before: ReadonlyMap<string, KnownAlert>,
  ): void {
    const shown = this.#channels.get(channel);
    const all = idOf(alerts.map(({ key }) => key));
    const status = alerts[0]?.status ?? "fail";
    // Alerts from before a restart are known by the shown message alone.
    const isNews =
      before.size > 0
        ? alerts.some((alert) => isNewsAfter(alert, before.get(alert.key)))
        : !isFor(shown?.id, all) || isWorse(status, shown?.status);
    const id = isNews ? another(all, shown?.id) : (shown?.id ?? all);
    this.#channels.set(channel, { text: textOf(alerts), status, hold: true, id });
  }

  /** Resolves alerts. After a restart the others are unknown, so only a report with all of them resolves the channel. */
  #resolve(channel: string, name: string, keys: readonly string[]): void {
    const shown = this.#channels.get(channel);
    const isUnknown = !this.#firing.has(channel) && shown?.id !== undefined;
    const isOpen = shown?.state === "firing" || shown?.state === "acknowledged";
    if (isUnknown && isOpen && !isFor(shown.id, idOf(keys))) return;
    const id = shown?.id ?? idOf(keys);
    this.#channels.set(channel, { text: name, status: "ok", hold: true, id });
  }
}

/** @param before undefined for an alert that did not fire */
function isWorse(now: Alert["status"], before: Status | undefined): boolean {
  return before === undefined || (now === "fail" && before === "warn");
}

function isNewsAfter(alert: Alert, before: Alert | undefined): boolean {
  return isWorse(alert.status, before?.status) || countOf([alert]) > countOf([before ?? alert]);
}

function countOf(alerts: readonly Alert[]): number {
  return alerts.reduce((sum, { count = 1 }) => sum + count, 0);
}

const AGAIN = "-";

/** An id for these alerts that differs from the shown one, which would count as no news. */
function another(all: string, shown: string | undefined): string {
  return shown === all ? all + AGAIN : all;
}

function isFor(id: string | undefined, all: string): boolean {
  return id === all || id === all + AGAIN;
}

function worstFirst<A extends Alert>(alerts: readonly A[]): A[] {
  return alerts.toSorted((a, b) => Number(b.status === "fail") - Number(a.status === "fail"));
}

function textOf(alerts: readonly Alert[]): string {
  const [first] = alerts;
  if (alerts.length === 1 && first !== undefined)
    return first.summary === undefined ? first.name : `${first.name}\n${first.summary}`;
  const count = `${countOf(alerts)}${alerts.length < MAX_ALERTS ? "" : "+"}`;
  return [`${count} firing`, ...alerts.slice(0, NAMED).map(({ name }) => name)].join("\n");
}

/** An id of alerts that does not depend on their order. */
function idOf(keys: readonly string[]): string {
  const sorted = [...new Set(keys)].sort();
  return createHash("sha256").update(JSON.stringify(sorted)).digest("hex").slice(0, 32);
}
