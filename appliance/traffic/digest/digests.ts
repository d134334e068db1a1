import type { Day } from "../../base/calendar.ts";
import type { Clock } from "../../base/clock.ts";
import { bodyOf, type Documents, ONLY } from "../../base/documents.ts";
import { DIGEST, type KeptDigest } from "../../base/input/digest.ts";
import type { Log } from "../../base/log.ts";
import { isRefusal, Refusal } from "../../base/refusal.ts";
import type { SendOutcome } from "../../base/send-outcome.ts";
import type { Cancel } from "../../base/signal.ts";
import { TaskRunner } from "../../base/tasks/task-runner.ts";
import {
  type Delivery,
  type DeliveryView,
  type DigestStanding,
  type DigestTarget,
  targetsOf,
} from "../../base/text/digest.ts";
import { type Numbers, type SiteKey, settingOfSite } from "../../store/store.ts";
import type { PastAlarm } from "../alarms/alarm-log.ts";
import { type DigestFigures, digestFigures } from "./figures.ts";
import { digestHtml } from "./html.ts";
import {
  afterDelivery,
  beforeDelivery,
  type DigestTask,
  lastOf,
  nextDelivery,
  nextDue,
  type OwnDigest,
  triedAt,
} from "./machine.ts";
import { type DigestRecord, dueNow, startedAnew } from "./record.ts";
import { digestText } from "./words.ts";

/** A finished digest for its targets. */
export interface MadeDigest {
  readonly figures: DigestFigures;
  /** The digest as plain text, and as the HTML of a mail. */
  readonly text: string;
  readonly html: string;
}

/** Sends digests to their targets. Each function resolves with the outcome, a failure too, or throws. */
export interface DigestPost {
  send(target: DigestTarget, settings: KeptDigest, digest: MadeDigest): Promise<SendOutcome>;
}

interface DigestsOptions {
  readonly numbers: Pick<Numbers, "directory" | "directoryChanged" | "read" | "zone">;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  /** The id of this box among all that have these sites. */
  readonly box: string;
  readonly documents: Documents<DigestRecord>;
  readonly post: DigestPost;
  /** The alarms of a site that fired within a span of epoch milliseconds. */
  readonly alarms: (site: string, from: number, until: number) => readonly PastAlarm[];
}

/** The longest sleep, after which a step of the clock is noticed. */
const LONGEST_SLEEP_MS = 600_000;
const STOPPED: SendOutcome = { kind: "again", why: "The machine was stopped." };
const UNNOTED: SendOutcome = {
  kind: "again",
  why: "The machine could not write down that it sends it.",
};

/** Sends digests of sites at their hours, each once. */
export class Digests {
  readonly #options: DigestsOptions;
  readonly #runner: TaskRunner<DigestRecord, DigestTask, SendOutcome>;
  readonly #record: { now: DigestRecord; save(record: DigestRecord): Promise<boolean> };
  readonly #stops: readonly Cancel[];
  #digests: readonly OwnDigest[] = [];
  #reading: Promise<void> = Promise.resolve();
  #isSendingNow = false;

