import assert from "node:assert/strict";
import fc from "fast-check";
import { dayOf } from "../../appliance/base/calendar.ts";
import { silentLog } from "../../appliance/base/log.ts";
import { openForWriting, withDatabase } from "../../appliance/store/sqlite/database.ts";
import { Store } from "../../appliance/store/store.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { eachFolder } from "../helpers/folder.ts";
import { kept } from "../helpers/kept.ts";
import { holds } from "../helpers/odd.ts";
import { TEST_SEED } from "../helpers/seeded.ts";
import { addSite, findSite } from "../helpers/stored-sites.ts";
import { reusedThreads } from "../helpers/threads.ts";
import { viewOf } from "../helpers/traffic.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RETENTION_DAYS = 5;
const BEGAN = Date.parse("2026-03-04T12:00:00Z");
const WALKS = 24;

/** An event of a box and its clock. */
type Step =
  | { readonly does: "hit" }
  | { readonly does: "run"; readonly ms: number }
  | { readonly does: "stepTo"; readonly ahead: number }
  | { readonly does: "boot"; readonly ahead: number; readonly sure: boolean }
  | { readonly does: "becomeSure"; readonly ahead: number };

/** The lead of a clock: mostly none, or days or years. */
const ahead = fc.oneof(
  fc.constant(0),
  fc.integer({ min: -20 * DAY_MS, max: 20 * DAY_MS }),
  fc.integer({ min: -56 * 365, max: 400 * 365 }).map((days) => days * DAY_MS),
);
const walks: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.constant({ does: "hit" as const }) },
    {
      weight: 3,
      arbitrary: fc.record({ does: fc.constant("run" as const), ms: fc.nat(2 * DAY_MS) }),
    },
    { weight: 3, arbitrary: fc.record({ does: fc.constant("stepTo" as const), ahead }) },
    {
      weight: 1,
      arbitrary: fc.record({ does: fc.constant("boot" as const), ahead, sure: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.record({ does: fc.constant("becomeSure" as const), ahead }) },
  ),
  { minLength: 10, maxLength: 40 },
);

/** A store whose clock is led astray, and what it has been given when. */
class Box {
  readonly #dataDir: string;
  #clock = new FakeClock(BEGAN);
  #store: Store | undefined;
  /** The true running time over all boots. */
  #ran = 0;
  #boots = 0;
  /** The true running time at which the hit of each name came. */
  readonly hits = new Map<string, number>();

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  async boot(wall: number, sure: boolean): Promise<void> {
    await this.stop();
    this.#boots += 1;
    this.#clock = new FakeClock(wall, { sure, boot: `boot ${this.#boots}` });
    this.#store = await Store.open({
      dataDir: this.#dataDir,
      detailDays: 0,
      retentionDays: RETENTION_DAYS,
      clock: this.#clock,
      log: silentLog(),
      threads: reusedThreads,
      prepare: (file) =>
        withDatabase(
          openForWriting(file),
          (db) => void (findSite(db, "blog") ?? addSite(db, "blog")),
        ),
    });
  }

  async stop(): Promise<void> {
    await this.#store?.close();
    this.#store = undefined;
  }

  async take(step: Step): Promise<void> {
    const right = BEGAN + this.#ran;
    switch (step.does) {
      case "hit":
        return this.#hit();
      case "run":
        this.#ran += step.ms;
        return this.#clock.jump(step.ms);
      case "stepTo":
        return this.#clock.setWall(right + step.ahead);
      case "boot":
        return this.boot(right + step.ahead, step.sure);
      case "becomeSure":
        if (!this.#clock.sure) this.#clock.becomeSure(right + step.ahead);
    }
  }

  async upkeep(): Promise<void> {
    await this.#store?.upkeep();
  }

  /** Hits that are gone though they are younger than what is to be kept. */
  lostTooEarly(): string[] {
    const kept = this.kept();
    return [...this.hits]
      .filter(([name, at]) => this.#ran - at < RETENTION_DAYS * DAY_MS && !kept.has(name))
      .map(([name]) => name);
  }

  /** Names of the hits that the database holds, whichever day they count for. */
  kept(): Set<string> {
    const { texts } = kept(this.#dataDir);
    return new Set([...texts].filter((text) => this.hits.has(text)));
  }

  /** Days that are past retention by the clock as it is, and still there. */
  pastRetention(): number[] {
    const first = dayOf(this.#clock.now()) - RETENTION_DAYS + 1;
    const days = kept(this.#dataDir).days.map(({ day }) => day);
    return days.filter((day) => day < first);
  }

  async #hit(): Promise<void> {
    const name = `hit ${this.hits.size}`;
    await this.#store?.numbers.count(1, viewOf({ path: name }));
    this.hits.set(name, this.#ran);
  }
}

describe(`a clock that goes astray (TEST_SEED=${TEST_SEED} brings the same again)`, () => {
  const folder = eachFolder();
  let walked = 0;

  it("loses no count younger than RETENTION_DAYS of running, and in the end keeps none older", async () => {
    const walk = async (steps: readonly Step[]) => {
      const box = new Box(`${folder()}/${walked++}`);
      try {
        await box.boot(BEGAN, true);
        for (const step of steps) {
          await box.take(step);
          await box.upkeep();
          assert.deepEqual(box.lostTooEarly(), [], `after ${JSON.stringify(step)}`);
        }
        // In the end it goes right, for longer than anything is kept.
        await box.take({ does: "boot", ahead: 0, sure: true });
        await box.take({ does: "run", ms: (RETENTION_DAYS + 1) * DAY_MS });
        await box.upkeep();
        assert.deepEqual(box.pastRetention(), []);
      } finally {
        await box.stop();
      }
    };
    await holds(WALKS, walks, walk);
  });
});

describe("a clock that is years ahead", () => {
  const folder = eachFolder();

  async function visited(days: number): Promise<Box> {
    const box = new Box(folder());
    await box.boot(BEGAN, true);
    for (let day = 0; day < days; day++) {
      if (day > 0) await box.take({ does: "run", ms: DAY_MS });
      await box.take({ does: "hit" });
      await box.upkeep();
    }
    return box;
  }

  const YEARS = 24 * 365 * DAY_MS;

  it("drops a day for each that the box has run, and no more", async () => {
    const box = await visited(RETENTION_DAYS);
    try {
      await box.take({ does: "stepTo", ahead: YEARS });
      for (let day = 0; day <= RETENTION_DAYS; day++) {
        await box.upkeep();
        assert.equal(box.kept().size, RETENTION_DAYS - day);
        await box.take({ does: "run", ms: DAY_MS });
      }
    } finally {
      await box.stop();
    }
  });

  it("keeps nothing for good: once it goes right, all that is past retention is dropped", async () => {
    const box = await visited(RETENTION_DAYS);
    try {
      await box.take({ does: "stepTo", ahead: YEARS });
      await box.take({ does: "hit" });
      await box.upkeep();
      await box.take({ does: "stepTo", ahead: -YEARS });
      await box.take({ does: "hit" });
      await box.upkeep();
      await box.take({ does: "stepTo", ahead: 0 });
      await box.take({ does: "run", ms: RETENTION_DAYS * DAY_MS });
      await box.upkeep();
      // The day that is far ahead is not over.
      assert.deepEqual([...box.kept()], [`hit ${RETENTION_DAYS}`]);
    } finally {
      await box.stop();
    }
  });
});
