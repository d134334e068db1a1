import { join } from "node:path";
import { DOCUMENT_KINDS } from "../../appliance/app/service/document-kinds.ts";
import { DAY_MS, HOUR_MS } from "../../appliance/base/calendar.ts";
import { SystemClock } from "../../appliance/base/system/system-clock.ts";
import { change } from "../../appliance/store/changes.ts";
import type { CopyEngine } from "../../appliance/store/copy/engine.ts";
import { Connection } from "../../appliance/store/postgres/connection/connection.ts";
import { parseDatabaseUrl } from "../../appliance/store/postgres/connection/url.ts";
import { epochOf } from "../../appliance/store/postgres/epoch.ts";
import { openDatabase } from "../../appliance/store/postgres/open-database.ts";
import { settleFleet } from "../../appliance/store/postgres/settle.ts";
import { PostgresSnapshot } from "../../appliance/store/postgres/snapshot.ts";
import { timeRun } from "../../appliance/store/settling/day-marks.ts";
import { nextSettlement, type SettlingTime } from "../../appliance/store/settling/settling.ts";
import { readDirectory } from "../../appliance/store/sites/directory.ts";
import { Draft } from "../../appliance/store/sites/draft.ts";
import type { Transaction } from "../../appliance/store/sql.ts";
import { backUp } from "../../appliance/store/sqlite/copies/backup.ts";
import { openFolder } from "../../appliance/store/sqlite/copies/open-folder.ts";
import { restore } from "../../appliance/store/sqlite/copies/restore.ts";
import { CountedDays } from "../../appliance/store/sqlite/counted-days.ts";
import { databaseFile, openForWriting } from "../../appliance/store/sqlite/database.ts";
import { SqliteDb } from "../../appliance/store/sqlite/db.ts";
import { settleFile } from "../../appliance/store/sqlite/settle.ts";
import { SqliteSnapshot } from "../../appliance/store/sqlite/snapshot.ts";
import type { Postgres } from "./postgres.ts";

/** A database that counts, is copied, and restored. */
export interface CopiedDatabase {
  open(): Promise<CopyEngine>;
  /** Adds a batch, and responses as JSON, of a day, as what is counted there. */
  count(access: Transaction, body: Uint8Array, surveys: readonly Survey[]): Promise<void>;
  /** Does all that is due, where days have been there for so long. */
  settle(today: number, retentionDays?: number): Promise<void>;
  backUp(): Promise<void>;
  /** Puts the last backup in its place. */
  restore(): Promise<void>;
}

interface Survey {
  readonly site: number;
  readonly day: number;
  readonly payload: string;
}

/** Kept for longer than a test goes. */
const RETENTION = 800;

const TIME: Omit<SettlingTime, "today" | "marks" | "retentionDays"> = {
  boot: "boot",
  bootedAt: 0,
  zoneHour: (ms) => Math.floor(ms / HOUR_MS),
  detailDays: 400,
  lowSpace: false,
  runMs: 10_000 * DAY_MS,
  maxDetailBytes: Number.POSITIVE_INFINITY,
};

export function copiedFolder(folder: string, name: string): CopiedDatabase {
  const dataDir = join(folder, name);
  const file = databaseFile(dataDir);
  const backup = join(folder, `${name}.backup`);
  return {
    open: async () => openFolder(dataDir, { isTarget: true }),
    async count({ rows }, body, surveys) {
      await rows(
        `INSERT INTO log (n, body) SELECT 1 + max(coalesce((SELECT max(n) FROM log), 0),
           (SELECT n FROM folded)), $1`,
        [body],
      );
      for (const { site, day, payload } of surveys)
        await rows("INSERT INTO survey (site, version, day, payload) VALUES ($1, 1, $2, $3)", [
          ...[site, day, payload],
        ]);
    },
    async settle(today, retentionDays = RETENTION) {
      const db = openForWriting(file);
      try {
        for (;;) {
          const { marks } = await timeRun(new SqliteDb(db).rows);
          const time = { ...TIME, today, retentionDays, marks };
          const next = await nextSettlement(new SqliteSnapshot(db), time);
          if (next === null) return;
          db.transaction(() => settleFile(db, new CountedDays(db), next))();
        }
      } finally {
        db.close();
      }
    },
    backUp: async () => backUp(file, backup, DOCUMENT_KINDS),
    restore: () => restore(backup, file, { kinds: DOCUMENT_KINDS, tryStart: async () => {} }),
  };
}

/** Restored by dumps, as its owner does. */
export async function copiedDatabase(server: Postgres): Promise<CopiedDatabase> {
  let name = await server.createDatabase();
  let backup: string | undefined;
  const clock = new SystemClock();
  const opening = { clock, random: Math.random, flag: "--to", isTarget: true };
  return {
    open: () => openDatabase(server.url({ database: name }), opening),
    async count({ rows, surveyIds }, body, surveys) {
      await rows("INSERT INTO folded (node, n) VALUES (1, 0) ON CONFLICT (node) DO NOTHING");
      await rows(
        `INSERT INTO log (node, n, body, source)
         SELECT 1, 1 + GREATEST((SELECT n FROM folded), (SELECT max(n) FROM log)), $1::bytea, source
         FROM generation`,
        [body],
      );
      const ids = await surveyIds(surveys.length);
      for (const [at, { site, day, payload }] of surveys.entries())
        await rows(
          `INSERT INTO survey (id, source, site, version, day, payload)
           SELECT $1::bigint, source, $2::int, 1, $3::int, $4::text FROM generation`,
          [ids[at], site, day, payload],
        );
    },
    async settle(today, retentionDays = RETENTION) {
      const settings = { ...parseDatabaseUrl(server.url({ database: name })), name: "settling" };
      const connection = new Connection(settings, { clock, role: "chores", random: Math.random });
      try {
        for (;;) {
          const next = await connection.transaction(
            async (sql) => {
              const { marks } = await timeRun(sql.rows);
              const time = { ...TIME, today, retentionDays, marks };
              const settlement = await nextSettlement(new PostgresSnapshot(sql), time);
              const epoch = (await epochOf(sql)) ?? 0;
              return settlement && { ...settlement, epoch };
            },
            { read: true },
          );
          if (next === null) return;
          await settleFleet(connection, next);
        }
      } finally {
        await connection.close();
      }
    },
    async backUp() {
      backup = await server.createDatabase();
      server.restoreDump(name, backup);
    },
    async restore() {
      name = await server.createDatabase();
      server.restoreDump(backup ?? name, name);
    },
  };
}

/** The number of a site, which is made where there is none. */
export async function siteIn(access: Transaction, id: string): Promise<number> {
  const find = async () => (await readDirectory(access)).sites.find((site) => site.id === id)?.key;
  if ((await find()) === undefined) {
    const draft = new Draft(await readDirectory(access));
    draft.add(id);
    await change(access, draft.change());
  }
  return (await find()) ?? 0;
}
