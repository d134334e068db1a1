import assert from "node:assert/strict";
import { CuttingProxy } from "../../helpers/cutting-proxy.ts";
import { eachDatabase, type Postgres, sharedPostgres } from "../../helpers/postgres.ts";
import { EngineWorld } from "./engine-world.ts";

describe("batches in PostgreSQL", () => {
  const database = eachDatabase();
  const nodes: EngineWorld[] = [];
  let server: Postgres;

  beforeEach(async () => {
    server = await sharedPostgres();
  });

  afterEach(async () => {
    await Promise.all(nodes.splice(0).map(({ engine }) => engine.close()));
  });

  const sql = (text: string) => server.sql(text, database());

  async function open({ ports = [server.port] }: { ports?: number[] } = {}): Promise<EngineWorld> {
    const node = new EngineWorld(server.url({ database: database(), ports }));
    nodes.push(node);
    return node.ready();
  }

  /** What was counted, over all nodes. */
  const paths = async () =>
    Object.fromEntries(
      (
        await sql(`SELECT text, sum(n)::bigint AS n FROM count JOIN value ON id = value
          WHERE dimension = 'path' GROUP BY text ORDER BY text`)
      ).map(({ text, n }) => [text, n]),
    );

  it("are stored as counts, days and hours", async () => {
    const node = await open();
    assert.deepEqual(await node.count(["/", "/a", "/"]), { ok: true, surveys: [], more: false });
    await node.count(["/a"]);
    assert.deepEqual(await paths(), { "/": 2, "/a": 2 });
    const [total] = await sql("SELECT counter, n FROM day_total");
    assert.deepEqual(total, { counter: "pv", n: 4 });
    const dimensions = await sql(
      "SELECT dimension, sum(n)::bigint AS n FROM count JOIN value ON id = value GROUP BY dimension ORDER BY dimension",
    );
    assert.deepEqual(
      dimensions.map(({ dimension, n }) => `${dimension} ${n}`),
      ["dowhour 4", "hour 4", "path 4", "pv 4"],
    );
  });

  it("of several nodes add up", async () => {
    const [one, other] = [await open(), await open()];
    await Promise.all([one.count(["/", "/a"]), other.count(["/", "/b"])]);
    assert.deepEqual(await paths(), { "/": 2, "/a": 1, "/b": 1 });
    assert.deepEqual(await sql("SELECT batch FROM node"), [{ batch: 1 }, { batch: 1 }]);
    await other.until(() => other.counted > 0);
  });

  it("are counted once, whenever the connection is cut in their commit", async () => {
    const proxy = await CuttingProxy.open(server.port, 7);
    const node = await open({ ports: [proxy.port] });
    proxy.trouble = { commits: 0.5 };
    for (let batch = 0; batch < 30; batch++) {
      const answer = await node.passing(node.count(["/", `/${batch % 3}`]));
      assert.ok(answer.ok);
    }
    assert.ok(proxy.counts.unsent > 0 && proxy.counts.sent > 0 && proxy.counts.answered > 0);
    assert.deepEqual(await paths(), { "/": 30, "/0": 10, "/1": 10, "/2": 10 });
    assert.ok(node.engine.figures.reconnects > 0);
  });
});
