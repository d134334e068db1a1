import assert from "node:assert/strict";
import { Postgres } from "../../helpers/postgres.ts";
import { EngineWorld } from "./engine-world.ts";

/** Slower than hosts that answer, and quick enough for one that never does. */
const STEP_MS = 50;

describe("a node whose database fails over to a standby that lags", () => {
  const nodes: EngineWorld[] = [];
  let former: Postgres;
  let newer: Postgres;
  beforeEach(async () => {
    former = await Postgres.open();
    newer = await former.standby();
  });
  afterEach(async () => {
    await Promise.all(nodes.splice(0).map(({ engine }) => engine.close()));
    await Promise.all([former, newer].map((server) => server.end()));
  });

  async function open(...servers: readonly Postgres[]): Promise<EngineWorld> {
    const node = new EngineWorld(former.url({ ports: servers.map(({ port }) => port) }));
    nodes.push(node);
    return node.ready();
  }

  const pages = (word: string, n: number) => Array.from({ length: n }, (_, i) => `/${word}-${i}`);

  /** Batches of ten pages each. */
  async function count(node: EngineWorld, word: string, batches: number): Promise<void> {
    for (let i = 0; i < batches; i++) {
      const answer = await node.passing(node.count(pages(`${word}-${i}`, 10)), STEP_MS);
      assert.ok(answer.ok);
    }
  }

  /** The pages of a word that are counted. */
  async function counted(node: EngineWorld, word: string): Promise<number> {
    const paths = await node.passing(node.counts("path"), STEP_MS);
    return Object.keys(paths).filter((path) => path.startsWith(`/${word}-`)).length;
  }

  async function settleOnce(node: EngineWorld): Promise<void> {
    const settlement = await node.nextSettlement();
    if (settlement !== null) await node.engine.send({ kind: "settle", at: 0, settlement });
  }

  /** The former primary stands still, and goes on once the node has met its successor. */
  async function failOver(node: EngineWorld): Promise<void> {
    former.freeze();
    await newer.promote();
    await count(node, "newer", 2);
    // Each of its connections to the former one was given up.
    await node.until(() => (node.engine.figures?.reconnects ?? 0) >= 2, STEP_MS);
    former.freeze(false);
  }

  it("settles nothing there that was read on the former primary", async () => {
    const node = await open(former, newer);
    await count(node, "before", 1);
    await newer.caughtUp(former);
    await newer.lag();
    await count(node, "lost", 6);
    assert.equal(await counted(node, "lost"), 60);
    await failOver(node);
    // As upkeep would, which asks again where nothing was done.
    for (let step = 0; step < 3; step++) await node.passing(settleOnce(node), STEP_MS);
    const fresh = await open(newer);
    assert.equal(await counted(fresh, "newer"), 20);
    assert.equal(await counted(fresh, "before"), 10);
  });

  it("reads from the former primary no more, whichever is named first", async () => {
    const both = [await open(former, newer), await open(newer, former)];
    for (const node of both) await counted(node, "before");
    await newer.caughtUp(former);
    await newer.lag();
    former.freeze();
    await newer.promote();
    for (const node of both) await count(node, "newer", 1);
    former.freeze(false);
    for (const node of both) assert.equal(await counted(node, "newer"), 10);
  });

  it("leaves a former primary that stood still only for a moment", async () => {
    const node = await open(former, newer);
    assert.equal(await counted(node, "before"), 0);
    former.freeze();
    await newer.promote();
    former.freeze(false);
    // Nothing was given up: only who looks at the other hosts learns of it.
    await node.until(() => (node.engine.figures?.reconnects ?? 0) > 0, STEP_MS);
    await count(node, "newer", 1);
    assert.equal(await counted(node, "newer"), 10);
    assert.equal(await counted(await open(newer), "newer"), 10);
  });

  it("gives a site that is added no number that a lost one had", async () => {
    const node = await open(former, newer);
    await newer.caughtUp(former);
    await newer.lag();
    await node.passing(node.write("createSite", { id: "lost", host: null }), STEP_MS);
    const lost = node.site("lost");
    former.freeze();
    await newer.promote();
    const other = await open(newer);
    await other.passing(other.write("createSite", { id: "added", host: null }), STEP_MS);
    assert.ok(other.site("added") > lost);
    former.freeze(false);
    // Its directory comes from the newer server, whose revisions may have the same numbers.
    await node.until(() => node.site("added") > 0, STEP_MS);
    assert.equal(node.site("lost"), -1);
  });

  it("has another epoch where it is restored from a dump", async () => {
    const node = await open(former);
    await count(node, "before", 1);
    const settlement = await node.nextSettlement();
    await node.engine.close();
    await former.sql("CREATE DATABASE dumped TEMPLATE postgres");
    await former.sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    former.restoreDump("dumped", "postgres");
    const again = await open(former);
    assert.ok(settlement !== null);
    await again.passing(again.engine.send({ kind: "settle", at: 0, settlement }));
    assert.deepEqual(await former.sql("SELECT count(*) FROM block"), [{ count: 0 }]);
    assert.equal(await counted(again, "before"), 10);
  });
});
