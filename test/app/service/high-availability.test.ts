import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { type NodeNumber, PatroniFleet } from "../../helpers/patroni.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";
import { ADMIN, CHROME, encode } from "../../helpers/world.ts";

/** Each takes a minute, and three machines: only where somebody asks for them. */
const ROUNDS = Number(process.env.HA_ROUNDS ?? 0);
const COLLECTORS = 2;
/** The pause between hits of each collector, with a site of its own a round: a day takes 2,000 values of a dimension. */
const HIT_EVERY_MS = 60;
const MOST_HITS = 1_900;
const CALM_MS = 3_000;
/** Longer than Patroni's `ttl`: another server leads by then. */
const FAULT_MS = 25_000;
const MORE_MS = 10_000;
const LOOK_MS = 250;
const PATIENCE_MS = 120_000;
const URL_OF_GUIDE = /postgres:\/\/tallydeck:\S+db-3\.example\.org\S+/.exec(
  readFileSync(new URL("../../../docs/scale.md", import.meta.url), "utf8"),
)?.[0];

interface Nodes {
  readonly leader: NodeNumber;
  readonly sync: NodeNumber;
}

interface Fault {
  readonly name: string;
  begin(fleet: PatroniFleet, nodes: Nodes): Promise<void> | void;
  end(fleet: PatroniFleet, nodes: Nodes): Promise<void> | void;
}

const SERVER = /^postgres:|bin\/postgres /;
const PATRONI = /^\S*python\S* \/usr\/bin\/patroni /;

const without = (name: string, node: keyof Nodes): Fault => ({
  name,
  begin: (fleet, nodes) => fleet.powerOff(nodes[node]),
  end: (fleet, nodes) => fleet.powerOn(nodes[node]),
});
const paused = (name: string, which?: RegExp): Fault => ({
  name,
  begin: (fleet, { leader }) => fleet.signal(leader, "SIGSTOP", which),
  end: (fleet, { leader }) => fleet.signal(leader, "SIGCONT", which),
});
const cutFrom = (side: Parameters<PatroniFleet["cut"]>[1]): Fault => ({
  name: `the leader is cut off from ${side === "etcd" ? "" : "its "}${side}`.replace(
    "its c",
    "the c",
  ),
  begin: (fleet, { leader }) => fleet.cut(leader, side),
  end: (fleet, { leader }) => fleet.mend(leader),
});
const FAULTS: readonly [Fault, ...Fault[]] = [
  without("the leader's machine loses its power", "leader"),
  paused("the leader's machine is paused"),
  cutFrom("etcd"),
  {
    name: "the leader is killed",
    begin: (fleet, { leader }) => fleet.signal(leader, "SIGKILL", SERVER),
    end: () => {},
  },
  cutFrom("standbys"),
  paused("the leader is paused", SERVER),
  cutFrom("collectors"),
  paused("Patroni beside the leader is paused", PATRONI),
  without("the standby that commits wait for loses its power", "sync"),
];

const siteOf = (round: number, collector: number) => `round-${round}-${collector}`;

