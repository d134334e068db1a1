import { DAY_MS, HOUR_MS } from "../../../appliance/base/calendar.ts";
import type {
  UpdaterRequest,
  UpdaterState,
} from "../../../appliance/base/release/updater-state.ts";
import { timeOfDay } from "../../../appliance/base/time-zone.ts";
import type { UpdateRecord } from "../../../appliance/links/updates/record.ts";
import type { seeded } from "../../helpers/seeded.ts";
import type { SimCard, SimTime } from "../../helpers/simulated.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
export const ZONE = "Europe/Zurich";

/** Faults of the world. */
export interface Trouble {
  /** Away; breaks off; has other files than it says; has them no more; is slow. */
  host: "well" | "away" | "cut" | "wrong" | "gone" | "slow";
  /** Root's updater does nothing for a while, or for ever; or it cannot be told. */
  root: "well" | "slow" | "asleep" | "untold";
  /** The other slot does not give back what was written. */
  slot: "well" | "bad";
  trial: "kept" | "fails";
  /** There is no room for a release. */
  isFull: boolean;
}

export const WELL: Trouble = {
  host: "well",
  root: "well",
  slot: "well",
  trial: "kept",
  isFull: false,
};

/** The wishes of the owner by now; all else is installed by itself, or not at all. */
interface Wanted {
  release: number | null;
  when: "now" | "tonight";
  skipped: number | null;
  /** The true time of the owner's word. */
  saidAt: number;
  calledOffAt: number;
  isAuto: boolean;
}

export type Power = { readonly on: boolean };

export const versionOf = (release: number) => ({ release, version: `0.${release}.0` });

/** A board with two slots, root's updater, and a host of releases, which know what must not be. */
export class SimMachine {
  readonly time: SimTime;
  readonly card: SimCard;
  readonly wanted: Wanted = {
    release: null,
    when: "now",
    skipped: null,
    saidAt: 0,
    calledOffAt: 0,
    isAuto: false,
  };
  readonly problems: string[] = [];
  trouble: Trouble = { ...WELL };
  /** The true time of the last record that was not written. */
  forgotAt = 0;
  /** The newest release that the host has. */
  newest = 11;
  boots = 0;
  /** The last time, true, at which root could not do its requests, or the service may have lost one. */
  disturbedAt = 0;
  /** The machine starts again by itself: into which release, if another. */
  reboots: { to: number | null } | undefined;
  state: UpdaterState = {
    running: { ...versionOf(11), slot: "a" },
    mode: "normal",
    offers: [],
    failed: [],
    canTry: true,
  };
  readonly #pending = new Map<UpdaterRequest, number | undefined>();
  readonly #draw: ReturnType<typeof seeded>;
  /** The release that is whole on the card. */
  whole: number | undefined;
  #requestedAt = 0;
  /** Releases that could not be written, with the time. */
  readonly #refused = new Map<number, number>();
  /** The last that happened, for whoever looks into what went wrong. */
  readonly told: string[] = [];
  /** Work of the service or of root that goes on. */
  running = 0;

  constructor(time: SimTime, card: SimCard, draw: ReturnType<typeof seeded>) {
    this.time = time;
    this.card = card;
    this.#draw = draw;
  }

