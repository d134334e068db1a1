import assert from "node:assert/strict";
import { DAY_MS, HOUR_MS } from "../../../appliance/base/calendar.ts";
import { DayZone } from "../../../appliance/base/day-zone.ts";
import { silentLog } from "../../../appliance/base/log.ts";
import { Signal } from "../../../appliance/base/signal.ts";
import { Backups, type KnownTarget } from "../../../appliance/links/backups/backups.ts";
import { readBackupName } from "../../../appliance/links/backups/names.ts";
import type { BackupRecord, TargetKind } from "../../../appliance/links/backups/record.ts";
import { isLong } from "../../helpers/long.ts";
import { MemoryDocuments } from "../../helpers/memory-documents.ts";
import { seeded } from "../../helpers/seeded.ts";
import { eachLife, LIVES, SimLife } from "../../helpers/simulated.ts";
import { MemoryTarget, type TargetFault } from "./memory-target.ts";

const ZONE = new DayZone({ zone: "Europe/Berlin", before: null });
const WEEK_MS = 7 * DAY_MS;
/** Eight seconds of work: in fewer days, there are not yet all the files of weeks and months that are kept. */
const DAYS = isLong ? 400 : 250;
/** The longest pause between two tries is four hours. */
const LONG_ENOUGH_MS = 5 * HOUR_MS;
/** All work of one moment is done within so many turns. */
const TURNS = 60;
/** Nothing here waits for the system, which a turn of the event loop would ask each time. */
const turn = () => new Promise<void>((done) => process.nextTick(done));
const ID = "0a1b2c3d";
const KINDS = ["stick", "webdav"] as const satisfies readonly TargetKind[];
/** Files of somebody else, and of another machine. */
const FOREIGN = new Map([
  ["holiday.jpg", Buffer.from("a photo")],
  ["tallydeck-2020-01-01-020000Z-kitchen-ffffffff.db", Buffer.from("another machine's")],
  ["tallydeck-2020-01-01-020000Z-kitchen-ffffffff.db.part", Buffer.from("another machine's")],
  ["tallydeck.db", Buffer.from("a copy by hand")],
]);

class PowerCut extends Error {}

/** A machine that makes backups, its card, a stick and a server. */
class Life extends SimLife<BackupRecord> {
  readonly targets = { stick: new MemoryTarget(), webdav: new MemoryTarget() };
  readonly problems: string[] = [];
  isPlugged = true;
  #plugged = new Signal();
  /** The power goes after so many further steps at a target. */
  #stepsLeft = Number.POSITIVE_INFINITY;
  #backups!: Backups;

  constructor(draw: Life["draw"]) {
    super(draw);
    for (const target of Object.values(this.targets))
      for (const [name, content] of FOREIGN) target.files.set(name, content);
  }

