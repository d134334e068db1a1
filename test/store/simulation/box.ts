import assert from "node:assert/strict";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { DAY_MS, HOUR_MS } from "../../../appliance/base/calendar.ts";
import { silentLog } from "../../../appliance/base/log.ts";
import type { HitRecord } from "../../../appliance/store/log/record.ts";
import { detailFrom } from "../../../appliance/store/settling/folding.ts";
import { backUp } from "../../../appliance/store/sqlite/copies/backup.ts";
import { restore } from "../../../appliance/store/sqlite/copies/restore.ts";
import { dayMarks } from "../../../appliance/store/sqlite/counted-days.ts";
import {
  type Database,
  databaseFile,
  openForReading,
} from "../../../appliance/store/sqlite/database.ts";
import { SqliteDesk } from "../../../appliance/store/sqlite/desk.ts";
import { findSite } from "../../../appliance/store/sqlite/tables/sites.ts";
import { Store } from "../../../appliance/store/store.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import type { Seeded } from "../../helpers/store-life.ts";
import { CutThreads, type Moment } from "./cut-threads.ts";
import { Model } from "./model.ts";

const BEGAN = Date.parse("2026-03-04T09:00:00Z");
const GB = 2 ** 30;
const ROOMY = { free: 50 * GB, total: 64 * GB };
const SHORT = { free: GB / 16, total: 64 * GB };
/** Longer than a look at the room takes to come, and than any retry waits. */
const A_WHILE_MS = 65_000;
/** So many texts at once are a flood, whose names a day does not take. */
const MANY = 1_000;

/** A hit of a site, as often as it says; null is a site that does not exist. */
export type Sent = Omit<HitRecord, "moment" | "site"> & { readonly site: string | null };

/** A box with its data in a folder, and what it must have counted. */
export class SimulatedBox {
  model = new Model();
  clock = new FakeClock(BEGAN);
  store!: Store;
  readonly retentionDays: number;
  detailDays = 10;
  dayZone = "UTC";
  /** How long the box has run, over all boots. */
  ran = 0;
  readonly draw: Seeded;
  readonly #folder: string;
  #threads!: CutThreads;
  #truth = BEGAN;
  #boots = 0;
  #sites = 0;
  #space = ROOMY;
  /** Until when all was settled, by the time run. */
  #settledAt = 0;
  #backup: Model | undefined;
  #reader: Database | undefined;

  constructor(folder: string, draw: Seeded) {
    this.#folder = folder;
    this.draw = draw;
    this.retentionDays = draw.pick([25, 40, 70]);
  }

  get #file(): string {
    return databaseFile(this.#folder);
  }

  get #backupFile(): string {
    return join(this.#folder, "backup.db");
  }

  get isShort(): boolean {
    return this.#space === SHORT;
  }

  get today(): number {
    return this.store.zone.today(this.clock.now());
  }

  /** To read what is on the disk. */
  get reader(): Database {
    this.#reader ??= openForReading(this.#file);
    return this.#reader;
  }

  keyOf(id: string): number {
    return this.store.directory.sites.find((site) => site.id === id)?.key ?? assert.fail(id);
  }

