import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { DAY_MS, HOUR_MS } from "../../../appliance/base/calendar.ts";
import { silentLog } from "../../../appliance/base/log.ts";
import { Refusal } from "../../../appliance/base/refusal.ts";
import { type UpdateRecord, UpdateRecordFile } from "../../../appliance/links/updates/record.ts";
import type { UpdateMode } from "../../../appliance/links/updates/settings.ts";
import { Updates } from "../../../appliance/links/updates/updates.ts";
import type { UpdateChange } from "../../../appliance/links/updates/view.ts";
import { lasting } from "../../helpers/long.ts";
import { seeded } from "../../helpers/seeded.ts";
import { eachLife, LIVES, SimCard, SimTime } from "../../helpers/simulated.ts";
import { SimHost } from "./sim-host.ts";
import { SimMachine, type Trouble, WELL, ZONE } from "./sim-world.ts";

const MINUTE_MS = 60_000;
/** A look at the host is a week and a day after the last at most, what was called off rests for a day, and a night comes. */
const LONG_ENOUGH_MS = 11 * DAY_MS;
/** The longest step without a look at the box, shorter than a night. */
const LONGEST_STEP_MS = 10 * MINUTE_MS;

type Draw = ReturnType<typeof seeded>;

/** A box with its owner, for as long as it lives, with whatever happens there. */
class Life {
  readonly time = new SimTime();
  readonly card = new SimCard();
  readonly draw: Draw;
  readonly machine: SimMachine;
  readonly #host: SimHost;
  mode: UpdateMode;
  updates!: Updates;
  record!: UpdateRecordFile;
  #text: string | undefined;
  #power = { on: true };
  #clock = this.time.clock(true);
  #wish: UpdateRecord["wish"] = null;
  readonly #untold: string[] = [];
  #isCallingOff = false;
  /** The card has an older record than the service. */
  #isForgetful = false;

  constructor(draw: Draw, mode: UpdateMode) {
    this.draw = draw;
    this.mode = mode;
    this.machine = new SimMachine(this.time, this.card, draw);
    this.#host = new SimHost(this.machine, draw);
  }

