import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import type { Trouble } from "../../helpers/cutting-proxy.ts";
import { FaultyFleet } from "../../helpers/faulty-fleet.ts";
import { isLong } from "../../helpers/long.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";
import { ADMIN, CHROME, encode } from "../../helpers/world.ts";

const ROUNDS = Number(process.env.FAULT_ROUNDS ?? (isLong ? 8 : 4));
const COLLECTORS = ROUNDS > 4 ? 4 : 2;
/** In a round, over its sites: each takes 2,000 values of a dimension a day. */
const HITS = ROUNDS > 4 ? 3_000 : 500;
const SITES_A_ROUND = 2;
const HITS_A_SURVEY = 75;
/** With fewer at once, fewer hits have as many commits to lose. */
const AT_ONCE = ROUNDS > 4 ? 128 : 32;
/** All rounds include outages that outlast the five seconds a hit waits for its commit. */
const LONGEST_OUTAGE_MS = ROUNDS > 4 ? 8_000 : 2_000;
/** Long enough for a slow machine; what is lost never comes. */
const PATIENCE_MS = 60_000;
const LOOK_MS = 50;

type Draw = ReturnType<typeof seeded>;

/** A fault of a round, at random moments. */
interface Fault {
  readonly name: string;
  readonly times: number;
  prepare?(fleet: FaultyFleet): Promise<void>;
  strike(fleet: FaultyFleet, draw: Draw): Promise<void> | void;
}

const FAULTS: readonly [Fault, ...Fault[]] = [
  {
    name: "collectors are killed",
    times: ROUNDS > 4 ? 3 : 1,
    strike: (fleet, { below }) => fleet.replaceCollector(below(COLLECTORS)),
  },
  {
    name: "the database is killed",
    times: 2,
    strike: (fleet, { below }) => fleet.loseDatabase(() => setTimeout(below(LONGEST_OUTAGE_MS))),
  },
  {
    name: "connections are cut in the middle of commits",
    times: 4,
    prepare: async (fleet) => {
      fleet.trouble = { commits: 0.4 };
    },
    strike: (fleet, { pick }) => {
      fleet.trouble = pick<Trouble>([
        { commits: 0.5 },
        { commits: 0.4, delayMs: 5 },
        { commits: 0.2, bytes: 50_000 },
      ]);
      fleet.cut();
    },
  },
  {
    name: "a standby takes over",
    times: 1,
    prepare: (fleet) => fleet.addStandby(),
    strike: (fleet) => fleet.failOver(),
  },
];

const sitesOf = (round: number) =>
  Array.from({ length: SITES_A_ROUND }, (_, i) => `round-${round}-${i}`);

describe(`${COLLECTORS} collectors and one database (TEST_SEED=${TEST_SEED} brings the same again)`, () => {
  let fleet: FaultyFleet;
  before(async () => {
    const sites = Array.from({ length: ROUNDS }, (_, round) => sitesOf(round)).flat();
    const env = { SITES: sites.join(), STATS_TOKEN: ADMIN, DRAIN_SECONDS: "0" };
    fleet = await FaultyFleet.start({ seed: TEST_SEED, collectors: COLLECTORS, env });
  });

  for (let round = 0; round < ROUNDS; round++) {
    const fault = FAULTS[round % FAULTS.length] ?? FAULTS[0];
    it(`count every answered hit once while ${fault.name}, round ${round + 1}`, async () => {
      const draw = seeded(TEST_SEED + round);
      await fault.prepare?.(fleet);
      const sites = sitesOf(round).map((site) => new Sent(site));
      await pour(fleet, sites, fault, draw);
      fleet.trouble = {};
      for (const sent of sites) await assertCounted(fleet, sent);
      const answered = sites.reduce((sum, { paths }) => sum + paths.size, 0);
      assert.ok(answered > HITS / 2, `only ${answered} of ${HITS} hits were answered`);
    });
  }

  it("had commits cut at every moment of theirs", () => {
    for (const [moment, times] of fleet.lostCommits) assert.ok(times > 0, moment);
  });

  it("stop when they are told to", async () => {
    assert.deepEqual(await fleet.stop(), Array(COLLECTORS).fill(0));
  });
});

