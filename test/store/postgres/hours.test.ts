import assert from "node:assert/strict";
import { Connection } from "../../../appliance/store/postgres/connection.ts";
import { migrate } from "../../../appliance/store/postgres/migrate.ts";
import { PostgresCounts } from "../../../appliance/store/postgres/reads/counts.ts";
import { KnownValues } from "../../../appliance/store/postgres/reads/known-values.ts";
import { parseDatabaseUrl } from "../../../appliance/store/postgres/url.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { eachDatabase, sharedPostgres } from "../../helpers/postgres.ts";

const DAYS = 35;
const LAST = 20_035;

describe("the hours of days in PostgreSQL", () => {
  const database = eachDatabase();

  it("are looked for by node on days that are open alone, for a month has many nodes", async () => {
    const server = await sharedPostgres();
    const settings = parseDatabaseUrl(server.url({ database: database() }));
    const connection = new Connection(settings, { clock: new FakeClock(), role: "reads" });
    try {
      await migrate(connection, settings);
      await server.sql(
        `INSERT INTO node (id, name, batch, seen_at)
         SELECT id, 'berlin', 0, now() FROM generate_series(1, 50) AS id;
         INSERT INTO value (site, dimension, text, last_day)
         SELECT 1, 'hour', hour::text, ${LAST} FROM generate_series(0, 23) AS hour;
         INSERT INTO count (site, day, node, value, n)
         SELECT 1, ${LAST}, 7, id, 2 FROM value WHERE text IN ('3', '4')`,
        database(),
      );
      const days = Array.from({ length: DAYS }, (_, ago) => ({ site: 1, day: LAST - ago }));
      const [hours, looks] = await connection.transaction(
        async (sql) => {
          const found = await new PostgresCounts(sql, new KnownValues()).byHour(days, "hour");
          const [row] = await sql.rows<{ n: number }>(
            `SELECT coalesce(seq_scan, 0) + coalesce(idx_scan, 0) AS n
             FROM pg_stat_xact_user_tables WHERE relname = 'count'`,
          );
          return [found, row?.n ?? 0] as const;
        },
        { read: true },
      );
      assert.deepEqual(hours[0]?.slice(2, 6), [0, 2, 2, 0]);
      assert.equal(
        hours.flat().reduce((sum, n) => sum + n, 0),
        4,
      );
      assert.ok(looks < 2 * 24 * 51, `${looks} looks`);
    } finally {
      await connection.close();
    }
  });
});
