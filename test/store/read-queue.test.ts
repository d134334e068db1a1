import assert from "node:assert/strict";
import { createLog } from "../../appliance/base/log.ts";
import { type Lane, MAX_WAITING_READS, ReadQueue } from "../../appliance/store/read-queue.ts";
import { findSite } from "../../appliance/store/sqlite/tables/sites.ts";
import { eachWorld } from "../helpers/world.ts";

describe("a reader that runs out of memory", () => {
  let log: string[] = [];
  const world = eachWorld(() => {
    log = [];
    return {
      readerMemoryMb: 12,
      log: createLog((line) => log.push(line)),
      prepare(db) {
        // What no client can send: a response that takes more memory than the reader has.
        const answers = Array.from({ length: 100_000 }, (_, i) => [`q${i}`, [`o${i}`]]);
        db.prepare("INSERT INTO survey (site, version, day, payload) VALUES (?, 1, 1, ?)").run(
          findSite(db, "blog")?.key,
          JSON.stringify({ sv: 1, a: Object.fromEntries(answers) }),
        );
      },
    };
  });

  const deadly = () => world().ask("/surveys?token=the-admin-token");
  const deaths = () => log.filter((line) => line.startsWith("error: The reader ended")).length;

  it("is started anew alone: who asked gets 503, everybody else an answer", async () => {
    const [dead, stats, hit] = await Promise.all([
      deadly(),
      world().stats(),
      world().beacon({ p: "/now" }),
    ]);
    assert.deepEqual([dead.status, dead.json.code], [503, "read_failed"]);
    assert.equal(dead.headers["retry-after"], "60");
    assert.deepEqual([stats.site, hit.status, deaths()], ["blog", 200, 1]);
    assert.deepEqual((await world().stats()).path, { "/now": 1 });
  });

  it("is started anew at once the first time, then after pauses", async () => {
    await deadly();
    await deadly();
    const refused = await world().ask("/stats?token=the-admin-token");
    assert.deepEqual([refused.status, refused.json.code, deaths()], [503, "read_failed", 2]);
    world().clock.advance(1_000);
    assert.equal((await world().stats()).site, "blog");
  });

  it("is started anew at once again where it lived for a minute", async () => {
    for (const pause of [0, 1_000]) {
      await deadly();
      world().clock.advance(pause);
      assert.equal((await world().stats()).site, "blog");
    }
    world().clock.advance(60_000);
    await deadly();
    assert.equal((await world().stats()).site, "blog");
  });

  it("does not keep the service from stopping", async () => {
    const dead = deadly().catch(() => {});
    await world().restart();
    await dead;
    assert.equal((await world().stats()).site, "blog");
  });
});

describe("reads that wait", () => {
  /** A queue whose first read runs until all others have asked. */
  async function orderOf(others: readonly [name: string, lane: Lane, gone?: () => boolean][]) {
    const queue = new ReadQueue();
    const order: string[] = [];
    const { promise: first, resolve } = Promise.withResolvers<void>();
    const running = queue.run({ lane: "public" }, () => first);
    const asked = others.map(([name, lane, gone = () => false]) =>
      queue
        .run({ lane, gone }, async () => void order.push(name))
        .catch(({ code }) => void order.push(`${name} ${code}`)),
    );
    resolve();
    await Promise.all([running, ...asked]);
    return order;
  }

  it("are the box's first, then those of who has a token, then the public's", async () => {
    assert.deepEqual(
      await orderOf([
        ["badge", "public"],
        ["stats", "owner"],
        ["deck", "box"],
      ]),
      ["deck", "stats", "badge"],
    );
  });

  it("are dropped when nobody waits for them any more", async () => {
    const order = await orderOf([
      ["left", "owner", () => true],
      ["stays", "owner"],
    ]);
    assert.deepEqual(order.sort(), ["left asker_left", "stays"]);
  });

  it("are refused past a bound, which those who left do not count for", async () => {
    const crowd = Array.from(
      { length: MAX_WAITING_READS },
      (_, i): [string, Lane, () => boolean] => ["waits", "public", () => i === 3],
    );
    const order = await orderOf([
      ...crowd,
      ["comes for one who left", "public"],
      ["too many", "public"],
      ["owner", "owner"],
    ]);
    assert.equal(order.filter((name) => name === "waits").length, MAX_WAITING_READS - 1);
    assert.deepEqual(order.filter((name) => name !== "waits").sort(), [
      "comes for one who left",
      "owner",
      "too many reads_busy",
      "waits asker_left",
    ]);
  });
});
