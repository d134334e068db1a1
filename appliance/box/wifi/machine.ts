import type { Decision } from "../../base/tasks/task-runner.ts";
import type { WifiReason } from "../ipc/wifi-state.ts";
import type { AccessPoint } from "./channels.ts";
import type { JoinEnd, JoinRequest, OwnNetwork, Scan, SeenNetwork } from "./radio.ts";

/** The memory of a set-up. Nothing of it outlives the process, but for a network that was joined. */
export interface SetUpRecord {
  /** The set-up that runs, or ran; null before the first. All times are of a clock that never steps, in milliseconds. */
  readonly run: {
    readonly until: number;
    readonly tries: number;
    /** Whether the known network is left alone meanwhile, since somebody at the box wants another. */
    readonly isInsisted: boolean;
  } | null;
  /** Whether the last one ended by its time or its tries. */
  readonly isOver: boolean;
  /** Names of networks, from the last scan; null: one is to be made. */
  readonly networks: readonly SeenNetwork[] | null;
  /** All that sends, from that scan. */
  readonly heard: readonly AccessPoint[];
  /** The own network of the set-up, made for each; null before its first scan. */
  readonly own: OwnNetwork | null;
  readonly isOpen: boolean;
  /** A form that was sent, and when. */
  readonly form: { readonly wish: JoinRequest; readonly at: number } | null;
  /** Whether somebody at the box asked for a set-up; it waits for networks that are known. */
  readonly isAsked: boolean;
  /** The time at which the card or a jumper asked for one, whatever network answers; null for not. */
  readonly insistedAt: number | null;
  /** The owner's change in the Web UI. */
  readonly change: JoinRequest | null;
  /** The last network that was not joined, and since when. */
  readonly trouble: {
    readonly reason: WifiReason;
    readonly ssid: string;
    readonly at: number;
    /** Whether the owner's change came to it, who is told of it on the old network, too. */
    readonly isOfChange: boolean;
  } | null;
  /** The last network that was joined. Of one that was joined by itself it is not known whether it leads to the internet. */
  readonly joined: { readonly ssid: string; readonly hasInternet: boolean | null } | null;
  /** The time of the last try of known networks. */
  readonly retriedAt: number;
  /** The time from which the known network is joined again, after a change that failed; null once it is. */
  readonly returnsAt: number | null;
}

export const NO_SET_UP: SetUpRecord = {
  run: null,
  isOver: false,
  networks: null,
  heard: [],
  own: null,
  isOpen: false,
  form: null,
  isAsked: false,
  insistedAt: null,
  change: null,
  trouble: null,
  joined: null,
  retriedAt: Number.NEGATIVE_INFINITY,
  returnsAt: null,
};

export interface SetUpFacts {
  /** Milliseconds of a clock that never steps. */
  readonly now: number;
  readonly hasRadio: boolean;
  /** Whether the box never had a network, and its card names no Wi-Fi. */
  readonly isNew: boolean;
  /** Whether a deck or a screen can show a key. */
  readonly canShow: boolean;
  /** Whether the cable has an address. */
  readonly hasCable: boolean;
  /** Whether the wireless interface has one, in somebody's network. */
  readonly isOnline: boolean;
  /** The name of the network that is known, by the card or by an earlier set-up, in hexadecimal; null for none. */
  readonly known: string | null;
  readonly phones: number;
  /** The time since when there is nothing by which the box is reached; null while there is something. */
  readonly offlineSince: number | null;
  /** The same for the wireless interface alone, beside a cable too. */
  readonly unjoinedSince: number | null;
  /** The time since when the own network is down, although it is open; null while it is up. */
  readonly downSince: number | null;
  readonly makeOwn: (heard: readonly AccessPoint[]) => OwnNetwork;
}

export type SetUpTask =
  | { readonly kind: "scan" | "close" }
  | { readonly kind: "rejoin"; readonly ssid: string }
  | { readonly kind: "open"; readonly own: OwnNetwork }
  | { readonly kind: "join"; readonly wish: JoinRequest; readonly isChange: boolean };

export type SetUpOutcome =
  | ({ readonly kind: "scanned" } & Scan)
  | { readonly kind: "opened" | "closed" | "failed" }
  | { readonly kind: "ended"; readonly end: JoinEnd };

