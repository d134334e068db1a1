import type { KeyObject } from "node:crypto";
import { HOUR_MS } from "../../base/calendar.ts";
import type { Clock } from "../../base/clock.ts";
import { documentKind, objectOf } from "../../base/documents.ts";
import type { Log } from "../../base/log.ts";
import { Refusal } from "../../base/refusal.ts";
import { type Cancel, Signal } from "../../base/signal.ts";
import { sha256 } from "../../base/system/secrets.ts";
import { Mutex } from "../../base/tasks/mutex.ts";
import { type Decision, TaskRunner } from "../../base/tasks/task-runner.ts";
import type { Issued } from "./acme/certificate.ts";
import { checkPublicSettings } from "./checked.ts";
import type { Keys } from "./keys.ts";
import { nextFreeAt, TESTS_AN_HOUR } from "./limits.ts";
import { nextPublicTask, opensPort, type PublicTaskFacts } from "./machine.ts";
import { afterTask, beforeTask, isCounted } from "./outcomes.ts";
import {
  askedAnew,
  isSameButTimes,
  type PublicRecord,
  readRecord,
  settingsKey,
  switchedOn,
} from "./record.ts";
import type { Served } from "./renewal.ts";
import type { SentenceFacts } from "./sentences.ts";
import { FIRST_PUBLIC_SETTINGS, PUBLIC_FIELDS, type PublicSettings } from "./settings.ts";
import { warningsOf } from "./state.ts";
import type { Messenger, PublicOutcome, PublicTask } from "./tasks.ts";
import type { PublicView } from "./view.ts";
import { publicViewOf } from "./view-of.ts";

/** The settings by the Web UI, in one document after the first save. */
export const PUBLIC_ADDRESS = documentKind<PublicSettings>(
  "public_address",
  objectOf({}, PUBLIC_FIELDS),
  { bound: { count: 1, bytes: 65_536, together: 65_536 }, inBackup: "own" },
);

interface PublicAddressOptions {
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
  /** 0–1. */
  readonly random: () => number;
  /** The settings of the Web UI; null before there are any. */
  readonly store: {
    load(): Promise<PublicSettings | null>;
    save(settings: PublicSettings): Promise<void>;
  };
  /** Settings of the configuration, which alone can change them; undefined where it gives no name. */
  readonly declared: PublicSettings | undefined;
  readonly keys: Pick<Keys, "chain" | "saveChain" | "record" | "saveRecord">;
  /** The messenger for these settings. It is called while the address is on, and for closing a port afterwards. */
  readonly messenger: (settings: PublicSettings) => Promise<Messenger>;
  readonly portAdvice: (
    answer: NonNullable<PublicRecord["port"]>["answer"],
  ) => SentenceFacts["port"];
  /** Whether visitors of this name accept a certificate. */
  readonly isFor: (issued: Issued, name: string) => boolean;
  readonly isTunnelled: () => boolean;
  /** Whether the machine is in a data centre, without a router of its owner. */
  readonly isServer?: boolean | undefined;
  /** The port of this box for TLS; 0: none. */
  readonly port: number;
}

interface ServedCertificate {
  readonly cert: string;
  readonly key: KeyObject;
}

/** A clock that steps is noticed by then. */
const LONGEST_SLEEP_MS = 600_000;
const LETS_ENCRYPTS_TERMS = "https://letsencrypt.org/repository/";

/** The public address, which is off until it has a name. It runs the tasks that the machine decides. */
export class PublicAddress {
  readonly changed = new Signal();
  /** Emits when another certificate is served, or none. */
  readonly certificateChanged = new Signal();
  readonly #options: PublicAddressOptions;
  readonly #mutex = new Mutex();
  #settings: PublicSettings;
  readonly #record: { now: PublicRecord; save(record: PublicRecord): Promise<boolean> };
  readonly #runner: TaskRunner<PublicRecord, PublicTask, PublicOutcome>;
  #issued: Issued | undefined;
  #served: Served | undefined;
  #messenger: Messenger | undefined;
  #forget: Cancel = () => {};
  #stopListening: Cancel = () => {};
  #reachedAt: number | undefined;
  #wantsTest = false;
  #isClosed = false;
  #shown = "";
  #isShownLive = false;