  protected async open(power: { on: boolean }): Promise<void> {
    for (const target of Object.values(this.targets)) target.step = () => this.#step(power);
    this.#plugged = new Signal();
    this.#backups = await Backups.open({
      clock: this.clock,
      log: silentLog(),
      zone: () => ZONE,
      id: ID,
      machine: () => "kitchen",
      settings: new MemoryDocuments(),
      record: this.documents(power),
      targets: () => this.#known(),
      targetsChanged: this.#plugged,
      make: async () => {
        const content = Buffer.from(`the data at ${this.time.at}`);
        return {
          bytes: content.length,
          async *content() {
            yield content;
          },
          close: async () => {},
        };
      },
    });
  }

  protected async close(): Promise<void> {
    await this.#backups.close();
    this.#stepsLeft = Number.POSITIVE_INFINITY;
  }

  plug(isPlugged: boolean): void {
    this.note(isPlugged ? "gets its stick" : "loses its stick");
    this.isPlugged = isPlugged;
    this.#plugged.emit();
  }

  behave(kind: (typeof KINDS)[number], fault: TargetFault | undefined): void {
    this.note(`${kind} is ${fault ?? "well"}`);
    this.targets[kind].fault = fault;
  }

  cutSoon(): void {
    this.note("the power is about to go");
    if (this.draw.random() < 0.5) this.#stepsLeft = 1 + this.draw.below(9);
    else this.card.cut = { writes: 1 + this.draw.below(3), isAfter: this.draw.random() < 0.5 };
  }

  protected async rest(): Promise<void> {
    for (let i = 0; i < TURNS; i++) await turn();
    this.#look();
  }

  /** Checks the files of others, at each moment. */
  #look(): void {
    for (const [kind, { files }] of Object.entries(this.targets))
      for (const [name, content] of FOREIGN)
        if (files.get(name)?.equals(content) !== true) this.problems.push(`${kind} lost ${name}`);
  }

  own(kind: (typeof KINDS)[number]): { at: number; content: string }[] {
    return [...this.targets[kind].files]
      .flatMap(([file, content]) => {
        const name = readBackupName(file);
        return name?.id === ID ? [{ at: name.at, content: String(content) }] : [];
      })
      .sort((a, b) => b.at - a.at);
  }

  /** The targets without the backup of the last night, though nothing kept them from it for long enough. */
  missing(calmSince: number): string[] {
    const wall = ZONE.wall(this.time.at);
    const night = this.time.at - ((wall - 3 * HOUR_MS + DAY_MS) % DAY_MS);
    if (this.time.at - Math.max(night, calmSince) < LONG_ENOUGH_MS) return [];
    return KINDS.filter((kind) => (kind === "stick" ? this.isPlugged : true)).filter(
      // Clocks that change that night make it an hour more or less.
      (kind) => !((this.own(kind)[0]?.at ?? 0) >= night - HOUR_MS),
    );
  }

  /** Statements about targets that are not so. */
  told(): string[] {
    return this.#backups.targets.flatMap(({ kind, since, good, isOverdue }) => {
      const isLate = this.time.at - Math.max(since, good?.at ?? 0) > WEEK_MS;
      const isWrong = this.clock.sure && isLate !== isOverdue;
      const newest = this.own(kind as (typeof KINDS)[number])[0]?.at ?? 0;
      return [
        ...(isWrong ? [`${kind} is told of wrongly`] : []),
        ...(good !== null && newest < good.at ? [`${kind} has lost ${good.file}`] : []),
      ];
    });
  }

  #known(): KnownTarget[] {
    const { stick, webdav } = this.targets;
    return [
      { kind: "stick", target: this.isPlugged ? stick : undefined },
      { kind: "webdav", target: webdav },
    ];
  }

  #step(power: { on: boolean }): void {
    if (!power.on || --this.#stepsLeft > 0) {
      if (!power.on) throw new PowerCut();
      return;
    }
    power.on = false;
    this.card.isCut = true;
    throw new PowerCut();
  }
}

async function happen(life: Life): Promise<void> {
  const { draw } = life;
  const events: [() => unknown, ...(() => unknown)[]] = [
    () => life.behave(draw.pick(KINDS as never), draw.pick(["full", "read-only", "gone"])),
    () => life.behave(draw.pick(KINDS as never), draw.pick(["lies", "hangs", "cut"])),
    () => {
      for (const kind of KINDS) life.behave(kind, undefined);
    },
    () => life.plug(!life.isPlugged),
    () => life.cutSoon(),
    ...life.mishaps(),
  ];
  await draw.pick(events)();
}

/** From now on nothing is amiss. */
async function heal(life: Life): Promise<void> {
  life.card.cut = undefined;
  life.card.isBroken = false;
  for (const kind of KINDS) life.behave(kind, undefined);
  if (!life.isPlugged) life.plug(true);
  await life.stop(false);
  await life.start();
}

async function live(seed: number): Promise<void> {
  const life = new Life(seeded(seed));
  const { draw, time } = life;
  const end = time.at + DAYS * DAY_MS;
  await life.start();
  while (time.at < end) {
    const until = time.at + draw.below(12) * DAY_MS;
    while (time.at < until) {
      await happen(life);
      await life.pass(draw.random() ** 2 * DAY_MS);
      assert.deepEqual(life.told(), [], life.said());
    }
    await heal(life);
    const calmSince = time.at;
    for (let hours = draw.below(96); hours > 0; hours--) {
      await life.pass(HOUR_MS);
      assert.deepEqual(life.missing(calmSince), [], `it does not come\n${life.said()}`);
    }
    assert.deepEqual(life.problems, [], life.said());
  }
  await heal(life);
  await life.pass(8 * DAY_MS);
  for (const kind of KINDS) {
    const own = life.own(kind);
    const days = new Set(own.map(({ at }) => ZONE.today(at)));
    // Before three o'clock the newest is of the day before.
    const newest = ZONE.today(time.at - 3 * HOUR_MS);
    for (let back = 0; back < 7; back++)
      assert.ok(days.has(newest - back), `${kind} lacks a day\n${life.said()}`);
    // Seven days, and the last of weeks and months that are none of them.
    assert.ok(own.length >= 16 && own.length <= 23, `${kind} has ${own.length}`);
    for (const { at, content } of own) {
      const made = Number(content.slice("the data at ".length));
      assert.equal(made - (made % 1_000), at, content);
    }
  }
  await life.stop(false);
}

describe(`a machine over ${DAYS} days of backups in which all goes wrong`, function () {
  this.timeout(600_000 * LIVES);

  it("makes each once it can, keeps what it should, and touches nothing else", () =>
    eachLife(live));
});