  private constructor(options: DigestsOptions, kept: DigestRecord) {
    const { clock, numbers, log } = options;
    this.#options = options;
    this.#record = { now: startedAnew(kept), save: (record) => this.#save(record) };
    this.#runner = new TaskRunner({
      clock,
      record: this.#record,
      next: (record) => nextDelivery(record, this.#facts()),
      before: (record, task) => beforeDelivery(record, task, clock.now()),
      after: (record, task, outcome) => afterDelivery(record, task, outcome, clock.now()),
      run: (task) => this.#run(task),
      failed: () => UNNOTED,
      onError: (err) => log.warn({ err }, "A digest could not be sent"),
      stopped: STOPPED,
      isDoneUnnoted: () => false,
      isLeft: true,
      longestSleepMs: LONGEST_SLEEP_MS,
      told: () => {},
    });
    this.#stops = [
      numbers.directoryChanged.on(() => void this.reload()),
      clock.becameSure.on(() => this.#runner.wake()),
    ];
  }

  static async open(options: DigestsOptions): Promise<Digests> {
    const [stored] = await options.documents.list();
    const digests = new Digests(options, stored?.body ?? { digests: [] });
    void digests.reload();
    return digests;
  }

  /** The id of this box among those that may send digests. */
  get box(): string {
    return this.#options.box;
  }

  /** Reads the settings; resolves when they are in force. Settings that cannot be read stay as they were. */
  reload(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#reload()).catch(() => {});
    return this.#reading;
  }

  /** Tries failed deliveries again at once, after a change of the settings that they may have failed by. */
  tryAgain(): void {
    this.#record.now = dueNow(this.#record.now);
    this.#runner.wake();
  }

  /** The state of a site's digest; undefined where this box sends none of it. */
  standing(site: SiteKey): DigestStanding | undefined {
    const digest = this.#digests.find((each) => each.site === site);
    if (digest === undefined) return undefined;
    const { now, isSure, zone } = this.#facts();
    const { settings } = digest;
    const last = lastOf(this.#record.now, digest, { now, zone });
    return {
      next: settings.enabled && isSure ? nextDue(settings, zone, now) : null,
      last: last
        ? { dueAt: last.dueAt, deliveries: last.deliveries.map((each) => viewOf(each)) }
        : null,
    };
  }

  /**
   * Sends the digest of a site that would be due now to all its targets, once more.
   * @returns the outcome of each
   * @throws {Refusal} `not_now`, `not_found`, and as `Numbers.read`
   */
  async sendNow(site: SiteKey): Promise<{ target: DigestTarget; outcome: SendOutcome }[]> {
    const digest = this.#digests.find((each) => each.site === site);
    if (digest === undefined)
      throw new Refusal("not_found", "This machine sends no digest of this site. Save one first.");
    if (this.#isSendingNow || !this.#options.clock.sure)
      throw new Refusal(
        "not_now",
        this.#isSendingNow
          ? "A digest is being sent already. Wait until it is."
          : "The clock of the machine is not set yet, so it does not know which day it is. Wait a moment.",
      );
    this.#isSendingNow = true;
    try {
      const { numbers, clock, post } = this.#options;
      const made = await this.#make(digest, numbers.zone.today(clock.now()) - 1);
      const results: { target: DigestTarget; outcome: SendOutcome }[] = [];
      for (const target of targetsOf(digest.settings))
        results.push({ target, outcome: await post.send(target, digest.settings, made) });
      return results;
    } finally {
      this.#isSendingNow = false;
    }
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    await this.#runner.close();
  }

  #facts() {
    const { clock, numbers } = this.#options;
    return { digests: this.#digests, now: clock.now(), isSure: clock.sure, zone: numbers.zone };
  }

  async #reload(): Promise<void> {
    const { numbers, box } = this.#options;
    const rows = await numbers.read("ofSites", { kind: DIGEST.name });
    this.#digests = rows.flatMap(({ site, body }): OwnDigest[] => {
      const id = numbers.directory.sites.find(({ key }) => key === site)?.id;
      const settings = bodyOf(DIGEST, String(site), body);
      return id === undefined || settings?.box !== box ? [] : [{ site, id, settings }];
    });
    this.#runner.wake();
  }

  async #run({ digest, last: { day }, target }: DigestTask): Promise<SendOutcome> {
    const { post } = this.#options;
    let made: MadeDigest;
    try {
      made = await this.#make(digest, day);
    } catch (error) {
      if (isRefusal(error, "not_found")) return { kind: "never", why: error.message };
      return { kind: "again", why: "The numbers of the site could not be read." };
    }
    return post.send(target, digest.settings, made);
  }

  /**
   * A box that shares these sites may have taken a digest over, and nobody tells this one.
   * @throws {Refusal} `not_found` where it has
   */
  async #expectOwn(site: SiteKey): Promise<void> {
    const { numbers, box } = this.#options;
    const kept = await settingOfSite(numbers, DIGEST, site);
    if (kept?.box === box) return;
    void this.reload();
    throw new Refusal("not_found", "Another machine sends the digest of this site now.");
  }

  /** @param to its last day */
  async #make({ site, settings: { every }, ...was }: OwnDigest, to: Day): Promise<MadeDigest> {
    const { numbers, clock, alarms } = this.#options;
    await this.#expectOwn(site);
    const { zone, directory } = numbers;
    const { id } = directory.sites.find(({ key }) => key === site) ?? was;
    const figures = await digestFigures(numbers, {
      site: { key: site, id },
      every,
      to,
      zone,
      alarms,
      now: clock.now(),
    });
    return { figures, text: digestText(figures, zone), html: digestHtml(figures, zone) };
  }

  /** @returns false where it could not be written */
  async #save(record: DigestRecord): Promise<boolean> {
    this.#record.now = record;
    try {
      await this.#options.documents.change({ put: [{ id: ONLY, body: record }] });
      return true;
    } catch {
      return false;
    }
  }
}

function viewOf(delivery: Delivery): DeliveryView {
  const { tries, ...shown } = delivery;
  return { ...shown, next: delivery.state === "due" && tries > 0 ? triedAt(delivery) : null };
}
