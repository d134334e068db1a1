import type { FoldPlan, UpkeepTime } from "../../queries.ts";
import type { Connection, Sql } from "../connection.ts";
import type { DatabaseTime } from "../database-time.ts";
import { eraseSites } from "./erase.ts";
import { Fold } from "./fold.ts";
import type { Lease } from "./lease.ts";
import { dropNodes, mergeNodes } from "./merge.ts";
import { emptyNobody, forgetSurveyDays } from "./nobody.ts";
import { Packing } from "./pack.ts";
import { Pruning } from "./prune.ts";
import { addRunTime } from "./run-time.ts";
import type { Step, StepTime } from "./step.ts";
import type { Filing } from "./waiting.ts";

interface UpkeepOptions {
  readonly connection: Connection;
  readonly lease: Lease;
  readonly filing: Filing;
  readonly time: DatabaseTime;
}

/**
 * What is done for the data from time to time, in small steps, each a transaction of its own: by one
 * node at a time, while all go on counting.
 */
export class PostgresUpkeep {
  readonly #options: UpkeepOptions;
  readonly #pruning = new Pruning();
  readonly #packing = new Packing();
  #fold: Fold | undefined;

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  /** @returns false when nothing is left to do for this node. @throws {Away}, {Lost} */
  async step(time: UpkeepTime): Promise<boolean> {
    const { filing } = this.#options;
    if (await filing.own(time)) return true;
    const more = await this.#held((sql) => this.#work(sql, time));
    if (more === undefined) return false;
    this.#pruning.done();
    this.#packing.done();
    return more || filing.ofOthers(time);
  }

  /** A step of a new plan, or, where it is null, of the one before. @returns false at its end */
  async fold(plan: FoldPlan | null): Promise<boolean> {
    if (plan !== null) this.#fold = new Fold(plan);
    const fold = this.#fold;
    if (fold === undefined) return false;
    const more = await this.#held((sql) => fold.step(sql, this.#options.time.today()));
    if (more) fold.done();
    else this.#fold = undefined;
    return more ?? false;
  }

  /** @returns undefined when another node holds the lease */
  #held(task: (sql: Sql) => Promise<boolean>): Promise<boolean | undefined> {
    const { connection, lease } = this.#options;
    return connection.transaction(async (sql) => ((await lease.take(sql)) ? task(sql) : undefined));
  }

  async #work(sql: Sql, { retentionDays }: UpkeepTime): Promise<boolean> {
    const { lease, time } = this.#options;
    const ms = lease.heldMs;
    const now: StepTime = {
      today: time.today(),
      retentionDays,
      runMs: await addRunTime(sql, ms),
    };
    lease.told(ms);
    const steps: Step[] = [
      eraseSites,
      // Before pruning, which goes by the days that are packed.
      (each, at) => this.#packing.step(each, at),
      (each, at) => this.#pruning.step(each, at),
      mergeNodes,
      emptyNobody,
      forgetSurveyDays,
      dropNodes,
    ];
    for (const step of steps) if (await step(sql, now)) return true;
    return false;
  }
}