describe(`collectors, and three servers of which one leads (TEST_SEED=${TEST_SEED} brings the same again)`, () => {
  let fleet: PatroniFleet;
  before(async function () {
    const missing = PatroniFleet.isMissing;
    if (missing !== undefined) {
      console.log(`    no namespaces, or no Patroni, can be had here: ${missing}`);
      this.skip();
    }
    assert.ok(URL_OF_GUIDE !== undefined, "docs/scale.md has the URL");
    const sites = Array.from({ length: ROUNDS }, (_, round) =>
      Array.from({ length: COLLECTORS }, (_, collector) => siteOf(round, collector)),
    ).flat();
    const env = { SITES: sites.join(), STATS_TOKEN: ADMIN, DRAIN_SECONDS: "0" };
    fleet = await PatroniFleet.start(URL_OF_GUIDE, { collectors: COLLECTORS, env });
  });
  after(() => fleet?.end());

  for (let round = 0; round < ROUNDS; round++) {
    const fault = FAULTS[(TEST_SEED + round) % FAULTS.length] ?? FAULTS[0];
    it(`count every answered hit once when ${fault.name}, round ${round + 1}`, async () => {
      const draw = seeded(TEST_SEED + round);
      const nodes = await fleet.settled();
      const all = Array.from(
        { length: COLLECTORS },
        (_, collector) => new Traffic(fleet, collector, siteOf(round, collector)),
      );
      try {
        await setTimeout(CALM_MS + draw.below(1_000));
        await fault.begin(fleet, nodes);
        await setTimeout(FAULT_MS + draw.below(MORE_MS));
        await fault.end(fleet, nodes);
        await setTimeout(draw.below(MORE_MS));
        const after = await fleet.settled();
        await setTimeout(CALM_MS);
        for (const traffic of all) traffic.stop();
        for (const traffic of all) await traffic.assertCounted();
        const waited = Math.max(...all.map(({ longestMs }) => longestMs));
        const answered = all.reduce((sum, { answered }) => sum + answered.size, 0);
        console.log(
          `      db-${nodes.leader} led, then db-${after.leader}; ${answered} hits were answered, ` +
            `and there after at most ${(waited / 1_000).toFixed(1)} s`,
        );
      } finally {
        for (const traffic of all) traffic.stop();
      }
    });
  }
});

/** Hits at a steady pace for one site by one collector, and how soon they are found. */
class Traffic {
  readonly answered = new Set<string>();
  longestMs = 0;
  readonly #fleet: PatroniFleet;
  readonly #collector: number;
  readonly #site: string;
  /** The time at which each was sent. */
  readonly #sent: number[] = [];
  readonly #open = new Set<Promise<void>>();
  readonly #timers: readonly NodeJS.Timeout[];
  #there = 0;

  constructor(fleet: PatroniFleet, collector: number, site: string) {
    this.#fleet = fleet;
    this.#collector = collector;
    this.#site = site;
    this.#timers = [
      setInterval(() => this.#hit(), HIT_EVERY_MS),
      setInterval(() => void this.#look().catch(() => {}), LOOK_MS),
    ];
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  async assertCounted(): Promise<void> {
    await Promise.all(this.#open);
    const since = performance.now();
    const isThere = (path: Counts) => [...this.answered].every((name) => name in path);
    let path = await this.#look();
    while (!isThere(path) && performance.now() - since < PATIENCE_MS) {
      await setTimeout(LOOK_MS);
      path = await this.#look().catch(() => path);
    }
    const all = Object.entries(path);
    assert.deepEqual(
      {
        lost: [...this.answered].filter((name) => !(name in path)),
        twice: all.filter(([, n]) => n !== 1),
        neverSent: all.length > this.#sent.length,
      },
      { lost: [], twice: [], neverSent: false },
    );
    assert.ok(this.answered.size > 0.9 * this.#sent.length, "nearly all are answered");
  }

  #hit(): void {
    const i = this.#sent.length;
    if (i === MOST_HITS) return;
    this.#sent.push(performance.now());
    const v = encodeURIComponent(encode({ p: `/${i}` }));
    const headers = { "user-agent": CHROME };
    const asked = this.#fleet
      .ask(this.#collector, `/e?s=${this.#site}&v=${v}`, { headers })
      .then(({ status }) => void (status < 400 && this.answered.add(`/${i}`)))
      .catch(() => {});
    this.#open.add(asked);
    void asked.then(() => this.#open.delete(asked));
  }

  /** A collector stores hits in the order they came: as many as there are, so many of the first. */
  async #look(): Promise<Counts> {
    const path = `/stats?site=${this.#site}&from=first&token=${ADMIN}`;
    const reply = await this.#fleet.ask(this.#collector, path);
    // It may take the reader a moment to find the leader.
    if (reply.status === 503) return {};
    assert.equal(reply.status, 200, reply.text);
    const counts: Counts = reply.json.path ?? {};
    const there = Object.keys(counts).length;
    if (there > this.#there)
      this.longestMs = Math.max(this.longestMs, performance.now() - (this.#sent[this.#there] ?? 0));
    this.#there = Math.max(this.#there, there);
    return counts;
  }
}

type Counts = Readonly<Record<string, number>>;
