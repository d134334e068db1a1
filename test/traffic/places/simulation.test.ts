import assert from "node:assert/strict";
import { DAY_MS, formatDay, HOUR_MS } from "../../../appliance/base/calendar.ts";
import { type EngineName, engineOfSuite, onEachEngine } from "../../helpers/engines.ts";
import { isLong } from "../../helpers/long.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";
import { caughtUp, SimulatedSide } from "./places.ts";

const STEPS = isLong ? 600 : 60;
const SITES = ["blog", "shop"] as const;
const PATHS = ["/", "/a", "/b", "/c"] as const;
const MINUTE_MS = 60_000;
/** Places keep few days of what both homes have, more than their clocks walk back; and all sides all else. */
const KEEP_DAYS = 3;
const KEEPING = { retentionDays: 100_000 };

/** Two homes and three places, to which all happens that may, and what each has answered. */
class World {
  readonly homes: readonly SimulatedSide[];
  readonly places: readonly SimulatedSide[];
  readonly #draw: ReturnType<typeof seeded>;
  /** Places that went back to a backup: what homes have of them may be more. */
  readonly #wentBack = new Set<SimulatedSide>();
  readonly said: string[] = [];

  constructor(seed: number, engine: EngineName) {
    this.#draw = seeded(seed);
    const { pick } = this.#draw;
    const engineOf = (at: number): EngineName =>
      engine === "SQLite" || at === 0 ? engine : pick(["SQLite", "PostgreSQL"] as const);
    this.homes = [0, 1].map((at) => new SimulatedSide(`home-${at}`, engineOf(at), KEEPING));
    this.places = [0, 1, 2].map(
      (at) =>
        new SimulatedSide(`place-${at}`, engineOf(at), { ...KEEPING, placeKeepDays: KEEP_DAYS }),
    );
  }

