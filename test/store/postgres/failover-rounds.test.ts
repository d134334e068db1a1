import assert from "node:assert/strict";
import { freePort } from "../../helpers/free-port.ts";
import { PgBouncer } from "../../helpers/pgbouncer.ts";
import { Postgres } from "../../helpers/postgres.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";
import { until } from "../../helpers/until.ts";
import { EngineWorld } from "./engine-world.ts";

/** Five seconds a round: real servers are stopped, killed and promoted. */

const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 3);
/** Slower than hosts that answer, and quick enough for one that never does. */
const STEP_MS = 50;
const PAGES = 5;
const MOST_BATCHES = 6;
const MOST_STEPS = 20;
/** A second of the clock apart: longer than it takes to look at all hosts. */
const MOST_TRIES = 40;

type Draw = ReturnType<typeof seeded>;

/** A fault of the primary, after which the standby is promoted. */
interface Fault {
  readonly name: string;
  strike(former: Postgres, promote: () => Promise<void>, meanwhile: () => Promise<void>): unknown;
}

const FAULTS: readonly [Fault, ...Fault[]] = [
  {
    name: "stands still and goes on",
    async strike(former, promote, meanwhile) {
      former.freeze();
      await promote();
      await meanwhile();
      former.freeze(false);
    },
  },
  {
    name: "stands still for a moment",
    async strike(former, promote, meanwhile) {
      former.freeze();
      await promote();
      former.freeze(false);
      await meanwhile();
    },
  },
  {
    name: "is killed and comes back after its standby was promoted",
    async strike(former, promote, meanwhile) {
      await former.kill();
      await promote();
      await meanwhile();
      await former.restart();
    },
  },
  {
    name: "is killed and comes back before its standby is promoted",
    async strike(former, promote, meanwhile) {
      await former.kill();
      await former.restart();
      await meanwhile();
      await promote();
    },
  },
];

/** A node, and the pages that it counted which have to be there, and those that need not. */
class Counting {
  readonly kept = new Set<string>();
  readonly perhaps = new Set<string>();
  /** The site of a round, with room for 2,000 pages. */
  #site = "";
  readonly world: EngineWorld;
  readonly #name: string;
  #n = 0;

  constructor(name: string, url: string) {
    this.#name = name;
    this.world = new EngineWorld(url, { name });
  }

