import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import {
  type ImplausibleTime,
  SystemClock,
  systemEvidence,
} from "../../../appliance/base/system/system-clock.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";

const DAY_MS = 86_400_000;
/** The wall clock of a board without a battery after a boot. */
const SAVED = Date.parse("2026-01-10T08:00:00Z");
const RIGHT = Date.parse("2026-03-04T12:00:00Z");

describe("the clock of a machine that is believed", () => {
  it("is sure at once and says what the machine says", () => {
    const machine = new FakeClock(RIGHT);
    const clock = new SystemClock({ machine, evidence: { isSet: () => false } });
    machine.advance(5_000);
    assert.equal(clock.sure, true);
    assert.equal(clock.now(), RIGHT + 5_000);
    assert.equal(clock.monotonic(), machine.monotonic());
    assert.equal(machine.timers, 0);
  });

  it("is of the boot that systemd tells, where the sandbox hides it", () => {
    process.env.BOOT_ID = "0123456789abcdef0123456789abcdef";
    try {
      assert.equal(new SystemClock().boot, process.env.BOOT_ID);
    } finally {
      delete process.env.BOOT_ID;
    }
  });

  it("is of this boot and never runs backwards", () => {
    const clock = new SystemClock();
    assert.equal(clock.boot, readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
    const first = clock.monotonic();
    assert.ok(first > 0 && clock.monotonic() >= first);
    const [before, now, after] = [Date.now(), clock.now(), Date.now()];
    assert.ok(before <= now && now <= after, `${before}, ${now}, ${after}`);
  });
});

describe("the clock of a board without a battery", () => {
  let machine: FakeClock;
  let set: boolean;
  let clock: SystemClock;
  let becameSure: number;

  beforeEach(() => {
    machine = new FakeClock(SAVED);
    set = false;
    clock = new SystemClock({ wait: true, machine, evidence: { isSet: () => set } });
    becameSure = 0;
    clock.becameSure.on(() => becameSure++);
  });

  it("begins unsure, with the saved time", () => {
    assert.equal(clock.sure, false);
    assert.equal(clock.now(), SAVED);
    machine.advance(3_600_000);
    assert.deepEqual([clock.sure, becameSure], [false, 0]);
    assert.equal(clock.now(), SAVED + 3_600_000);
  });

  it("is sure within a second after the system set it", () => {
    machine.advance(10_000);
    machine.setWall(RIGHT);
    set = true;
    machine.advance(1_000);
    assert.deepEqual([clock.sure, becameSure], [true, 1]);
    assert.equal(clock.now(), RIGHT + 1_000);
    assert.equal(machine.timers, 0, "it looks no more");
  });

  it("is sure from the start when the system had set it before", () => {
    set = true;
    const later = new SystemClock({ wait: true, machine, evidence: { isSet: () => set } });
    assert.equal(later.sure, true);
  });

  it("goes by what the owner's browser tells", () => {
    machine.advance(10_000);
    clock.believe(RIGHT);
    assert.deepEqual([clock.sure, becameSure], [true, 1]);
    assert.equal(clock.now(), RIGHT);
    machine.advance(60_000);
    assert.equal(clock.now(), RIGHT + 60_000);
  });

  it("stays right when the system's clock steps after the owner told the time", () => {
    clock.believe(RIGHT);
    machine.setWall(RIGHT + 7);
    assert.equal(clock.now(), RIGHT);
    set = true;
    machine.advance(1_000);
    assert.equal(clock.now(), RIGHT + 7 + 1_000);
    assert.equal(becameSure, 1);
  });

  it("believes nobody once it is sure", () => {
    set = true;
    machine.setWall(RIGHT);
    machine.advance(1_000);
    clock.believe(0);
    assert.equal(clock.now(), RIGHT + 1_000);
  });

  it("believes the saved time after a day", () => {
    machine.advance(DAY_MS - 1_000);
    assert.equal(clock.sure, false);
    machine.advance(2_000);
    assert.deepEqual([clock.sure, becameSure], [true, 1]);
    assert.equal(clock.now(), SAVED + DAY_MS + 1_000);
  });

  it("takes the system's time over the saved one, also after that day", () => {
    machine.advance(DAY_MS + 60_000);
    machine.setWall(RIGHT);
    set = true;
    machine.advance(1_000);
    assert.equal(clock.now(), RIGHT + 1_000);
    assert.deepEqual([clock.sure, becameSure], [true, 1]);
  });
});

describe("a time far ahead of the newest thing known", () => {
  const RELEASED = Date.parse("2026-01-01T00:00:00Z");
  const AHEAD = Date.parse("2050-01-01T00:00:00Z");
  let machine: FakeClock;
  let set: boolean;
  let refused: ImplausibleTime[];
  const create = () =>
    new SystemClock({
      wait: true,
      machine,
      evidence: { isSet: () => set },
      known: RELEASED,
      onFarAhead: (each) => refused.push(each),
    });

  beforeEach(() => {
    machine = new FakeClock(SAVED);
    set = false;
    refused = [];
  });

  it("is not believed of a time server, and is told once", () => {
    const clock = create();
    machine.advance(60_000);
    machine.setWall(AHEAD);
    set = true;
    machine.advance(60_000);
    assert.equal(clock.sure, false);
    assert.equal(clock.now(), SAVED + 120_000, "it goes on from the saved time");
    assert.deepEqual(refused, [{ time: AHEAD + 1_000, newest: SAVED + 61_000 }]);
  });

  it("is not believed after a day either: then the saved time is", () => {
    const clock = create();
    machine.setWall(AHEAD);
    set = true;
    machine.advance(DAY_MS + 1_000);
    assert.deepEqual([clock.sure, clock.now()], [true, SAVED + DAY_MS + 1_000]);
  });

  it("is not believed when the system steps there later", () => {
    machine.setWall(RIGHT);
    set = true;
    const clock = create();
    machine.advance(60_000);
    machine.setWall(AHEAD);
    assert.equal(clock.now(), RIGHT + 60_000);
    machine.setWall(RIGHT);
    assert.equal(clock.now(), RIGHT);
  });

  it("is not believed of the saved clock: what the data knows counts", () => {
    machine.setWall(AHEAD);
    const clock = create();
    clock.learn(RIGHT);
    machine.advance(60_000);
    assert.equal(clock.now(), RIGHT + 60_000);
  });

  it("is not believed of a browser, until its owner confirms it", () => {
    const clock = create();
    assert.deepEqual(clock.believe(AHEAD), { time: AHEAD, newest: SAVED });
    assert.deepEqual([clock.sure, clock.now()], [false, SAVED]);
    assert.equal(clock.believe(AHEAD, true), undefined);
    assert.deepEqual([clock.sure, clock.now()], [true, AHEAD]);
  });

  it("is the system's once a person has confirmed it", () => {
    const clock = create();
    machine.setWall(AHEAD + 5_000);
    set = true;
    machine.advance(2_000);
    clock.believe(AHEAD, true);
    assert.equal(clock.now(), AHEAD + 7_000);
  });

  it("may be confirmed also after the saved time was believed", () => {
    const clock = create();
    machine.advance(DAY_MS + 1_000);
    assert.equal(clock.sure, true);
    assert.notEqual(clock.believe(AHEAD), undefined);
    clock.believe(AHEAD, true);
    assert.equal(clock.now(), AHEAD);
  });

  it("is no reason to doubt a browser that is right", () => {
    const clock = create();
    machine.setWall(AHEAD);
    set = true;
    machine.advance(5_000);
    assert.equal(clock.believe(RIGHT), undefined);
    machine.advance(5_000);
    assert.deepEqual([clock.sure, clock.now()], [true, RIGHT + 5_000]);
  });

  it("is judged by the newest of the release, the saved clock and the data", () => {
    const days = (count: number) => count * DAY_MS;
    for (const [saved, data, newest] of [
      ["1970-01-01T00:00:00Z", 0, RELEASED],
      [SAVED, 0, SAVED],
      [SAVED, RIGHT, RIGHT],
    ] as const) {
      machine = new FakeClock(saved);
      const clock = create();
      clock.learn(data);
      assert.equal(clock.believe(newest + days(400) + 1)?.newest, newest);
      assert.equal(clock.believe(newest + days(400)), undefined);
    }
  });

  it("is believed where nobody waits for the clock", () => {
    const clock = new SystemClock({ machine, known: RELEASED });
    machine.setWall(AHEAD);
    assert.equal(clock.now(), AHEAD);
  });
});

describe("the evidence that the system set the clock", () => {
  const withFiles = (files: Record<string, string>) =>
    systemEvidence((path) => {
      const text = files[path];
      if (text === undefined) throw new Error(`ENOENT: ${path}`);
      return text;
    }).isSet();
  const HARDWARE = "/sys/class/rtc/rtc0/since_epoch";

  it("is none when no file is there", () => {
    assert.equal(withFiles({}), false);
  });

  it("is the mark of systemd-timesyncd", () => {
    assert.equal(withFiles({ "/run/systemd/timesync/synchronized": "" }), true);
  });

  it("is the mark of our own helper, which asks for a date over HTTPS", () => {
    assert.equal(withFiles({ "/run/tallydeck-clock/set": "" }), true);
  });

  it("is a hardware clock that kept the time, not one without a battery", () => {
    assert.equal(withFiles({ [HARDWARE]: `${RIGHT / 1_000}\n` }), true);
    assert.equal(withFiles({ [HARDWARE]: "86\n" }), false);
    assert.equal(withFiles({ [HARDWARE]: "" }), false);
  });
});
