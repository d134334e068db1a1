import { createLog } from "../../../appliance/base/log.ts";
import type { SurveyRow } from "../../../appliance/store/counting.ts";
import type { EngineAnswer } from "../../../appliance/store/engine.ts";
import { Availability } from "../../../appliance/store/postgres/availability.ts";
import { Committer } from "../../../appliance/store/postgres/committer.ts";
import { Connection } from "../../../appliance/store/postgres/connection/connection.ts";
import { parseDatabaseUrl } from "../../../appliance/store/postgres/connection/url.ts";
import { drawEpoch, epochOf } from "../../../appliance/store/postgres/epoch.ts";
import { LogWriter } from "../../../appliance/store/postgres/log.ts";
import { migrate } from "../../../appliance/store/postgres/migrate.ts";
import { Node } from "../../../appliance/store/postgres/node.ts";
import { settleFleet } from "../../../appliance/store/postgres/settle.ts";
import { PostgresSnapshot } from "../../../appliance/store/postgres/snapshot.ts";
import type { Settlement, SettlingSnapshot } from "../../../appliance/store/snapshot.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { until } from "../../helpers/until.ts";

/** A node that keeps batches and blocks in a database. */
export class LogNode {
  readonly clock = new FakeClock("2026-03-04T12:00:00Z");
  readonly lines: string[] = [];
  readonly node: Node;
  readonly connection: Connection;
  readonly #committer: Committer;

  constructor(url: string, { random = Math.random }: { random?: () => number } = {}) {
    const { clock } = this;
    const settings = parseDatabaseUrl(url);
    const log = createLog((line) => this.lines.push(line));
    this.node = new Node("north", Math.random);
    this.connection = new Connection(settings, { clock, role: "commit", random });
    const availability = new Availability({
      settings,
      clock,
      log,
      onRefused: () => {},
      onBack: () => {},
    });
    this.#committer = new Committer({
      connection: this.connection,
      node: this.node,
      writer: new LogWriter({ node: this.node, exists: () => true, clock, random }),
      availability,
      clock,
      log,
      random,
    });
  }

  /** Makes the tables in a database that has none. */
  static async migrate(url: string): Promise<void> {
    const settings = parseDatabaseUrl(url);
    const connection = new Connection(settings, { clock: new FakeClock(), role: "chores" });
    await migrate(connection, settings);
    await connection.transaction((sql) => drawEpoch(sql));
    await connection.close();
  }

  commit(log: readonly Uint8Array[], surveys: readonly SurveyRow[] = []): Promise<EngineAnswer> {
    return this.passing(this.#committer.commit({ log, surveys }));
  }

  /** @param settlement of the epoch that there is, unless it says otherwise */
  async settle(settlement: Settlement): Promise<boolean> {
    const epoch = await this.passing(this.connection.transaction(epochOf));
    return this.passing(settleFleet(this.connection, { epoch: epoch ?? -1, ...settlement }));
  }

  /** All that is read is of one moment. */
  read<T>(task: (snapshot: SettlingSnapshot) => Promise<T> | T): Promise<T> {
    return this.passing(
      this.connection.transaction(async (sql) => task(new PostgresSnapshot(sql)), { read: true }),
    );
  }

  /** Awaits a promise while time passes. */
  async passing<T>(promise: Promise<T>): Promise<T> {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    promise.then(done, done);
    await until(() => {
      if (!isDone) this.clock.advance(5);
      return isDone;
    });
    return promise;
  }

  close(): Promise<void> {
    return this.#committer.close();
  }
}