/** Hits to a site, with their outcomes. */
class Sent {
  readonly site: string;
  /** Pages whose hits were answered. */
  readonly paths = new Set<string>();
  /** Marks of taken surveys. One that was refused to its sender may be there all the same. */
  readonly taken = new Set<string>();

  constructor(site: string) {
    this.site = site;
  }

  /** A hit of a page of its own. @returns whether it was answered */
  async hit(fleet: FaultyFleet, i: number): Promise<boolean> {
    const v = encodeURIComponent(encode({ p: `/${i}` }));
    const headers = { "user-agent": CHROME };
    const reply = await fleet.ask(`/e?s=${this.site}&v=${v}`, { headers }).catch(() => undefined);
    if (reply === undefined || reply.status >= 400) return false;
    this.paths.add(`/${i}`);
    return true;
  }

  /** A survey from an address of its own. */
  async survey(fleet: FaultyFleet, i: number): Promise<void> {
    const c = `comment ${i}`;
    const from = `127.7.${i >> 7}.${1 + (i & 127)}`;
    const body = JSON.stringify({ sv: 1, c });
    const ask = { method: "POST", from, body };
    const reply = await fleet.ask(`/s?s=${this.site}`, ask).catch(() => undefined);
    if (reply !== undefined && reply.status < 400) this.taken.add(c);
  }
}

/** Sends hits and surveys, many at once, and strikes after so many answers as are drawn. */
async function pour(
  fleet: FaultyFleet,
  sites: readonly Sent[],
  { times, strike }: Fault,
  draw: Draw,
): Promise<void> {
  const moments = new Set(Array.from({ length: times }, () => 1 + draw.below(0.8 * HITS)));
  let answers = 0;
  let strikes = Promise.resolve();
  let next = 0;
  const lane = async () => {
    while (next < HITS) {
      const i = next++;
      const site = sites[i % sites.length];
      if (i % HITS_A_SURVEY === 0) await site?.survey(fleet, i);
      if (!(await site?.hit(fleet, i))) continue;
      answers += 1;
      if (moments.has(answers)) strikes = strikes.then(() => strike(fleet, draw));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  await strikes;
}

async function assertCounted(fleet: FaultyFleet, sent: Sent): Promise<void> {
  const there = await settled(fleet, sent);
  const paths = Object.entries(there.path);
  assert.deepEqual(
    {
      lost: [...sent.paths].filter((name) => there.path[name] === undefined),
      twice: paths.filter(([, n]) => n !== 1),
      lostSurveys: [...sent.taken].filter((c) => !there.comments.includes(c)),
    },
    { lost: [], twice: [], lostSurveys: [] },
  );
  assert.equal(there.pv, paths.length, "views are as many as paths");
  assert.ok(there.pv <= HITS / SITES_A_ROUND);
  assert.equal(new Set(there.comments).size, there.comments.length, "no survey is there twice");
}

/** Hits that waited in memory for the database are not stored at once. */
async function settled(fleet: FaultyFleet, { site, paths, taken }: Sent): Promise<Counted> {
  const since = performance.now();
  for (;;) {
    const there = await read(fleet, site);
    const isSettled =
      [...paths].every((name) => name in there.path) &&
      [...taken].every((c) => there.comments.includes(c));
    if (isSettled || performance.now() - since > PATIENCE_MS) return there;
    await setTimeout(LOOK_MS);
  }
}

interface Counted {
  readonly pv: number;
  readonly path: Readonly<Record<string, number>>;
  readonly comments: readonly string[];
}

async function read(fleet: FaultyFleet, site: string): Promise<Counted> {
  const ask = async (path: string) => {
    const reply = await fleet.ask(`${path}site=${site}&token=${ADMIN}`).catch(() => undefined);
    // It may take the reader a moment to find the database again.
    if (reply === undefined || reply.status === 503) return {};
    assert.equal(reply.status, 200, reply.text);
    return reply.json;
  };
  const { pv = { _: 0 }, path = {} } = await ask("/stats?from=first&");
  const { comments = [] } = await ask("/surveys?");
  return { pv: pv._, path, comments: comments.map(({ c }: { c: string }) => c) };
}
