import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { DAY_MS, type Day, HOUR_MS } from "../../../appliance/base/calendar.ts";
import type { ValueRule } from "../../../appliance/base/text/dimensions.ts";
import type { HitRecord } from "../../../appliance/store/log/record.ts";
import { detailFrom } from "../../../appliance/store/settling/folding.ts";
import type { Snapshot } from "../../../appliance/store/snapshot.ts";
import type { Store } from "../../../appliance/store/store.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { ruled, type Seeded } from "../../helpers/store-life.ts";
import { Model } from "./model.ts";

const BEGAN = Date.parse("2026-03-04T09:00:00Z");
/** The texts of a flood, whose names a day does not take. */
const MANY = 1_000;

/** A hit of a site, as often as it says; null is a site that does not exist. */
export type Sent = Omit<HitRecord, "moment" | "site"> & { readonly site: string | null };

/** The place of a power cut: before a transaction, after it but before its answer, or in the middle of it. */
export type Moment = "before" | "after" | "torn";

/** A fault of the next commits. */
export type Trouble = "fails" | "late";

/** A store in virtual time, and what it must have counted. */
export abstract class SimulatedStore {
  model = new Model();
  clock = new FakeClock(BEGAN);
  store!: Pick<Store, "numbers" | "close">;
  readonly retentionDays: number;
  detailDays = 10;
  dayZone = "UTC";
  /** The running time over all boots. */
  ran = 0;
  readonly draw: Seeded;
  /** The true time. */
  protected truth = BEGAN;
  #boots = 0;
  #sites = 0;
  /** Until when all was settled, by the time run. */
  #settledAt = 0;

  constructor(draw: Seeded) {
    this.draw = draw;
    this.retentionDays = draw.pick([25, 40, 70]);
  }

  /** No new values are taken in. */
  abstract readonly isShort: boolean;
  /** Opens its next store. */
  protected abstract open(): Promise<Pick<Store, "numbers" | "close">>;
  /** A snapshot of the stored data. */
  abstract snapshot<T>(task: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /** The days that something stored was counted on. */
  protected abstract countedDays(): Promise<ReadonlySet<Day>>;
  /** The rows left of an erased site: itself, and blocks of sites that do not exist. */
  protected abstract leftOf(id: string): Promise<number>;
  /** By somebody else, who does not wait for what the store is about to settle. */
  protected abstract eraseMeanwhile(id: string): Promise<void>;
  /** Lets commits fail until `count` has begun. Resolves when the fault is over. */
  protected abstract trouble(trouble: Trouble, count: () => Promise<void>): Promise<void>;
  /** Has all that runs end at one of the next transactions. @returns when it is about to */
  protected abstract cutAt(moment: Moment): Promise<void>;
  /** Ends it, and leaves what is stored as it is. */
  protected abstract powerOff(): Promise<void>;
  /** Nothing of it is open any more. */
  protected abstract leave(): Promise<void>;

  get today(): number {
    const { zone, clock } = this.store.numbers;
    return zone.today(clock.now());
  }

  keyOf(id: string): number {
    return (
      this.store.numbers.directory.sites.find((site) => site.id === id)?.key ?? assert.fail(id)
    );
  }

  async boot(isSure = true): Promise<void> {
    const { draw } = this;
    this.#boots++;
    const lag = isSure ? 0 : draw.below(40) * HOUR_MS;
    this.clock = new FakeClock(this.truth - lag, { sure: isSure, boot: `boot ${this.#boots}` });
    this.store = await this.open();
    await this.wait(this.#ready());
    await this.upkeep();
  }

  async #ready(): Promise<void> {
    while (!this.store.numbers.ready) await turn();
  }

  async stop(): Promise<void> {
    await this.wait(this.store.close());
    await this.leave();
  }

  async pass(ms: number): Promise<void> {
    this.truth += ms;
    this.ran += ms;
    this.clock.jump(ms);
    await turn();
  }

  /** Time may have to pass before a promise is fulfilled. */
  wait<T>(promise: Promise<T>): Promise<T> {
    return promise;
  }

  /** All upkeep that is due is done, and what went by it is of the past. */
  async upkeep(): Promise<void> {
    await this.settle();
    const { model, ran, retentionDays } = this;
    if (this.isShort) model.loseNames(this.#settledAt);
    model.loseDetail(detailFrom(this));
    this.#settledAt = ran;
    this.#fileWaiting(model);
    const kept = await this.countedDays();
    // Undated hits in the log have no mark yet.
    if (this.store.numbers.clock.sure) model.forget(kept, this.today, retentionDays, ran);
  }

  protected async settle(): Promise<void> {
    await this.store.numbers.upkeep.anew();
  }

  async addSite(): Promise<void> {
    const id = String(++this.#sites);
    await this.wait(this.store.numbers.write("createSite", { id }));
    this.model.addSite(id);
  }

  /** Erases a site, some of whose hits are on their way into blocks. */
  async erase(id: string, hits: readonly Sent[]): Promise<void> {
    await this.upkeep();
    await this.send(hits);
    await this.eraseMeanwhile(id);
    this.model.erase(id);
    await this.upkeep();
    assert.equal(await this.leftOf(id), 0, "an erased site, or blocks of it, are left");
  }

  /** Makes values of a site one, perhaps while power goes. */
  async merge(id: string, rule: ValueRule, cut?: () => Promise<void>): Promise<void> {
    const outcome = await this.wait(this.store.numbers.write("mergeValues", { id, rule }));
    assert.equal(outcome, this.model.merge(id, rule));
    await cut?.();
    await this.upkeep();
  }

  /** Sends hits all at once. */
  async send(hits: readonly Sent[], by = this.store): Promise<void> {
    const stored = this.#count(hits, by);
    this.#remember(hits);
    await this.wait(stored);
  }

  /** The same while commits fail for some tries, or are answered when nobody waits any more. */
  sendInTrouble(hits: readonly Sent[], trouble: Trouble): Promise<void> {
    return this.trouble(trouble, () => {
      const answered = this.#count(hits);
      this.#remember(hits);
      return answered;
    });
  }

  /** Sends hits while all that runs is ended, as where power goes, and starts again. */
  async cutPower(hits: readonly Sent[], moment: Moment, isSure: boolean): Promise<void> {
    const cut = this.cutAt(moment);
    let isAnswered = false;
    const { boot } = this.clock;
    const answered = this.#count(hits).then(() => {
      isAnswered = true;
      return this.store.numbers.upkeep.anew();
    });
    const { model } = this;
    const without = model.copy();
    this.#remember(hits);
    await this.wait(Promise.race([cut, answered]));
    assert.equal(this.clock.boot, boot);
    // Requests that have waited for long are answered, although nothing is stored.
    const isTold = isAnswered && this.store.numbers.figures.waitingHits === 0;
    await this.powerOff();
    this.truth += this.draw.below(3 * 24) * HOUR_MS;
    const [first] = hits;
    if (isTold || first?.site === null || first === undefined) return this.boot(isSure);
    // No request was answered, so both are right: all hits, or none.
    this.model = without;
    await this.#bootEither(model, first.site, isSure);
  }

  async #bootEither(withAll: Model, id: string, isSure: boolean): Promise<void> {
    const without = this.model;
    this.model = new Model();
    await this.boot(isSure);
    const key = this.keyOf(id);
    const range = { site: key, from: this.today, to: this.today };
    const { total } = await this.store.numbers.read("viewCounts", range);
    for (const model of [without, withAll]) this.#fileWaiting(model);
    this.model = total === withAll.total(id) ? withAll : without;
    await this.upkeep();
  }

