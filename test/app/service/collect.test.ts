import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { type Collecting, startCollecting } from "../../../appliance/app/service/collect.ts";
import { createLog } from "../../../appliance/base/log.ts";
import { readConfig } from "../../../appliance/config/config.ts";
import { countedViews } from "../../helpers/counted-views.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { Postgres } from "../../helpers/postgres.ts";
import { askPort, CHROME } from "../../helpers/world.ts";

describe("a collector whose database goes away", () => {
  const clock = new FakeClock();
  let said: string[];
  let server: Postgres;
  let collecting: Collecting;
  beforeEach(async () => {
    said = [];
    server = await Postgres.start();
    collecting = await startCollecting({
      config: readConfig({
        flags: { PORT: "0" },
        env: { DATABASE_URL: server.url(), SITES: "blog", STATS_TOKEN: "token" },
      }),
      clock,
      log: createLog((line) => said.push(line)),
    });
    while (!collecting.numbers.ready) await passing();
  });
  afterEach(() => server.end());

  async function passing(): Promise<void> {
    clock.advance(500);
    await setTimeout(5);
  }
  const ask = (path: string) =>
    askPort(collecting.collector.port, path, { headers: { "user-agent": CHROME } });
  /** Waits for an answer while time goes on. */
  async function answerTo<T>(asked: Promise<T>): Promise<T> {
    let over = false;
    void asked.finally(() => {
      over = true;
    });
    while (!over) await passing();
    return asked;
  }

  it("answers hits, stays ready, and stores them when the database is back", async () => {
    await server.stop();
    const hit = await answerTo(ask("/e?s=blog&v=e30"));
    assert.equal(hit.status, 200);
    assert.equal((await ask("/")).status, 200);
    await server.restart();
    while (collecting.numbers.figures.waitingHits > 0) await passing();
    assert.equal(await answerTo(collecting.close()), 0);
    assert.equal(await countedViews(server.url()), 1);
  });

  it("answers 503, to hits too, once a newer version has raised the tables", async () => {
    await server.sql("UPDATE meta SET value = '99' WHERE key IN ('format', 'readable_by')");
    while (collecting.numbers.ready) await passing();
    for (const path of ["/", "/e?s=blog&v=e30"]) {
      const { status, json } = await ask(path);
      assert.deepEqual([status, json.code], [503, "not_ready"], path);
    }
    assert.equal(collecting.numbers.figures.waitingHits, 0);
    await answerTo(collecting.close());
  });

  it("says how many hits are lost when it has to stop before", async () => {
    await server.stop();
    await answerTo(ask("/e?s=blog&v=e30"));
    assert.equal(await answerTo(collecting.close()), 1);
    assert.match(
      said.join("\n"),
      /What waited in memory could not be stored and is lost \{"hits":1\}/,
    );
  });
});
