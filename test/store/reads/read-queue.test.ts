import assert from "node:assert/strict";
import { createLog, silentLog } from "../../../appliance/base/log.ts";
import type { Lane } from "../../../appliance/store/reads/answer.ts";
import { MAX_WAITING_READS, ReadQueue } from "../../../appliance/store/reads/read-queue.ts";
import type { QueryInput } from "../../../appliance/store/reads/reads.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { findSite } from "../../helpers/stored-sites.ts";
import { eachWorld } from "../../helpers/world.ts";

describe("a reader that runs out of memory", () => {
  let log: string[] = [];
  const world = eachWorld(() => {
    log = [];
    return {
      readerMemoryMb: 16,
      log: createLog((line) => log.push(line)),
      prepare(db) {
        // A response that takes more memory than the reader has, which no client can send.
        const answers = Array.from({ length: 100_000 }, (_, i) => [`q${i}`, [`o${i}`]]);
        db.prepare("INSERT INTO survey (site, version, day, payload) VALUES (?, 1, 1, ?)").run(
          findSite(db, "blog")?.key,
          JSON.stringify({ sv: 1, a: Object.fromEntries(answers) }),
        );
      },
    };
  });

  /** Each a question of its own. */
  const deadly = (to = 1) =>
    world().ask(`/surveys?token=the-admin-token&from=1970-01-01&to=2026-03-0${to}`);
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

  it("is started anew at once however often, for all that others ask", async () => {
    for (let times = 1; times <= 3; times++) {
      const [dead, stats] = await Promise.all([deadly(times), world().stats()]);
      assert.deepEqual([dead.status, stats.site, deaths()], [503, "blog", times]);
    }
  });

  it("is not asked the same again for an hour, by whoever waits for it or comes later", async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => deadly()));
    const answers = all.map(({ status, json }) => `${status} ${json.code}`);
    assert.deepEqual(answers, ["503 read_failed", ...Array(9).fill("400 too_much")]);
    world().clock.advance(59 * 60_000);
    const { status, json } = await deadly();
    assert.deepEqual([status, json.code, deaths()], [400, "too_much", 1]);
    assert.match(json.error, /took more memory than there is .* for an hour\. Ask for fewer days/);
    world().clock.advance(60_000);
    assert.deepEqual([(await deadly()).status, deaths()], [503, 2]);
  });

  it("does not keep the service from stopping", async () => {
    const dead = deadly().catch(() => {});
    await world().restart();
    await dead;
    assert.equal((await world().stats()).site, "blog");
  });
});

describe("reads that wait", () => {
  const order: string[] = [];
  beforeEach(() => order.splice(0));

  /** A queue whose first read runs until it is let go; what else is read tells its kind. */
  function busyQueue() {
    const { promise: first, resolve: letGo } = Promise.withResolvers<void>();
    const queue = new ReadQueue({
      async ask(_query, input) {
        const { kind } = input as QueryInput<"documents">;
        if (kind === "first") await first;
        else order.push(kind);
        return [] as never;
      },
      clock: new FakeClock(),
      log: silentLog(),
    });
    const read = (kind: string, lane: Lane, gone = () => false) =>
      queue
        .read("documents", { kind }, { lane, gone })
        .catch(({ code }) => void order.push(`${kind} ${code}`));
    return { queue, read, letGo, running: read("first", "public") };
  }

  async function orderOf(others: readonly [name: string, lane: Lane, gone?: () => boolean][]) {
    const { read, letGo, running } = busyQueue();
    const asked = others.map((other) => read(...other));
    letGo();
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

  it("are refused when other data takes the place of what is there, but for the box's own", async () => {
    const { queue, read, letGo, running } = busyQueue();
    const before = [read("deck", "box"), read("stats", "owner"), read("badge", "public")];
    queue.hold();
    const during = [read("alarm", "box"), read("overview", "owner")];
    letGo();
    await Promise.all([running, ...before.slice(1), during[1]]);
    assert.deepEqual(order.toSorted(), [
      "badge storage_unavailable",
      "overview storage_unavailable",
      "stats storage_unavailable",
    ]);
    queue.release();
    await Promise.all([...before, ...during, read("again", "owner")]);
    assert.deepEqual(order.slice(3), ["deck", "alarm", "again"]);
  });
});