/** The own network is open for so long, without a form. */
export const OPEN_MS = 15 * 60_000;
/** Forms that a set-up takes. */
export const MOST_TRIES = 5;
/** A look at the radio may be older than the own network: it is down after so long. */
export const DOWN_MS = 5_000;
/** The time for the last page to arrive on the phone, and for its probes. */
export const LAST_PAGE_MS = 3_000;
/** Known networks are tried this often while no phone is on the own one. */
export const RETRY_MS = 2 * 60_000;
/** A cable and known networks have so long at a start. */
export const PATIENCE_MS = 30_000;

/** Decides the next task by the record and the facts. It is pure. */
export function nextSetUpTask(
  kept: SetUpRecord,
  facts: SetUpFacts,
): Decision<SetUpRecord, SetUpTask> {
  const record = settled(kept, facts);
  if (!facts.hasRadio) return { record };
  const next = nextOf(record, facts);
  return typeof next === "number" ? { record, wakeAt: next } : { record, task: next };
}

/** Brings the record up to date with facts that end or begin a set-up. */
function settled(kept: SetUpRecord, facts: SetUpFacts): SetUpRecord {
  const record = withKnown(kept, facts);
  const { run, form, change, isAsked, insistedAt, isOver } = record;
  const { now, isNew, canShow, hasCable, isOnline } = facts;
  if (run === null) {
    // After a quarter of an hour in which nothing could show a key, it is a wish as any other.
    if (insistedAt !== null && now >= insistedAt + OPEN_MS)
      return settled({ ...record, insistedAt: null, isAsked: true }, facts);
    if (hasCable || (isOnline && insistedAt === null))
      return isAsked || insistedAt !== null
        ? { ...record, isAsked: false, insistedAt: null }
        : record;
    // One that was joined and cannot be kept leaves the box new, for the next start.
    const isFirst = isNew && !isOver && record.joined === null;
    const isDue =
      insistedAt === null
        ? (isAsked || isFirst) && isOfflineFor(PATIENCE_MS, facts)
        : now >= insistedAt + PATIENCE_MS;
    return canShow && isDue ? begun(record, now) : record;
  }
  // A cable ends a set-up, and so does a network that came back.
  if (hasCable || (isOnline && !record.isOpen && !run.isInsisted) || change !== null)
    return { ...record, run: null, form: null };
  if (form === null && (now >= run.until || run.tries >= MOST_TRIES))
    return { ...record, run: null, isOver: true };
  return record;
}

/** The known network, once it is there by itself: it is joined, and what kept it away no trouble any more. */
function withKnown(record: SetUpRecord, { isOnline, known }: SetUpFacts): SetUpRecord {
  const { trouble, joined, isOpen, run, form, change } = record;
  const isBack = isOnline && !isOpen && form === null && change === null && !run?.isInsisted;
  if (!isBack || known === null || trouble?.isOfChange) return record;
  if (trouble === null && joined !== null) return record;
  return { ...record, trouble: null, joined: { ssid: known, hasInternet: null } };
}

function begun(record: SetUpRecord, now: number): SetUpRecord {
  return {
    ...record,
    run: { until: now + OPEN_MS, tries: 0, isInsisted: record.insistedAt !== null },
    isAsked: false,
    insistedAt: null,
    isOver: false,
    networks: null,
    own: null,
    form: null,
    retriedAt: now,
    returnsAt: null,
  };
}

function isOfflineFor(ms: number, { hasCable, isOnline, offlineSince, now }: SetUpFacts): boolean {
  return !hasCable && !isOnline && offlineSince !== null && now - offlineSince >= ms;
}

function nextOf(record: SetUpRecord, facts: SetUpFacts): SetUpTask | number | undefined {
  const { run, form, change, isOpen, networks, heard, own, retriedAt, returnsAt } = record;
  const { now, phones, downSince } = facts;
  const known = run?.isInsisted ? null : facts.known;
  if (run === null) {
    if (isOpen) return { kind: "close" };
    if (change !== null) return { kind: "join", wish: change, isChange: true };
    if (returnsAt !== null && known !== null)
      return now >= returnsAt ? { kind: "rejoin", ssid: known } : returnsAt;
    return whileIdle(record, facts);
  }
  if (form !== null) {
    const leaveAt = form.at + LAST_PAGE_MS;
    if (isOpen) return now >= leaveAt ? { kind: "close" } : leaveAt;
    return { kind: "join", wish: form.wish, isChange: false };
  }
  if (isOpen) {
    if (networks === null) return { kind: "close" };
    const retryAt = known !== null && phones === 0 ? retriedAt + RETRY_MS : run.until;
    const downAt = downSince === null ? run.until : downSince + DOWN_MS;
    const closeAt = Math.min(retryAt, downAt);
    return now >= closeAt ? { kind: "close" } : Math.min(closeAt, run.until);
  }
  if (networks === null) return { kind: "scan" };
  if (known !== null && now >= retriedAt + RETRY_MS) return { kind: "rejoin", ssid: known };
  return { kind: "open", own: own ?? facts.makeOwn(heard) };
}