  private constructor(options: PublicAddressOptions, stored: PublicSettings | null) {
    this.#options = options;
    this.#settings = options.declared ?? stored ?? FIRST_PUBLIC_SETTINGS;
    this.#record = {
      now: askedAnew(readRecord(options.keys.record())),
      save: (record) => this.#save(record),
    };
    this.#runner = new TaskRunner({
      clock: options.clock,
      record: this.#record,
      next: (record) => this.#next(record),
      before: (record, task) => this.#before(record, task),
      after: (record, task, outcome) =>
        afterTask(record, task, outcome, { ...this.#facts(), random: options.random() }),
      run: (task, signal) => this.#run(task, signal),
      failed: (task) => FAILED[task.kind],
      onError: (err) => options.log.warn({ err }, "The public address could not do something"),
      stopped: STOPPED,
      // Without a record, the box would forget an order that the CA counts. A certificate in use is still renewed, since
      // it would expire.
      isDoneUnnoted: (task) => task.kind !== "order" || task.isRenewal,
      isLeft: true,
      longestSleepMs: LONGEST_SLEEP_MS,
      told: () => this.#tell(),
    });
    this.#issued = options.keys.chain();
    this.#served = this.#servedOf(this.#issued);
  }

  /** Begins where it is on; waits for no answer from outside. */
  static async open(options: PublicAddressOptions): Promise<PublicAddress> {
    const address = new PublicAddress(options, await options.store.load());
    address.#forget = options.clock.becameSure.on(() => address.#runner.wake());
    address.#runner.wake();
    return address;
  }

  get settings(): PublicSettings {
    return this.#settings;
  }

  /** Whether the configuration gives the name. */
  get isDeclared(): boolean {
    return this.#options.declared !== undefined;
  }

  /** The port of this box for TLS; 0: none. */
  get port(): number {
    return this.#options.port;
  }

  /** The terms for the owner's consent, where they are known without asking the CA. */
  get terms(): string | undefined {
    return this.#settings.directory === "" ? LETS_ENCRYPTS_TERMS : undefined;
  }

  /**
   * The certificate that visitors are shown; undefined while it is off, or the last one has ended.
   */
  get certificate(): ServedCertificate | undefined {
    const { clock } = this.#options;
    if (!this.#settings.enabled || this.#issued === undefined) return undefined;
    const hasEnded = clock.sure && clock.now() >= this.#issued.notAfter;
    return hasEnded ? undefined : { cert: this.#issued.chain, key: this.#issued.key };
  }

  /** The router's outer address, as far as it is known. */
  outerAddress(): string | undefined {
    return this.#record.now.address?.v4 ?? undefined;
  }

  view(): PublicView {
    const { port } = this.#record.now;
    const provider = this.#messenger?.provider;
    const advice = port === null ? undefined : this.#options.portAdvice(port.answer);
    return publicViewOf(
      this.#record.now,
      this.#facts(),
      { provider, port: advice, isServer: this.#options.isServer },
      this.#runner.task,
    );
  }

  warnings(): PublicView["warnings"] {
    return warningsOf(this.#record.now, this.#knownFacts());
  }

  /**
   * Changes the settings. A running task is stopped only where the change affects it, since an aborted order counts, too.
   * @throws {Refusal} `invalid_field`, and the refusals of the store; then nothing has changed
   */
  async change(given: PublicSettings): Promise<void> {
    const settings = checkPublicSettings(given);
    await this.#mutex.runExclusive(async () => {
      await this.#options.store.save(settings);
      const isAskedAlike =
        settings.enabled === this.#settings.enabled &&
        settingsKey(settings) === settingsKey(this.#settings);
      if (settings.enabled && !this.#settings.enabled)
        this.#record.now = switchedOn(this.#record.now);
      this.#settings = settings;
      if (!isAskedAlike) {
        this.#served = this.#servedOf(this.#issued);
        this.#dismiss();
        this.#wantsTest = false;
        this.#interrupt();
      }
      this.certificateChanged.emit();
      this.changed.emit();
      this.#runner.wake();
    });
  }

  /**
   * Has the CA try to get in, soon; how it went shows in the view.
   * @throws {Refusal} `no_public_address`, `test_limit`
   */
  async test(): Promise<void> {
    const { enabled, name, agreed } = this.#settings;
    if (!enabled || name === "" || !agreed)
      throw new Refusal(
        "no_public_address",
        "There is nothing to test yet: switch the public address on, give it a name and agree to the terms.",
      );
    const { now } = this.#facts();
    const freeAt = nextFreeAt(this.#record.now.tests, {
      most: TESTS_AN_HOUR,
      windowMs: HOUR_MS,
      now,
    });
    if (freeAt > now)
      throw new Refusal(
        "test_limit",
        `There were ${TESTS_AN_HOUR} tests in the last hour: wait a little.`,
        { retryAfter: Math.ceil((freeAt - now) / 1_000) },
      );
    this.#wantsTest = true;
    this.#runner.wake();
  }

  /** Notes a visitor from outside by the public name. */
  reached(): void {
    this.#reachedAt = this.#facts().now;
    this.#tell();
  }

  /** Stops the running task. The port of the router stays open. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#forget();
    this.#dismiss();
    await this.#runner.close();
  }

  #facts(): PublicTaskFacts {
    return { ...this.#knownFacts(), isTunnelled: this.#options.isTunnelled() };
  }

  /** The facts that need no system call. */
  #knownFacts(): Omit<PublicTaskFacts, "isTunnelled"> {
    const { clock, port } = this.#options;
    return {
      settings: this.#settings,
      now: Math.floor(clock.now()),
      isSure: clock.sure,
      served: this.#served,
      port,
      reachedAt: this.#reachedAt,
      wantsTest: this.#wantsTest,
    };
  }

  /**
   * A task at the router is waited for: a mapping that it granted must be known, to be taken
   * back.
   */
  #interrupt(): void {
    const isOfRouter = ["open-port", "close-port"].includes(this.#runner.task?.kind ?? "");
    if (!isOfRouter) this.#runner.stop();
  }

  #next(record: PublicRecord): Decision<PublicRecord, PublicTask> {
    const decision = nextPublicTask(record, this.#facts());
    return this.#settings.enabled ? { wakeAt: Number.POSITIVE_INFINITY, ...decision } : decision;
  }

  #before(record: PublicRecord, task: PublicTask): PublicRecord {
    if (task.kind === "test") this.#wantsTest = false;
    return isCounted(task) ? beforeTask(record, task, this.#facts()) : record;
  }

  async #run(task: PublicTask, signal: AbortSignal): Promise<PublicOutcome> {
    const messenger = this.#messenger ?? (await this.#send());
    return messenger.run(
      task,
      {
        served: this.#issued?.chain,
        keep: async (issued) => {
          if (!signal.aborted) await this.#keep(issued);
        },
      },
      signal,
    );
  }

  /**
   * The messenger for the settings as they are; it listens to the router where that opens the port.
   */
  async #send(): Promise<Messenger> {
    const settings = this.#settings;
    const messenger = await this.#options.messenger(settings);
    // The settings have changed meanwhile, so this messenger is for this task only.
    if (settings !== this.#settings || this.#isClosed) return messenger;
    this.#messenger = messenger;
    if (opensPort(this.#facts()))
      this.#stopListening = messenger.listen(() => {
        this.#record.now = askedAnew(this.#record.now);
        this.#runner.wake();
      });
    return messenger;
  }

  #dismiss(): void {
    this.#messenger = undefined;
    this.#stopListening();
    this.#stopListening = () => {};
  }

  async #keep(issued: Issued): Promise<void> {
    await this.#options.keys.saveChain(issued);
    this.#issued = issued;
    this.#served = this.#servedOf(issued);
    this.#options.log.info("There is a new certificate for the public address.");
    this.certificateChanged.emit();
  }

  #servedOf(issued: Issued | undefined): Served | undefined {
    if (issued === undefined) return undefined;
    const { chain, notBefore, notAfter } = issued;
    const { name } = this.#settings;
    return {
      id: sha256(chain).toString("hex").slice(0, 32),
      fits: name !== "" && this.#options.isFor(issued, name),
      notBefore,
      notAfter,
    };
  }

  /** @returns false where it could not be written */
  async #save(record: PublicRecord): Promise<boolean> {
    const isNew = !isSameButTimes(record, this.#record.now);
    this.#record.now = record;
    return isNew ? this.#options.keys.saveRecord(record) : true;
  }

  #tell(): void {
    const isLive = this.certificate !== undefined;
    if (isLive !== this.#isShownLive) {
      this.#isShownLive = isLive;
      this.certificateChanged.emit();
    }
    const shown = JSON.stringify(this.view());
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.changed.emit();
  }
}

const STOPPED: PublicOutcome = { kind: "stopped" };

/** The outcome of a task that fails in itself. */
const FAILED: Readonly<Record<PublicTask["kind"], PublicOutcome>> = {
  "close-port": { kind: "closed", isGone: false },
  "find-address": { kind: "address", address: { v4: null, standing: "unknown" } },
  "open-port": { kind: "port", answer: { kind: "no-router" } },
  "tell-dns": { kind: "told", answer: { kind: "later", why: "the machine failed" } },
  "look-up": { kind: "looked-up", result: "unknown" },
  "ask-renewal": { kind: "no-window" },
  test: { kind: "ca", failure: "bad-answer", detail: "the machine failed" },
  order: { kind: "ca", failure: "bad-answer", detail: "the machine failed" },
};