  /** Root's updater for one run of the service. */
  root(power: Power, clock: { now(): number; sure: boolean }) {
    return {
      state: () => this.state,
      pending: () => [...this.#pending.keys()],
      request: async (request: UpdaterRequest, release?: number) => {
        if (!power.on) return new Promise<void>(() => {});
        if (this.trouble.root === "untold") throw new Error("root's folder is not there");
        this.#judge(request, release, clock);
        // A service that asks on and on leaves no time to find it.
        if (this.problems.length > 0) return new Promise<void>(() => {});
        this.note(`${request} ${release}`);
        this.#pending.set(request, release);
        if (this.trouble.root !== "asleep") this.#takeSoon();
      },
    };
  }

  /** The updater takes the requests that wait, after a sleep. */
  wakeRoot(): void {
    if (this.#pending.size > 0) this.#takeSoon();
  }

  /** Whether something goes on that ends within seconds. */
  get isBusy(): boolean {
    const isTaking = this.#pending.size > 0 && this.trouble.root !== "asleep";
    return this.running > 0 || isTaking || this.state.work?.step === "arm";
  }

  /** The power was cut, or it restarts: what was only asked for, or begun, is forgotten. */
  boot(): void {
    this.boots += 1;
    this.disturbedAt = this.time.at;
    this.note(`boot ${this.reboots?.to ?? ""}`);
    this.#pending.clear();
    this.running = 0;
    const to = this.reboots?.to ?? null;
    this.reboots = undefined;
    this.tell({ work: undefined });
    if (to !== null) this.#try(to);
    else if (this.state.mode === "trial") this.#endTrial("interrupted");
  }

  /** The service forgot what it was told last: what it remembers counts. */
  forget({ wish, skipped }: UpdateRecord): void {
    this.note("it has forgotten something");
    this.wanted.release = wish === null || wish.isByItself ? null : wish.release;
    this.wanted.when = wish?.when ?? "now";
    this.wanted.skipped = skipped;
    this.wanted.calledOffAt = 0;
    this.#refused.clear();
  }

  note(what: string): void {
    this.told.push(`${new Date(this.time.at).toISOString().slice(5, 19)} ${what}`);
    if (this.told.length > 25) this.told.shift();
  }

  tell(change: { [K in keyof UpdaterState]?: UpdaterState[K] | undefined }): void {
    this.state = Object.fromEntries(
      Object.entries({ ...this.state, ...change }).filter(([, value]) => value !== undefined),
    ) as unknown as UpdaterState;
  }

  offers(source: "stick", release: number): void {
    const offer = { ...versionOf(release), source, bytes: 1_000, notes: "" };
    this.tell({ offers: [offer] });
  }

  /** Whether somebody set the box's clock so lately that it cannot count. */
  stepped(ms: number): boolean {
    return this.time.at - this.time.steppedAt <= ms;
  }

  #judge(
    request: UpdaterRequest,
    release: number | undefined,
    clock: { now(): number; sure: boolean },
  ): void {
    const what = `${request} ${release}`;
    const say = (problem: string) => this.problems.push(`asked for ${what}: ${problem}`);
    const { work, mode, failed, prepared } = this.state;
    const { wanted, time } = this;
    if (request !== "prepare" && request !== "arm") return;
    // An owner may say it again, and who forgets asks again.
    const isKnown = Math.max(wanted.saidAt, this.forgotAt) < this.#requestedAt;
    const isPending = isKnown && this.#pending.get(request) === release;
    if (isPending || work?.to.release === release) say("twice");
    this.#requestedAt = time.at;
    if (mode !== "normal") say(`in a ${mode}`);
    const byItself = wanted.release !== release;
    if (byItself && !wanted.isAuto) say("nobody wants it");
    if (byItself && wanted.skipped === release) say("the owner does not want it");
    if (byItself && failed.includes(release ?? 0)) say("it failed before");
    const refusedAt = this.#refused.get(release ?? 0) ?? -DAY_MS;
    const restsUntil = Math.max(wanted.calledOffAt, request === "prepare" ? refusedAt : 0) + DAY_MS;
    const isRested = time.at >= restsUntil - MINUTE_MS || time.at - this.forgotAt < DAY_MS;
    if (byItself && !isRested && !this.stepped(2 * DAY_MS))
      say("it was called off, or came to nothing, less than a day ago");
    if (request === "prepare" && this.whole !== release && !this.#isOffered(release))
      say("it is not here");
    if (request === "prepare") return;
    if (prepared?.release !== release) say("it is not written");
    if ((byItself || wanted.when === "tonight") && !isNight(clock)) say("by day");
  }

  #isOffered(release: number | undefined): boolean {
    return this.state.offers.some((offer) => offer.release === release);
  }

  #takeSoon(): void {
    const { boots } = this;
    const ms = this.trouble.root === "slow" ? this.#draw.below(90) : this.#draw.below(4);
    this.time.clock(true).after(ms * SECOND_MS, () => {
      if (boots === this.boots) this.#take();
    });
  }