/** A known network that is not joined is tried, for the reason: once beside a cable, and again and again without. */
function whileIdle(record: SetUpRecord, facts: SetUpFacts): SetUpTask | number | undefined {
  const { now, unjoinedSince, hasCable, known } = facts;
  if (unjoinedSince === null || (hasCable && !wantsReason(record, facts))) return undefined;
  const patientUntil = unjoinedSince + PATIENCE_MS;
  if (known === null) return now < patientUntil ? patientUntil : undefined;
  const at = Math.max(patientUntil, record.retriedAt + RETRY_MS);
  return now >= at ? { kind: "rejoin", ssid: known } : at;
}

/** Whether a known network is not joined, and was never tried. */
export function wantsReason(
  { retriedAt }: SetUpRecord,
  { known, isOnline }: Pick<SetUpFacts, "known" | "isOnline">,
): boolean {
  return known !== null && !isOnline && retriedAt === NO_SET_UP.retriedAt;
}

const NOTHING_HEARD: Scan = { networks: [], heard: [] };

export function afterSetUpTask(
  record: SetUpRecord,
  task: SetUpTask,
  outcome: SetUpOutcome,
  now: number,
): SetUpRecord {
  switch (task.kind) {
    case "scan": {
      const { networks, heard } = outcome.kind === "scanned" ? outcome : NOTHING_HEARD;
      return { ...record, networks, heard };
    }
    case "open":
      // A radio that does not open is given up, and what it has left closed; a press begins again.
      return outcome.kind === "opened"
        ? { ...record, own: task.own, isOpen: true }
        : { ...record, own: null, run: null, isOver: true, isOpen: true };
    case "close":
      return { ...record, isOpen: outcome.kind !== "closed" };
    case "rejoin":
      return afterRejoin(record, task.ssid, outcome, now);
    case "join":
      return afterJoin(record, task, outcome, now);
  }
}

/** In a set-up the trouble of the form stays, which its person is told. */
function afterRejoin(
  record: SetUpRecord,
  ssid: string,
  outcome: SetUpOutcome,
  now: number,
): SetUpRecord {
  const returnsAt = record.returnsAt === null ? null : now + RETRY_MS;
  const tried = { ...record, retriedAt: now, returnsAt };
  if (outcome.kind !== "ended") return tried;
  const { end } = outcome;
  const { trouble: before } = record;
  if (end.joined) {
    const trouble = before?.isOfChange ? before : null;
    const joined = { ssid, hasInternet: end.hasInternet };
    return { ...tried, run: null, trouble, joined, returnsAt: null };
  }
  const { reason } = end;
  const isSame = before?.reason === reason && before.ssid === ssid && !before.isOfChange;
  return record.run === null && !isSame
    ? { ...tried, trouble: { reason, ssid, at: now, isOfChange: false } }
    : tried;
}

function afterJoin(
  record: SetUpRecord,
  { wish: { ssid }, isChange }: Extract<SetUpTask, { kind: "join" }>,
  outcome: SetUpOutcome,
  now: number,
): SetUpRecord {
  const end: JoinEnd = outcome.kind === "ended" ? outcome.end : { joined: false, reason: "failed" };
  const change = isChange ? null : record.change;
  const after = { ...record, form: null, change, retriedAt: now, returnsAt: null };
  if (end.joined) {
    const { hasInternet } = end;
    return { ...after, run: null, isOver: false, trouble: null, joined: { ssid, hasInternet } };
  }
  const trouble = { reason: end.reason, ssid, at: now, isOfChange: isChange };
  const { run } = record;
  if (isChange) return { ...after, trouble, returnsAt: now };
  if (run === null) return { ...after, trouble };
  return { ...after, trouble, run: { ...run, until: now + OPEN_MS, tries: run.tries + 1 } };
}
