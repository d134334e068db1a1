import { sendToSites } from "../running/load.ts";
import type { Given, Part } from "../running/parts.ts";
import { percentile } from "../running/report.ts";
import { SITE, TOKEN } from "../running/servers.ts";
import { ship } from "../running/shipped.ts";
import { startDatabase } from "./fleet-database.ts";
import { readTimes } from "./reads.ts";

const SITES = 10_000;
const HITS_EACH = 3;
const OVERVIEWS = 10;
const STATS = 20;

/** Sites as rows: to add them one by one takes longer than all else here. Another site has the first key. */
const ADD = `
  INSERT INTO document (kind, id, body, revision)
    SELECT 'site', key::text, json_build_object('id', 's' || key, 'host', null, 'badge', false, 'declared', false,
      'retired', false, 'token', null, 'share', null)::text, 2
    FROM generate_series(2, ${SITES}) AS key;
  UPDATE revision SET n = 3, last_site = ${SITES + 1}`;

export const sites: Part = {
  says: "An overview of 10,000 sites in PostgreSQL, all with hits that are not folded yet.",
  async run({ seed, stage, report }: Given) {
    const shipped = ship(stage);
    const database = await stage.add(startDatabase());
    shipped.run(["migrate", "--database-url", database.url]);
    database.run(ADD);
    const { origin, memory } = await shipped.collect(stage, database.url, "bench");
    const names = Array.from({ length: SITES - 1 }, (_, i) => `s${i + 2}`);
    const stats = `${origin}/stats?site=${SITE}&from=first&series=1`;
    await sendToSites(origin, [SITE, ...names], { connections: 50, seed, hitsEach: HITS_EACH });
    await readTimes(stats, 1);
    const before = database.cpu();
    const [times, beside] = await Promise.all([
      readTimes(`${origin}/overview`, OVERVIEWS),
      readTimes(stats, STATS),
    ]);
    report.note(`the database's CPU for it: ${database.cpu() - before} ms`);
    report.atMost("/overview of 10,000 sites, the first", times[0] ?? 0, "ms", 2_000);
    report.atMost("the slowest of the next", Math.max(...times.slice(1)), "ms", 2_000);
    report.atMost("/stats beside it, p50", percentile(beside, 0.5), "ms", 300);
    report.note(`the slowest of these: ${Math.max(...beside).toFixed(0)} ms`);
    report.atMost("the collector's memory after it", memory().own, "MB", 250);
    const shown = await fetch(`${origin}/overview`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    const { sites: weeks, left } = (await shown.json()) as { sites: object[]; left: number };
    report.atMost("sites that it left out unsaid", SITES - weeks.length - left, "", 0);
  },
};