  #take(): void {
    const [taken] = this.#pending;
    if (taken === undefined || this.state.work !== undefined) return;
    const [request, release = 0] = taken;
    this.#pending.delete(request);
    this.tell({ problem: undefined, problemAt: undefined });
    if (request === "prepare") this.#prepare(release);
    else if (request === "arm") this.#arm(release);
    else if (request === "rollback") this.#goBack();
    else if (request === "discard") this.tell({ offers: [] });
    this.wakeRoot();
  }

  #goBack(): void {
    const { mode, other } = this.state;
    if (mode === "trial") this.reboots = { to: null };
    else if (other !== undefined) this.#restart(other.release);
  }

  #prepare(release: number): void {
    const isThere = this.whole === release || this.#isOffered(release);
    if (!isThere) {
      this.#refuse(release, "The release is not here.");
      return;
    }
    // The slot that does not run is written anew.
    this.tell({ prepared: undefined, other: undefined });
    this.#work("write", release, (1 + this.#draw.below(20)) * MINUTE_MS, () => {
      if (this.trouble.slot === "bad")
        return this.#refuse(release, "The card did not give back what was written to it.");
      this.tell({ prepared: versionOf(release) });
    });
  }

  #arm(release: number): void {
    if (this.state.prepared?.release !== release)
      this.#refuse(release, "The release is not written.");
    else this.#work("arm", release, 5 * SECOND_MS, () => this.#restart(release));
  }

  #refuse(release: number, problem: string): void {
    // The service takes no notice of a release that was called off meanwhile.
    if (this.wanted.calledOffAt < this.#requestedAt) this.#refused.set(release, this.time.at);
    this.tell({ problem, problemAt: this.#seconds() });
  }

  #work(step: "write" | "arm", release: number, ms: number, done: () => void): void {
    const { boots } = this;
    this.tell({ work: { step, to: versionOf(release), done: 0, of: 1 } });
    this.time.clock(true).after(ms, () => {
      if (boots !== this.boots) return;
      this.tell({ work: undefined });
      done();
      this.wakeRoot();
    });
  }

  #restart(to: number): void {
    this.reboots = { to };
  }

  /** The board starts another release: for a trial, unless it was good before. */
  #try(to: number): void {
    const { running, other, prepared, failed } = this.state;
    if (other?.release === to && prepared?.release !== to) {
      this.tell({
        running: { ...versionOf(to), slot: running.slot },
        other: versionOf(running.release),
        last: this.#last("back", to),
      });
      return;
    }
    const before = { ...running };
    this.tell({
      running: { ...versionOf(to), slot: running.slot === "a" ? "b" : "a" },
      mode: "trial",
      prepared: undefined,
      other: versionOf(before.release),
      failed: failed.filter((each) => each !== to),
    });
    const { boots } = this;
    this.time.clock(true).after(3 * MINUTE_MS, () => {
      if (boots !== this.boots) return;
      if (this.trouble.trial === "kept")
        this.tell({ mode: "normal", last: this.#last("updated", to) });
      else this.reboots = { to: null };
    });
  }

  #endTrial(kind: "failed" | "interrupted"): void {
    const { running, other, failed } = this.state;
    if (other === undefined) return;
    this.tell({
      running: { ...other, slot: running.slot === "a" ? "b" : "a" },
      mode: "normal",
      other: undefined,
      failed: [...failed, running.release],
      last: this.#last(kind, running.release),
    });
  }

  #last(kind: "updated" | "back" | "failed" | "interrupted", release: number) {
    const isGood = kind === "updated" || kind === "back";
    const reason = isGood ? null : "It did not come up.";
    return { kind, ...versionOf(release), at: this.#seconds(), reason };
  }

  #seconds(): number {
    return Math.max(0, Math.floor((this.time.at + this.time.ahead) / 1_000));
  }
}

/** Between four and half past five, by a clock that knows it. */
function isNight({ now, sure }: { now(): number; sure: boolean }): boolean {
  const time = timeOfDay(now(), ZONE);
  return sure && time >= 4 * HOUR_MS - SECOND_MS && time <= 5.5 * HOUR_MS + SECOND_MS;
}
