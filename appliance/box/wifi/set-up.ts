import { type Clock, every } from "../../base/clock.ts";
import { TaskRunner } from "../../base/tasks/task-runner.ts";
import type { WifiState, WifiTrouble } from "../ipc/wifi-state.ts";
import { networkNameText, wifiTroubleText } from "../ipc/wifi-text.ts";
import type { Asked } from "./asked.ts";
import type { SystemWifiFiles } from "./files.ts";
import {
  afterSetUpTask,
  NO_SET_UP,
  nextSetUpTask,
  type SetUpFacts,
  type SetUpOutcome,
  type SetUpRecord,
  type SetUpTask,
  wantsReason,
} from "./machine.ts";
import { makeOwnNetwork } from "./own-network.ts";
import { choiceOf } from "./portal/page.ts";
import type { PortalContent } from "./portal/portal.ts";
import type { PortalFolder } from "./portal-folder.ts";
import type { JoinRequest, Radio, RadioState } from "./radio.ts";

interface WifiSetUpOptions {
  readonly clock: Clock;
  readonly radio: Radio;
  /** The memory of the box beyond a start. */
  readonly memory: Pick<
    SystemWifiFiles,
    "hadNetwork" | "noteNetwork" | "known" | "country" | "keep"
  >;
  /** Whether a network that is joined would be known at the next start. */
  readonly isData: () => boolean;
  readonly asked: () => Asked;
  readonly hasScreen: () => boolean;
  readonly hasCable: () => boolean;
  /** Whether the wall clock names the time of the day. */
  readonly isSure: () => boolean;
  readonly countries: readonly string[];
  readonly randomInt: (end: number) => number;
  readonly portal: Pick<PortalFolder, "open" | "close" | "taken">;
  readonly tell: (state: WifiState) => void;
  readonly log: (line: string) => void;
}

/** The facts are gathered this often. */
const LOOK_MS = 1_000;
/** Each look at the radio is a program of its own. While a set-up neither runs nor is asked for, these are enough. */
const QUIET_LOOK_MS = 10_000;
const LONGEST_MS = 60_000;
/** The program ends when there was nothing to do for so long; the next request starts it again. */
const IDLE_MS = 60_000;