  /** The wall clock is set, while it is sure. */
  setWall(aheadMs: number): void {
    this.clock.setWall(this.truth + aheadMs);
  }

  async becomeSure(): Promise<void> {
    this.clock.becomeSure(this.truth);
    await this.upkeep();
  }

  async restart(isSure: boolean): Promise<void> {
    await this.stop();
    this.truth += this.draw.below(10) * HOUR_MS;
    await this.boot(isSure);
  }

  async addSurvey(id: string, answer: string): Promise<void> {
    const payload = JSON.stringify({ sv: 1, a: { q: answer } });
    await this.wait(this.store.numbers.addSurvey(this.keyOf(id), 1, payload));
    const site = this.model.sites.get(id);
    const { clock } = this.store.numbers;
    if (clock.sure) site?.surveys.push(answer);
    else site?.waitingSurveys.push([clock.boot, answer]);
  }

  async #count(hits: readonly Sent[], by = this.store): Promise<void> {
    const all: Promise<void>[] = [];
    const { clock } = by.numbers;
    for (const { site, times, kind, flags, values: said } of hits) {
      const rules = site === null ? undefined : this.model.sites.get(site)?.rules;
      // Collectors follow the rules. What waits for the clock is in no answer, and may come from one that has not heard.
      const values = rules && clock.sure ? ruled({ values: said }, rules).values : said;
      for (let n = 0; n < times; n++)
        all.push(
          by.numbers.count(site === null ? null : this.keyOf(site), { kind, flags, values }),
        );
    }
    await Promise.all(all);
  }

  #remember(hits: readonly Sent[]): void {
    const { model, store, ran } = this;
    const { clock } = store.numbers;
    const known = hits.filter((hit): hit is Sent & { site: string } => hit.site !== null);
    const monotonic = Math.floor(clock.monotonic());
    const moment = clock.sure
      ? store.numbers.zone.hourAt(clock.now())
      : Math.floor(clock.monotonic() / 1_000);
    const records = known.map((hit) => ({ ...hit, site: Number(hit.site), moment }));
    const paths = new Set(records.flatMap(({ values }) => values.map(String)));
    const isFlooded = this.isShort || paths.size > MANY;
    const { boot } = clock;
    const savedZero = clock.now() - monotonic;
    if (!clock.sure) model.waiting.push({ boot, savedZero, ran, isFlooded, records });
    else
      for (const [site, its] of Map.groupBy(records, (record) => record.site))
        model.count(String(site), its, ran, isFlooded);
  }

  /** Dates hits whose time is known by now. */
  #fileWaiting(model: Model): void {
    const { store, isShort } = this;
    const { clock } = store.numbers;
    const bootedAt = clock.sure ? clock.now() - clock.monotonic() : null;
    model.file(clock.boot, bootedAt, store.numbers.zone, isShort);
  }

  /** Runs until all that was counted is past retention. */
  async outlive(): Promise<void> {
    await this.restart(true);
    for (let day = 0; day <= this.retentionDays + 60; day++) {
      await this.pass(DAY_MS);
      // Mostly each goes by itself.
      if (this.draw.below(4) > 0) await this.upkeep();
    }
    await this.upkeep();
    for (const { days } of this.model.sites.values()) assert.equal(days.size, 0, "it outlives");
  }
}