  async boot(isSure = true): Promise<void> {
    const { draw } = this;
    this.#boots++;
    const lag = isSure ? 0 : draw.below(40) * HOUR_MS;
    this.clock = new FakeClock(this.#truth - lag, { sure: isSure, boot: `boot ${this.#boots}` });
    this.#threads = new CutThreads(this.#file, draw.below);
    const { clock, retentionDays, detailDays, dayZone } = this;
    this.store = await Store.open({
      ...{ clock, retentionDays, detailDays, dayZone, threads: this.#threads },
      dataDir: this.#folder,
      log: silentLog(),
      space: async () => this.#space,
    });
    await this.upkeep();
  }

  async stop(): Promise<void> {
    this.#reader?.close();
    this.#reader = undefined;
    await this.store.close();
  }

  async pass(ms: number): Promise<void> {
    this.#truth += ms;
    this.ran += ms;
    this.clock.jump(ms);
    await turn();
  }

  /** All upkeep that is due is done, and what went by it is of the past. */
  async upkeep(): Promise<void> {
    await this.store.upkeep();
    const { clock, model, ran, retentionDays } = this;
    if (this.isShort) model.loseNames(this.#settledAt);
    model.loseDetail(detailFrom(this));
    this.#settledAt = ran;
    this.#fileWaiting(model);
    const kept = new Set(dayMarks(this.reader).keys());
    // What waits in the log has no mark yet.
    if (clock.sure) model.forget(kept, this.today, retentionDays, ran);
  }

  async addSite(): Promise<void> {
    const id = String(++this.#sites);
    await this.store.write("createSite", { id });
    this.model.addSite(id);
  }

  /** Erases a site, some of whose hits are on their way into blocks. */
  async erase(id: string, hits: readonly Sent[]): Promise<void> {
    await this.upkeep();
    await this.send(hits);
    const { isHeld, goOn } = this.#threads.holdSettlement();
    const settled = this.store.upkeep();
    await Promise.race([isHeld, settled]);
    // By the command line, which does not wait for what the service is about to settle.
    const desk = SqliteDesk.toChange(this.#folder, false);
    await desk.write("eraseSite", { id });
    await desk.eraseCounts();
    await desk.close();
    goOn();
    await settled;
    this.model.erase(id);
    await this.upkeep();
    assert.equal(findSite(this.reader, id), undefined);
    const left = "SELECT count(*) FROM block WHERE site NOT IN (SELECT key FROM site)";
    assert.equal(this.reader.prepare(left).pluck().get(), 0, "blocks of an erased site are left");
  }

  /** Sends hits all at once. */
  async send(hits: readonly Sent[]): Promise<void> {
    const stored = this.#count(hits);
    this.#remember(hits);
    await stored;
  }

  /** The same while the disk is away for some tries, or answers when nobody waits any more. */
  async sendInTrouble(hits: readonly Sent[], trouble: "fails" | "late"): Promise<void> {
    this.#threads.trouble = trouble;
    const answered = this.#count(hits);
    this.#remember(hits);
    await turn();
    await turn();
    await this.pass(6_000);
    await answered;
    this.#threads.release();
    const { store } = this;
    while (store.figures.waitingHits > 0 || store.figures.unavailable) {
      await this.pass(A_WHILE_MS);
      await turn();
    }
  }

  /** Sends hits while power goes at one of the next writes, and starts again. */
  async cutPower(hits: readonly Sent[], moment: Moment, isSure: boolean): Promise<void> {
    const cut = this.#threads.cutAt(this.draw.below(4), moment);
    let isAnswered = false;
    const boot = this.clock.boot;
    const answered = this.#count(hits).then(() => {
      isAnswered = true;
      return this.store.upkeep();
    });
    const { model } = this;
    const without = model.copy();
    this.#remember(hits);
    await Promise.race([cut, answered]);
    assert.equal(this.clock.boot, boot);
    this.#reader?.close();
    this.#reader = undefined;
    await this.#threads.powerOff();
    this.#truth += this.draw.below(3 * 24) * HOUR_MS;
    const [first] = hits;
    if (isAnswered || first?.site === null || first === undefined) return this.boot(isSure);
    // Nobody was told, so both are right: all of them, or none.
    this.model = without;
    await this.#bootEither(model, first.site, isSure);
  }

  async #bootEither(withAll: Model, id: string, isSure: boolean): Promise<void> {
    const without = this.model;
    this.model = new Model();
    await this.boot(isSure);
    const key = this.keyOf(id);
    const range = { site: key, from: this.today, to: this.today };
    const { total } = await this.store.read("viewCounts", range);
    for (const model of [without, withAll]) this.#fileWaiting(model);
    this.model = total === withAll.total(id) ? withAll : without;
    await this.upkeep();
  }

  /** The wall clock is set, while it is sure. */
  setWall(aheadMs: number): void {
    this.clock.setWall(this.#truth + aheadMs);
  }

  async becomeSure(): Promise<void> {
    this.clock.becomeSure(this.#truth);
    await this.upkeep();
  }

  async restart(isSure: boolean): Promise<void> {
    await this.stop();
    this.#truth += this.draw.below(10) * HOUR_MS;
    await this.boot(isSure);
  }

  async backUp(): Promise<void> {
    backUp(this.#file, this.#backupFile);
    this.#backup = this.model.copy();
  }

  async restore(): Promise<void> {
    if (this.#backup === undefined) return;
    await this.stop();
    await restore(this.#backupFile, this.#file, async () => {});
    this.model = this.#backup.copy();
    await this.boot();
    await this.store.cameUp(async () => {});
  }

  async makeShort(isShort: boolean): Promise<void> {
    this.#space = isShort ? SHORT : ROOMY;
    await this.pass(A_WHILE_MS);
    while (this.store.warnings.includes("storage_full") !== isShort) await turn();
    await this.upkeep();
  }

  async addSurvey(id: string, answer: string): Promise<void> {
    const payload = JSON.stringify({ sv: 1, a: { q: answer } });
    await this.store.addSurvey(this.keyOf(id), 1, payload);
    const site = this.model.sites.get(id);
    if (this.clock.sure) site?.surveys.push(answer);
    else site?.waitingSurveys.push([this.clock.boot, answer]);
  }

  async #count(hits: readonly Sent[]): Promise<void> {
    const all: Promise<void>[] = [];
    for (const { site, times, kind, flags, values } of hits)
      for (let n = 0; n < times; n++)
        all.push(
          this.store.count(site === null ? null : this.keyOf(site), { kind, flags, values }),
        );
    await Promise.all(all);
  }

  #remember(hits: readonly Sent[]): void {
    const { clock, model, store, ran } = this;
    const known = hits.filter((hit): hit is Sent & { site: string } => hit.site !== null);
    const monotonic = Math.floor(clock.monotonic());
    const moment = clock.sure
      ? store.zone.hourAt(clock.now())
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

  /** What waited for a clock is filed where its time is known by now. */
  #fileWaiting(model: Model): void {
    const { clock, store, isShort } = this;
    const bootedAt = clock.sure ? clock.now() - clock.monotonic() : null;
    model.file(clock.boot, bootedAt, store.zone, isShort);
  }

  /** Runs until all that was counted is past retention. */
  async outlive(): Promise<void> {
    await this.restart(true);
    for (let day = 0; day <= this.retentionDays + 60; day++) await this.pass(DAY_MS);
    await this.upkeep();
    for (const { days } of this.model.sites.values()) assert.equal(days.size, 0, "it outlives");
  }
}