  get #all(): readonly SimulatedSide[] {
    return [...this.homes, ...this.places];
  }

  async begin(): Promise<void> {
    for (const side of this.#all) {
      await side.boot();
      for (const id of SITES) await side.again(() => side.numbers.write("createSite", { id }));
    }
    for (const home of this.homes)
      for (const place of this.places) {
        await home.addPlace(place.name);
        await place.invite(home.name);
      }
  }

  async end(): Promise<void> {
    for (const side of this.#all) await side.end();
  }

  async step(): Promise<void> {
    const { below } = this.#draw;
    const happenings = this.#happenings();
    const all = happenings.reduce((sum, [weight]) => sum + weight, 0);
    let at = below(all);
    for (const [weight, name, act] of happenings) {
      at -= weight;
      if (at >= 0) continue;
      this.said.push(name);
      await act();
      break;
    }
    for (const home of this.homes) await this.#neverMore(home);
  }

  #happenings(): readonly (readonly [number, string, () => Promise<unknown>])[] {
    const { below, pick } = this.#draw;
    const home = pick(this.homes as [SimulatedSide]);
    const place = pick(this.places as [SimulatedSide]);
    const side = pick(this.#all as [SimulatedSide]);
    const count = (one: SimulatedSide) => one.count(pick(SITES), pick(PATHS), 1 + below(5));
    const bend = (bytes: Buffer) => {
      const at = below(bytes.length);
      if (below(2) === 0) return bytes.subarray(0, at);
      const bent = Buffer.from(bytes);
      bent[at] = (bent[at] as number) ^ (1 + below(255));
      return bent;
    };
    return [
      [30, `a view at ${place.name}`, () => count(place)],
      [5, `a view at ${home.name}`, () => count(home)],
      [20, `${home.name} asks ${place.name}`, () => home.fetch(place.name, place.asked(home))],
      [
        6,
        `${home.name} asks ${place.name}, and the line is bad`,
        () => assert.rejects(home.fetch(place.name, place.asked(home, { bend }))),
      ],
      [
        4,
        `${home.name} asks ${place.name}, and is given the answer twice`,
        () => this.#lost(home, place),
      ],
      [
        8,
        `${home.name} asks ${place.name}, which counts on`,
        () => home.fetch(place.name, place.asked(home, { meanwhile: () => count(place) })),
      ],
      [4, `${home.name} has all of ${place.name}`, () => this.#compare(home, place)],
      [10, "minutes pass", () => this.#pass(below(90) * MINUTE_MS)],
      [12, "months pass", () => this.#pass(below(200) * DAY_MS + below(24) * HOUR_MS)],
      [10, `${side.name} settles`, () => side.wait(side.numbers.upkeep.anew())],
      [3, `${side.name} starts anew`, () => side.restart()],
      [2, `${place.name} starts anew and knows no time`, () => place.restart(false)],
      [3, `${place.name} is told the time`, () => place.setClock()],
      [3, `${side.name} is backed up`, () => side.backUp()],
      [2, `${side.name} goes back`, () => this.#goBack(side)],
      [2, `${place.name} has another hour`, () => this.#walk(place)],
    ];
  }

  async #pass(ms: number): Promise<void> {
    for (const { clock } of this.#all) clock.jump(ms);
  }

  async #walk(place: SimulatedSide): Promise<void> {
    const { below } = this.#draw;
    await place.setClock();
    place.clock.setWall(place.clock.now() + (below(21) - 10) * HOUR_MS);
  }

  async #goBack(side: SimulatedSide): Promise<void> {
    await side.setClock();
    if ((await side.goBack()) && side.engine === "SQLite") this.#wentBack.add(side);
  }

  /** Something on the way keeps an answer, and gives it again. */
  async #lost(home: SimulatedSide, place: SimulatedSide): Promise<void> {
    let kept: Buffer = Buffer.alloc(0);
    await home.fetch(
      place.name,
      place.asked(home, {
        bend(bytes) {
          kept = bytes;
          return bytes;
        },
      }),
    );
    // With nothing new it is an answer to the same question again.
    await home.fetch(place.name, place.asked(home, { bend: () => kept })).catch((error) => {
      assert.match(error.message, /another question/);
    });
  }

  /** Nothing is counted that nobody answered. */
  async #neverMore(home: SimulatedSide): Promise<void> {
    const truth = new Map<string, number>();
    for (const { answered } of this.#all) for (const [key, n] of answered) truth.set(key, n);
    for (const [key, n] of await home.stored())
      assert.ok(n <= (truth.get(key) ?? 0), `${home.name} has ${n} of ${key}: ${truth.get(key)}`);
  }

  async compareAll(): Promise<void> {
    for (const place of this.places) {
      for (const home of this.homes) await this.#compare(home, place);
    }
  }

  async #compare(home: SimulatedSide, place: SimulatedSide): Promise<void> {
    await place.setClock();
    await caughtUp(home, place);
    const there = await place.stored();
    const last = formatDay(place.numbers.zone.today(place.clock.now() - (KEEP_DAYS - 1) * DAY_MS));
    const isForgotten = (key: string) => !there.has(key) && (key.split(" ")[2] ?? "") <= last;
    for (const [key, n] of place.counted)
      if (!isForgotten(key)) assert.equal(there.get(key) ?? 0, n, `${place.name} itself: ${key}`);
    const stored = await home.stored();
    for (const [key, n] of place.counted) {
      const has = stored.get(key) ?? 0;
      // A home that went back lacks what no place has any more.
      if (this.#wentBack.has(home) && isForgotten(key)) continue;
      if (this.#wentBack.has(place)) assert.ok(has >= n, `${home.name} has ${has} of ${key}: ${n}`);
      else assert.equal(has, n, `${home.name}: ${key}`);
    }
  }
}

onEachEngine(() => {
  const engine = engineOfSuite();
  describe("homes of places", () => {
    it(`have what these answered, whatever happens (seed ${TEST_SEED})`, async function () {
      this.timeout(isLong ? 3_600_000 : 600_000);
      const world = new World(TEST_SEED, engine);
      await world.begin();
      try {
        for (let step = 0; step < STEPS; step++) await world.step();
        await world.compareAll();
      } catch (error) {
        throw new Error(`After: ${world.said.join("; ")}`, { cause: error });
      } finally {
        await world.end();
      }
    });
  });
});