  /** Resolves when it knows the site of a round. */
  async begin(site: string): Promise<void> {
    this.#site = site;
    this.kept.clear();
    this.perhaps.clear();
    await this.world.until(() => this.#key > 0, STEP_MS);
  }

  get #key(): number {
    return this.world.site(this.#site);
  }

  /** @param pages what they come to, once they are answered */
  async count(batches: number, pages: Set<string>): Promise<void> {
    for (let i = 0; i < batches; i++) {
      const paths = Array.from({ length: PAGES }, () => `/${this.#name}-${this.#n++}`);
      const counting = this.world.count(paths, { site: this.#key });
      const answer = await this.world.passing(counting, STEP_MS);
      assert.ok(answer.ok);
      for (const path of paths) pages.add(path);
    }
  }

  /** Asks until it is answered: the reader may have to find the server first. */
  async read(): Promise<Record<string, number>> {
    for (;;) {
      const read = await this.world
        .passing(this.world.counts("path", { site: this.#key }), STEP_MS)
        .catch(() => undefined);
      if (read !== undefined) return read;
    }
  }

  /** As upkeep does, which goes on later where a server is away. */
  async settle(): Promise<void> {
    for (let step = 0; step < MOST_STEPS; step++) {
      const query = this.world.settlementQuery(step, 100);
      const settlement = await this.world
        .passing(this.world.nextSettlement(query), STEP_MS)
        .catch(() => null);
      if (settlement === null) return;
      const request = { kind: "settle", at: 0, settlement } as const;
      await this.world.passing(this.world.engine.send(request), STEP_MS);
    }
  }
}

describe(`nodes whose standbys lag and are promoted (TEST_SEED=${TEST_SEED} brings the same again)`, function () {
  // Each goes on where the one before ended.
  this.bail(true);
  let primary: Postgres;
  let other: number;
  let pooler: PgBouncer;
  let nodes: readonly Counting[] = [];

  before(async () => {
    primary = await Postgres.open();
    other = await freePort();
    pooler = await PgBouncer.open(primary.port);
    const ports = { north: [primary.port, other], south: [other, primary.port] };
    nodes = Object.entries({ ...ports, pooled: [pooler.port] }).map(
      ([name, all]) => new Counting(name, primary.url({ ports: all })),
    );
    for (const { world } of nodes) await world.ready();
  });
  after(async () => {
    await Promise.all(nodes.map(({ world }) => world.engine.close()));
  });

  for (let round = 0; round < ROUNDS; round++) {
    const seed = TEST_SEED + round;
    const fault = FAULTS[seed % FAULTS.length] ?? FAULTS[0];
    it(`tell one truth, and keep it, when a primary ${fault.name}, round ${round + 1}`, async () => {
      const draw = seeded(seed);
      const former = primary;
      const standby = await former.standby({ port: other });
      const site = `round-${round}`;
      const [first] = nodes;
      await first?.world.passing(first.world.write("createSite", { id: site, host: null }));
      for (const node of nodes) await node.begin(site);
      for (const node of nodes) await node.count(1 + draw.below(MOST_BATCHES), node.kept);
      await standby.caughtUp(former);
      await standby.lag();
      await muddle(draw, (node) => node.perhaps);
      await fault.strike(
        former,
        async () => {
          await standby.promote();
          pooler.lead(standby.port);
        },
        () => muddle(draw, (node) => node.perhaps),
      );
      await muddle(draw, (node) => node.perhaps);
      const fresh = new Counting("fresh", standby.url());
      await fresh.world.ready();
      await fresh.begin(site);
      for (const node of nodes) await met(node, fresh);
      await muddle(draw, (node) => node.kept);
      for (const node of nodes) await node.settle();
      await assertOneTruth(fresh);
      await fresh.world.engine.close();
      primary = standby;
      other = former.port;
      await former.end();
    });
  }

  /** Nodes count, read and settle in an order that is drawn, several at a time. */
  async function muddle(draw: Draw, pages: (node: Counting) => Set<string>): Promise<void> {
    const work = nodes.flatMap((node) => [
      () => node.count(draw.below(MOST_BATCHES), pages(node)),
      ...(draw.below(2) === 0 ? [() => node.read()] : []),
      ...(draw.below(2) === 0 ? [() => node.settle()] : []),
    ]);
    const order = work.map((each) => ({ each, at: draw.random() })).sort((a, b) => a.at - b.at);
    const lanes = Map.groupBy(order, ({ at }) => Math.floor(at * 3));
    await Promise.all(
      [...lanes.values()].map(async (lane) => {
        for (const { each } of lane) await each();
      }),
    );
  }

  /** Resolves when what a node counts and what it reads is on the newer server. */
  async function met(node: Counting, fresh: Counting): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const probe = new Set<string>();
      await node.count(1, probe);
      for (const page of probe) node.perhaps.add(page);
      const [path = ""] = probe;
      if (path in (await fresh.read())) return;
      const { clock } = node.world;
      const later = clock.monotonic() + 1_000;
      await until(() => {
        clock.advance(STEP_MS);
        return clock.monotonic() >= later;
      });
    }
    assert.fail("it counts on a former primary");
  }

  async function assertOneTruth(fresh: Counting): Promise<void> {
    const there = await fresh.read();
    const kept = nodes.flatMap((node) => [...node.kept]);
    const known = new Set([...kept, ...nodes.flatMap((node) => [...node.perhaps])]);
    assert.deepEqual(
      {
        lost: kept.filter((page) => !(page in there)),
        twice: Object.entries(there).filter(([, n]) => n !== 1),
        never: Object.keys(there).filter((page) => !known.has(page)),
      },
      { lost: [], twice: [], never: [] },
    );
    for (const node of nodes) assert.deepEqual(await node.read(), there, "it reads as a fresh one");
  }
});