  /** The service begins. */
  start(sure: boolean, off = 0): void {
    const { machine, card, draw } = this;
    const power = { on: true };
    this.#power = power;
    this.#clock = this.time.clock(sure, `boot ${machine.boots}`, off);
    const log = {
      ...silentLog(),
      warn: (_: unknown, line = "") => {
        const isOurs = line === "An update could not go on";
        if (isOurs && power.on && machine.trouble.root !== "untold") machine.problems.push(line);
      },
    };
    const record = new UpdateRecordFile("", log, {
      bytesOf: () => (this.#text === undefined ? undefined : Buffer.from(this.#text)),
      replace: async (_, text) => {
        const isWritten = await card.write(power, () => {
          this.#text = text;
        });
        this.#isForgetful = this.#text !== text;
        if (this.#isForgetful) machine.forgotAt = this.time.at;
        if (!isWritten) throw new Error("the card takes nothing");
      },
    });
    this.record = record;
    this.#wish = record.now.wish;
    record.changed.on(() => power.on && this.#hear());
    if (this.#isForgetful) machine.forget(record.now);
    // An ended wish that a power cut brought back was reported before.
    if (this.#isForgetful) this.#wish = null;
    this.#isForgetful = false;
    machine.wanted.isAuto = this.mode === "auto";
    this.updates = new Updates({
      clock: this.#clock,
      log,
      record,
      settings: { mode: this.mode, url: "https://releases.test/", key: "" },
      board: { model: null, compatible: [], isTried: true },
      root: machine.root(power, this.#clock),
      releases: this.#host.releases(power, this.#clock, record.now.found),
      random: () => draw.random(),
      timeZone: () => ZONE,
    });
  }

  /** The service ends as it should, or is killed, and begins again. */
  async restart(isKilled: boolean): Promise<void> {
    this.machine.note(isKilled ? "the service is killed" : "the service begins anew");
    this.machine.disturbedAt = this.time.at;
    if (isKilled) this.#power.on = false;
    const closing = this.updates.close();
    if (!isKilled) await closing;
    this.machine.running = 0;
    this.#clock.becomeSure();
    this.start(true);
    await turn();
  }

  /** The machine starts again, whoever had it do so. */
  async reboot(): Promise<void> {
    this.#power.on = false;
    this.card.isCut = false;
    void this.updates.close();
    this.machine.boot();
    const isSure = this.draw.random() < 0.7;
    const { restartsAt = null } = this.record.now.wish ?? {};
    // A clock that does not know the time says any, be it that of the restart.
    const isThen = restartsAt !== null && this.draw.random() < 0.5;
    const off = isThen ? restartsAt - this.time.at : -this.draw.below(DAY_MS);
    if (!isSure) this.time.steppedAt = this.time.at;
    this.start(isSure, off);
    await turn();
    if (isSure) return;
    await this.pass(this.draw.below(30) * MINUTE_MS);
    this.time.steppedAt = this.time.at;
    this.#clock.becomeSure();
    await turn();
  }

  async act(change: UpdateChange): Promise<void> {
    const { machine } = this;
    const { wanted } = machine;
    const { wish } = this.record.now;
    this.#isCallingOff = change.action === "cancel" || change.action === "skip";
    const acting = this.updates.act(change);
    // A check is answered as the time passes.
    let isOver = false;
    const over = acting.then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
        return false;
      },
    );
    void over
      .catch(() => {})
      .finally(() => {
        isOver = true;
      });
    // From the moment that it is said.
    machine.note(JSON.stringify(change));
    wanted.saidAt = this.time.at;
    const whenBefore = wanted.when;
    if (change.action === "now" || change.action === "tonight") {
      wanted.release = change.release;
      wanted.when = change.action;
    }
    for (let i = 0; i < 4 && !isOver; i += 1) await turn();
    this.#isCallingOff = false;
    if (!isOver) return;
    const isDone = await over;
    switch (change.action) {
      case "now":
      case "tonight":
        if (!isDone) wanted.when = whenBefore;
        if (!isDone) wanted.release = wish === null || wish.isByItself ? null : wish.release;
        else if (wanted.skipped === change.release) wanted.skipped = null;
        break;
      case "skip":
        if (isDone) wanted.skipped = change.release;
        if (isDone && wish?.release === change.release) this.#callOff();
        break;
      case "cancel":
        if (isDone && wish !== null) this.#callOff();
        break;
    }
  }

  /** A release comes in as a file, while the time passes. */
  upload(): void {
    this.machine.note("a file comes in");
    this.updates.takeIn(Readable.from([]), undefined).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
    });
  }

  #callOff(): void {
    this.machine.wanted.release = null;
    this.machine.wanted.calledOffAt = this.time.at;
  }

  async pass(ms: number): Promise<void> {
    const end = this.time.at + ms;
    let isGoing = true;
    while (isGoing) {
      if (this.machine.trouble.root !== "well") this.machine.disturbedAt = this.time.at;
      while (this.card.isCut || this.machine.reboots !== undefined) await this.reboot();
      this.time.at += this.draw.below(this.#longestStep());
      isGoing = this.time.next(end);
      await turn();
      this.check();
    }
  }

  /** The longest time in which nobody looks at the box; 0 where seconds count. */
  #longestStep(): number {
    const { wish } = this.record.now;
    const { isBusy, state } = this.machine;
    if (isBusy || state.mode !== "normal") return 0;
    if (state.work !== undefined) return MINUTE_MS / 2;
    const isReady = state.prepared?.release === wish?.release;
    const isWaiting =
      wish === null ||
      (isReady
        ? wish.when === "tonight"
        : (wish.retryAt ?? 0) > this.#clock.now() + LONGEST_STEP_MS);
    return isWaiting ? LONGEST_STEP_MS : 0;
  }

  /** The state of all, for whoever looks into a failure. */
  said(): string {
    const { state, trouble, told, wanted } = this.machine;
    const all = [state, this.record.now, trouble, wanted].map((one) => JSON.stringify(one));
    return [...told, ...all].join("\n");
  }

  check(): void {
    const { machine } = this;
    const problems = [...machine.problems, ...this.#untold];
    if (problems.length > 0) assert.fail(`${problems.join(", ")}\n${this.said()}`);
  }

  /** The record is another: a wish that is none any more is fulfilled, was called off, or it is told why not. */
  #hear(): void {
    const { machine, record } = this;
    const { wish, problem } = record.now;
    const before = this.#wish;
    this.#wish = wish;
    if (wish !== null || before === null) return;
    machine.wanted.release = null;
    const { state } = machine;
    const isTold =
      this.#isCallingOff ||
      problem !== null ||
      state.running.release >= before.release ||
      // Root tells how it ended.
      state.failed.includes(before.release) ||
      (before.isByItself && this.mode !== "auto");
    const isSilent = problem?.startsWith("The updater did not do") === true;
    if (isSilent && this.time.at > machine.disturbedAt + 10 * MINUTE_MS)
      this.#untold.push(`root is blamed for ${before.release}`);
    if (!isTold) this.#untold.push(`nobody is told why ${before.release} is not installed`);
  }
}

async function happen(life: Life): Promise<void> {
  const { draw, machine, time, card } = life;
  const change = (trouble: Partial<Trouble>) => {
    machine.note(JSON.stringify(trouble));
    machine.trouble = { ...machine.trouble, ...trouble };
    machine.disturbedAt = time.at;
    if (machine.trouble.root === "well") machine.wakeRoot();
  };
  const ready = () => life.updates.view()?.ready?.release ?? machine.newest;
  const events: readonly [() => unknown, ...(() => unknown)[]] = [
    () => change(WELL),
    () => change({ host: draw.pick(["away", "cut", "wrong", "gone", "slow"]) }),
    () => change({ root: draw.pick(["slow", "asleep", "untold"]) }),
    () => change({ slot: "bad" }),
    () => change({ trial: "fails" }),
    () => change({ isFull: true }),
    () => {
      machine.newest += 1;
    },
    () => {
      machine.newest += 1;
    },
    () => machine.offers("stick", machine.newest + draw.below(2)),
    () => life.restart(false),
    () => life.restart(true),
    () => life.reboot(),
    () => {
      card.cut = { writes: 1 + draw.below(6), isAfter: draw.random() < 0.5 };
    },
    () => {
      card.isBroken = draw.random() < 0.3;
    },
    () => life.act({ action: "check" }),
    () => life.act({ action: "now", release: ready() }),
    () => life.act({ action: "tonight", release: ready() }),
    () => life.act({ action: "now", release: ready() }),
    () => life.act({ action: "tonight", release: ready() }),
    () => life.act({ action: "cancel" }),
    async () => {
      await life.act({ action: "cancel" });
      await life.pass(draw.below(5) * MINUTE_MS);
      await life.act({ action: "now", release: ready() });
    },
    () => life.act({ action: "skip", release: ready() }),
    () => life.act({ action: "seen" }),
    () => life.upload(),
    () => draw.random() < 0.3 && life.act({ action: "back" }),
    () => {
      life.mode = draw.pick(["auto", "auto", "ask", "off"]);
      return life.restart(false);
    },
    () => {
      const ahead = draw.pick([0, 0, HOUR_MS, -HOUR_MS, 200 * DAY_MS]);
      machine.note(`the clock is ${ahead / HOUR_MS} h ahead`);
      time.step(ahead);
    },
  ];
  await draw.pick(events)();
}

/** From now on nothing is amiss, and there is a release that nobody has said anything about. */
async function heal(life: Life, mode: UpdateMode): Promise<void> {
  const { machine, card, time } = life;
  machine.trouble = { ...WELL };
  time.step(0);
  card.cut = undefined;
  card.isBroken = false;
  machine.newest += 3;
  life.mode = mode;
  machine.wakeRoot();
  await life.restart(false);
}

async function live(seed: number, mode: UpdateMode, days: number): Promise<void> {
  const draw = seeded(seed);
  const life = new Life(draw, mode);
  life.start(true);
  await turn();
  const end = life.time.at + days * DAY_MS;
  while (life.time.at < end) {
    const until = life.time.at + (3 + draw.below(20)) * DAY_MS;
    while (life.time.at < until) {
      await happen(life);
      await life.pass(draw.random() ** 4 * DAY_MS);
    }
    await heal(life, mode);
    await life.pass(LONG_ENOUGH_MS);
    const { newest } = life.machine;
    if (mode === "ask") {
      assert.equal(
        life.updates.view()?.ready?.release,
        newest,
        `it is not offered\n${life.said()}`,
      );
      await life.act({ action: "now", release: newest });
      await life.pass(2 * HOUR_MS);
    }
    assert.equal(life.machine.state.running.release, newest, `it does not run\n${life.said()}`);
  }
  await life.updates.close();
}

describe("a box over days of releases in which all goes wrong", function () {
  this.timeout(600_000 * LIVES);

  for (const [mode, days] of [
    ["auto", 400],
    ["ask", 150],
  ] as const)
    it(`gets to the newest whenever it can, and installs nothing that nobody wants: UPDATES=${mode}`, () =>
      eachLife((seed) => live(seed, mode, lasting(days))));
});