/** The set-up of the Wi-Fi, from the first look to a network that was joined. */
export class WifiSetUp {
  readonly #options: WifiSetUpOptions;
  readonly #runner: TaskRunner<SetUpRecord, SetUpTask, SetUpOutcome>;
  readonly #ended = Promise.withResolvers<void>();
  readonly #kept = {
    // A power cut or a crash may have left the own network open.
    now: { ...NO_SET_UP, isOpen: true } as SetUpRecord,
    save: async (record: SetUpRecord) => {
      this.#kept.now = record;
      return true;
    },
  };
  #radio: RadioState = { hasRadio: true, isUp: false, phones: 0, isOnline: false };
  #offlineSince: number | null = null;
  #unjoinedSince: number | null = null;
  #downSince: number | null = null;
  #isNoteFailing = false;
  #idleSince: number;
  #hasDeck = false;
  #hasOpened: boolean | null = null;
  #mostPhones = 0;
  #isLooking = false;
  #askedRadioAt = Number.NEGATIVE_INFINITY;
  #told = "";
  /** The fields of the last form, to be there again after a network was not joined. */
  #given: PortalContent["given"] = null;

  constructor(options: WifiSetUpOptions) {
    this.#options = options;
    const { clock, log } = options;
    this.#idleSince = clock.monotonic();
    this.#runner = new TaskRunner<SetUpRecord, SetUpTask, SetUpOutcome>({
      // The wall clock steps once there is a network.
      clock: {
        now: () => clock.monotonic(),
        monotonic: () => clock.monotonic(),
        after: (ms, task) => clock.after(ms, task),
      },
      record: this.#kept,
      next: (record) => nextSetUpTask(record, this.#facts()),
      before: (record) => record,
      after: (record, task, outcome) => this.#after(record, task, outcome),
      run: (task, signal) => this.#run(task, signal),
      failed: () => ({ kind: "failed" }),
      stopped: { kind: "failed" },
      isDoneUnnoted: () => true,
      isLeft: false,
      onError: (error) => log(`The Wi-Fi set-up failed: ${String(error)}`),
      longestSleepMs: LONGEST_MS,
      told: () => this.#tell(),
    });
  }

  /** Runs until there was nothing to do for a while, or `signal` ends it. The own network is closed at the end. */
  async run(signal: AbortSignal): Promise<void> {
    const cancel = every(this.#options.clock, LOOK_MS, () => void this.#look());
    signal.addEventListener("abort", () => this.#ended.resolve(), { once: true });
    await this.#look();
    await this.#ended.promise;
    cancel();
    await this.#runner.close();
    await this.#close().catch(() => {});
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      this.#take();
      await this.#askRadio();
      this.#mostPhones = Math.max(this.#mostPhones, this.#radio.phones);
      this.#noteNetwork();
      this.#runner.wake();
      this.#endWhenIdle();
    } catch (error) {
      this.#options.log(`The radio could not be asked: ${String(error)}`);
    } finally {
      this.#isLooking = false;
    }
  }

  async #askRadio(): Promise<void> {
    const { clock, radio } = this.#options;
    const { run, isOpen, change, isAsked, insistedAt } = this.#kept.now;
    const isIdle = run === null && !isOpen && change === null && !isAsked && insistedAt === null;
    const isQuiet = !this.#radio.hasRadio || isIdle;
    if (isQuiet && clock.monotonic() - this.#askedRadioAt < QUIET_LOOK_MS) return;
    this.#radio = await radio.state();
    this.#askedRadioAt = clock.monotonic();
  }

  /** Requests come before a look at the radio, which they may need: what is known of it may be ten seconds old. */
  #take(): void {
    const { begins, insists, change, hasDeck } = this.#options.asked();
    this.#hasDeck = hasDeck;
    if (begins) this.#kept.now = { ...this.#kept.now, isAsked: true };
    if (insists)
      this.#kept.now = { ...this.#kept.now, insistedAt: this.#options.clock.monotonic() };
    if (change !== undefined) this.#kept.now = { ...this.#kept.now, change };
    this.#takeForm();
  }

  #noteNetwork(): void {
    const { clock, memory, hasCable, isData } = this.#options;
    const isOnline = this.#radio.isOnline || hasCable();
    // One that is being joined may not be the box's for long.
    if (isOnline && isData() && this.#kept.now.form === null)
      // One that is not kept would leave the box without any after the next start, and not new.
      this.#note(hasCable() || memory.known() !== null);
    const now = clock.monotonic();
    const isDown = this.#kept.now.isOpen && !this.#radio.isUp;
    this.#downSince = isDown ? (this.#downSince ?? now) : null;
    this.#offlineSince = isOnline ? null : (this.#offlineSince ?? now);
    this.#unjoinedSince = this.#radio.isOnline ? null : (this.#unjoinedSince ?? now);
  }

  #note(isKept: boolean): void {
    try {
      this.#options.memory.noteNetwork(isKept);
    } catch (error) {
      if (!this.#isNoteFailing) this.#options.log(`The network could not be noted: ${error}`);
      this.#isNoteFailing = true;
    }
  }

  /** Takes what a phone has sent: one form at a time, while the own network is open. */
  #takeForm(): void {
    const { wish, looksAgain } = this.#options.portal.taken();
    const { run, isOpen, form, networks } = this.#kept.now;
    if (run === null || !isOpen || form !== null) return;
    if (wish !== undefined) {
      const seen = networks?.find(
        ({ ssid, isOpen }) => ssid === wish.ssid && isOpen === (wish.password === ""),
      );
      this.#given = {
        country: wish.country,
        choice: seen === undefined ? "other" : choiceOf(seen),
        typed: seen === undefined ? Buffer.from(wish.ssid, "hex").toString() : "",
        isHidden: wish.isHidden,
      };
      this.#kept.now = { ...this.#kept.now, form: { wish, at: this.#options.clock.monotonic() } };
    } else if (looksAgain) this.#kept.now = { ...this.#kept.now, networks: null };
  }

  #facts(): SetUpFacts {
    const { clock, memory, hasScreen, hasCable, randomInt } = this.#options;
    return {
      ...this.#radio,
      now: clock.monotonic(),
      isNew: this.#isNew,
      canShow: this.#hasDeck || hasScreen(),
      hasCable: hasCable(),
      known: memory.known(),
      offlineSince: this.#offlineSince,
      unjoinedSince: this.#unjoinedSince,
      downSince: this.#downSince,
      makeOwn: (heard) => makeOwnNetwork(randomInt, heard),
    };
  }

  get #isNew(): boolean {
    const { memory, isData } = this.#options;
    return isData() && !memory.hadNetwork && memory.known() === null;
  }

  #endWhenIdle(): void {
    const { clock, memory } = this.#options;
    const { run, isOpen, change, isAsked, insistedAt, returnsAt } = this.#kept.now;
    const { isOnline, hasRadio } = this.#radio;
    const known = memory.known();
    // Without a radio nothing can be done, whatever is asked for.
    const isNeeded =
      hasRadio &&
      (run !== null ||
        isOpen ||
        change !== null ||
        isAsked ||
        insistedAt !== null ||
        this.#offlineSince !== null ||
        (returnsAt !== null && known !== null) ||
        wantsReason(this.#kept.now, { known, isOnline }));
    const now = clock.monotonic();
    if (isNeeded || this.#runner.task !== undefined) this.#idleSince = now;
    else if (now - this.#idleSince >= IDLE_MS) this.#ended.resolve();
  }

  async #run(task: SetUpTask, signal: AbortSignal): Promise<SetUpOutcome> {
    const { radio } = this.#options;
    switch (task.kind) {
      case "scan":
        return { kind: "scanned", ...(await radio.scan(signal)) };
      case "open":
        await radio.start(task.own, signal);
        await this.#openPages();
        return { kind: "opened" };
      case "close":
        await this.#close();
        return { kind: "closed" };
      case "rejoin":
        return { kind: "ended", end: await radio.join(undefined, signal) };
      case "join": {
        const end = await radio.join(task.wish, signal);
        if (end.joined) this.#keep(task.wish);
        return { kind: "ended", end };
      }
    }
  }

  /** A network that cannot be kept is joined all the same, until the next start. */
  #keep(wish: JoinRequest): void {
    const { memory, log, isData } = this.#options;
    try {
      if (isData()) memory.keep(wish);
    } catch (error) {
      log(`The network could not be kept for the next start: ${String(error)}`);
    }
  }

  #content(): PortalContent {
    const { countries, memory, randomInt } = this.#options;
    const { networks, trouble } = this.#kept.now;
    return {
      token: Array.from({ length: 4 }, () => randomInt(2 ** 32).toString(36)).join(""),
      networks: networks ?? [],
      countries,
      country: memory.country(),
      trouble: trouble === null ? "" : wifiTroubleText({ ...this.#troubleOf(trouble), at: null }),
      given: this.#given,
    };
  }

  /** A network without pages ends at once. */
  async #openPages(): Promise<void> {
    try {
      await this.#options.portal.open(this.#content());
    } catch (error) {
      await this.#close().catch(() => {});
      throw error;
    }
  }

  async #close(): Promise<void> {
    const { portal, radio, log } = this.#options;
    // The network ends in any case.
    await portal.close().catch((error: unknown) => log(`The pages did not end: ${error}`));
    await radio.stop();
  }

  #after(record: SetUpRecord, task: SetUpTask, outcome: SetUpOutcome): SetUpRecord {
    const after = afterSetUpTask(record, task, outcome, this.#options.clock.monotonic());
    this.#askedRadioAt = Number.NEGATIVE_INFINITY;
    this.#downSince = null;
    if (task.kind === "open") this.#hasOpened = outcome.kind === "opened";
    if (after.trouble !== null && after.trouble !== record.trouble)
      this.#options.log(wifiTroubleText({ ...this.#troubleOf(after.trouble), at: null }));
    return after;
  }

  #troubleOf({ reason, ssid, at }: NonNullable<SetUpRecord["trouble"]>): WifiTrouble {
    const { clock, isSure } = this.#options;
    const time = clock.now() - (clock.monotonic() - at);
    return { reason, network: nameOf(ssid), at: isSure() ? Math.round(time) : null };
  }

  #tell(): void {
    const { trouble, own, isOpen, form, change, joined, run } = this.#kept.now;
    const task = this.#runner.task;
    const ssid = form?.wish.ssid ?? change?.ssid ?? joined?.ssid;
    const state: WifiState = {
      phase: phaseOf(this.#kept.now, task),
      own: run !== null && isOpen && own !== null ? { name: own.name, key: own.key } : null,
      phones: this.#radio.phones,
      hasOpened: this.#hasOpened,
      mostPhones: this.#mostPhones,
      network: ssid === undefined ? null : nameOf(ssid),
      trouble: trouble && this.#troubleOf(trouble),
      hasInternet: joined?.hasInternet ?? null,
      hasRadio: this.#radio.hasRadio,
      isNew: this.#isNew,
    };
    const text = JSON.stringify(state);
    if (text === this.#told) return;
    this.#told = text;
    this.#options.tell(state);
  }
}

function phaseOf(
  { run, isOver, isOpen, form, change }: SetUpRecord,
  task: SetUpTask | undefined,
): WifiState["phase"] {
  if (change !== null) return "changing";
  if (run === null) return isOver ? "over" : "idle";
  if (form !== null) return "joining";
  return isOpen && task === undefined ? "open" : "scanning";
}

function nameOf(ssid: string): string {
  return networkNameText(Buffer.from(ssid, "hex"));
}
