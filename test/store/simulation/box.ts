import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { DOCUMENT_KINDS } from "../../../appliance/app/service/document-kinds.ts";
import type { Day } from "../../../appliance/base/calendar.ts";
import { silentLog } from "../../../appliance/base/log.ts";
import { timeRun } from "../../../appliance/store/settling/day-marks.ts";
import type { Snapshot } from "../../../appliance/store/snapshot.ts";
import { backUp } from "../../../appliance/store/sqlite/copies/backup.ts";
import { restore } from "../../../appliance/store/sqlite/copies/restore.ts";
import {
  type Database,
  databaseFile,
  openForReading,
} from "../../../appliance/store/sqlite/database.ts";
import { SqliteDb } from "../../../appliance/store/sqlite/db.ts";
import { SqliteDesk } from "../../../appliance/store/sqlite/desk.ts";
import { type LocalData, Store } from "../../../appliance/store/store.ts";
import type { Seeded } from "../../helpers/store-life.ts";
import { CutThreads } from "./cut-threads.ts";
import type { Model } from "./model.ts";
import { type Moment, SimulatedStore, type Trouble } from "./store.ts";

const GB = 2 ** 30;
const ROOMY = { free: 50 * GB, total: 64 * GB };
const SHORT = { free: GB / 16, total: 64 * GB };
/** Longer than a look at the room takes to come, and than any retry waits. */
const A_WHILE_MS = 65_000;

/** A box with its data in a folder. */
export class SimulatedBox extends SimulatedStore {
  readonly #folder: string;
  #threads!: CutThreads;
  #space = ROOMY;
  #backup: Model | undefined;
  #reader: Database | undefined;
  #box: LocalData | undefined;

  constructor(folder: string, draw: Seeded) {
    super(draw);
    this.#folder = folder;
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

  /** To read what is on the disk. */
  get #db(): Database {
    this.#reader ??= openForReading(this.#file);
    return this.#reader;
  }

  protected async open(): Promise<Store> {
    this.#threads = new CutThreads(this.#file, this.draw.below);
    const { clock, dayZone, retentionDays, detailDays } = this;
    const store = await Store.open({
      clock,
      dayZone,
      retentionDays,
      detailDays,
      threads: this.#threads,
      dataDir: this.#folder,
      log: silentLog(),
      space: async () => this.#space,
    });
    this.#box = store.local;
    return store;
  }

  protected async leave(): Promise<void> {
    this.#reader?.close();
    this.#reader = undefined;
  }

  snapshot<T>(task: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const db = new SqliteDb(this.#db);
    return db.transaction((sql) => task(sql.snapshot), { read: true });
  }

  protected async countedDays(): Promise<ReadonlySet<Day>> {
    return new Set((await timeRun(new SqliteDb(this.#db).rows)).marks.keys());
  }

  protected async leftOf(id: string): Promise<number> {
    const left = `SELECT (SELECT count(*) FROM site WHERE id = ?)
      + (SELECT count(*) FROM block WHERE site NOT IN (SELECT key FROM site))
      + (SELECT count(*) FROM piece WHERE (site, month, source, part) NOT IN
        (SELECT site, month, source, part FROM block))`;
    return this.#db.prepare(left).pluck().get(id) as number;
  }

  /** By the command line. */
  protected async eraseMeanwhile(id: string): Promise<void> {
    const { isHeld, goOn } = this.#threads.holdSettlement();
    const settled = this.store.numbers.upkeep.anew();
    await Promise.race([isHeld, settled]);
    const desk = await SqliteDesk.toChange(this.#folder, false);
    await desk.write("eraseSite", { id });
    await desk.eraseCounts();
    await desk.close();
    goOn();
    await settled;
  }

  protected async trouble(trouble: Trouble, count: () => Promise<void>): Promise<void> {
    this.#threads.trouble = trouble;
    const answered = count();
    await turn();
    await turn();
    await this.pass(6_000);
    await answered;
    this.#threads.release();
    const { store } = this;
    while (store.numbers.figures.waitingHits > 0 || store.numbers.figures.unavailable) {
      await this.pass(A_WHILE_MS);
      await turn();
    }
  }

  protected cutAt(moment: Moment): Promise<void> {
    return this.#threads.cutAt(this.draw.below(4), moment);
  }

  protected async powerOff(): Promise<void> {
    await this.leave();
    await this.#threads.powerOff();
  }

  async backUp(): Promise<void> {
    await backUp(this.#file, this.#backupFile, DOCUMENT_KINDS);
    this.#backup = this.model.copy();
  }

  async restore(): Promise<void> {
    if (this.#backup === undefined) return;
    await this.stop();
    await restore(this.#backupFile, this.#file, {
      kinds: DOCUMENT_KINDS,
      tryStart: async () => {},
    });
    this.model = this.#backup.copy();
    await this.boot();
    await this.#box?.cameUp(async () => {});
  }

  async makeShort(isShort: boolean): Promise<void> {
    this.#space = isShort ? SHORT : ROOMY;
    await this.pass(A_WHILE_MS);
    while (this.store.numbers.warnings.includes("storage_full") !== isShort) await turn();
    await this.upkeep();
  }
}
