import { createHash } from "node:crypto";
import { Refusal } from "../../base/refusal.ts";
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
  /** Identities of the reporter, the first its own: the report takes the place of any before under one of them. */
  sources: readonly [string, ...string[]];
  firing: readonly Alert[];
  /** Keys of resolved alerts. */
  resolved: readonly string[];
  /** The text to show when nothing fires. */
  name: string;
  /** Whether nothing will say that it is over: it fires until it is acknowledged. */
  isNotice?: boolean;
}

/** The last report of a reporter, with the worst of its alerts. */
type KnownReport = Pick<AlertReport, "sources" | "firing" | "name" | "isNotice">;

/** The alerts of a channel that are told apart, the worst ones, and at least one of each reporter. */
const MAX_ALERTS = 256;
const MAX_REPORTERS = 256;
const NAMED = 3;

/** Sums up reports of monitoring systems: a channel shows the worst alert, and the number of firing ones. */
export class Alerts {
  readonly #channels: Channels;
  /** Reports with firing alerts, by channel. They are in memory only, since systems repeat them. */
  readonly #reports = new Map<string, readonly KnownReport[]>();

  constructor(channels: Channels) {
    this.#channels = channels;
    channels.stepped.on(({ channel, to }) => {
      if (to === "waiting") this.#reports.delete(channel);
      if (to === "acknowledged") this.#forgetNotices(channel);
    });
  }

  /** @returns how many fire @throws {Refusal} `channel_limit` */
  report(channel: string, { resolved, ...report }: AlertReport): number {
    const known = this.#reports.get(channel) ?? [];
    const others = known.filter(({ sources }) => !isSameReporter(sources, report.sources));
    if (report.firing.length > 0 && others.length >= MAX_REPORTERS)
      throw new Refusal(
        "channel_limit",
        `${MAX_REPORTERS} groups or monitors fire on this channel already. Send some of them to another channel.`,
      );
    const room = Math.max(1, MAX_ALERTS - alertsOf(others).length);
    const own = { ...report, firing: worstFirst(report.firing).slice(0, room) };
    const now = own.firing.length > 0 ? [...others, own] : others;
    this.#show(channel, { now, before: known, resolved, name: report.name });
    // The alerts are kept only once the channel has taken them.
    this.#keep(channel, now);
    return countOf(alertsOf(now));
  }

  #show(
    channel: string,
    {
      now,
      before,
      resolved,
      name,
    }: Pick<AlertReport, "resolved" | "name"> & {
      readonly now: readonly KnownReport[];
      readonly before: readonly KnownReport[];
    },
  ): void {
    const [alerts, old] = [alertsOf(now), new Map(alertsOf(before).map((one) => [one.key, one]))];
    if (alerts.length > 0) this.#fire(channel, alerts, old);
    else this.#resolve(channel, name, [...old.keys(), ...resolved]);
  }

  #keep(channel: string, reports: readonly KnownReport[]): void {
    if (reports.length > 0) this.#reports.set(channel, reports);
    else this.#reports.delete(channel);
  }

  /** A notice that was seen is over, and the others go on. */
  #forgetNotices(channel: string): void {
    const before = this.#reports.get(channel) ?? [];
    const now = before.filter(({ isNotice }) => !isNotice);
    if (now.length === before.length) return;
    this.#keep(channel, now);
    if (now.length === 0) {
      const { name = "" } = before[0] ?? {};
      this.#show(channel, { now, before, resolved: [], name });
    }
  }

  /**
   * Updates a firing message. It stays acknowledged as long as no other alert fires, and none gets worse.
   */
  #fire(channel: string, alerts: readonly Alert[], before: ReadonlyMap<string, Alert>): void {
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
    const isUnknown = !this.#reports.has(channel) && shown?.id !== undefined;
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

function isSameReporter(one: readonly string[], other: readonly string[]): boolean {
  return one.some((source) => other.includes(source));
}

/** The alerts of reports, the worst first. One that several report counts once. */
function alertsOf(reports: readonly KnownReport[]): Alert[] {
  const all = worstFirst(reports.flatMap(({ firing }) => firing));
  return [...new Map(all.toReversed().map((alert) => [alert.key, alert])).values()].reverse();
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
