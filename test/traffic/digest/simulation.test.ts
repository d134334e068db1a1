import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { DAY_MS, formatDay, HOUR_MS, parseDay } from "../../../appliance/base/calendar.ts";
import { DayZone } from "../../../appliance/base/day-zone.ts";
import { DIGEST, type KeptDigest } from "../../../appliance/base/input/digest.ts";
import { silentLog } from "../../../appliance/base/log.ts";
import type { SendOutcome } from "../../../appliance/base/send-outcome.ts";
import { Signal } from "../../../appliance/base/signal.ts";
import { type DigestTarget, targetsOf } from "../../../appliance/base/text/digest.ts";
import { Digests } from "../../../appliance/traffic/digest/digests.ts";
import { lastDue } from "../../../appliance/traffic/digest/machine.ts";
import type { DigestRecord } from "../../../appliance/traffic/digest/record.ts";
import { lasting } from "../../helpers/long.ts";
import { seeded } from "../../helpers/seeded.ts";
import { eachLife, LIVES, SimLife } from "../../helpers/simulated.ts";

const MINUTE_MS = 60_000;
const ZONE = new DayZone({ zone: "Europe/Berlin", before: null });
/** The pause between two tries is four hours at most, and there is none before the first. */
const LONG_ENOUGH_MS = 5 * HOUR_MS;
/** Reads and writes of one moment are answered within so many turns. */
const TURNS = 30;
const SITE = { key: 1, id: "blog" };

type Options = Parameters<typeof Digests.open>[0];
/** The behaviour of a target: `halfway` takes a digest and does not say so, or neither. */
type Manner = "well" | "busy" | "halfway" | "slow" | "refuses";

/** A box that sends digests of one site, its card, and those that it sends them to. */
class Life extends SimLife<DigestRecord> {
  settings: KeptDigest;
  readonly manners = new Map<DigestTarget, Manner>();
  /** The number of times that a target has taken the digest of a day, as `target day`. */
  readonly taken = new Map<string, number>();
  /** Digests that need not arrive any more: nobody knows whether they have, or their target does not want them. */
  readonly settled = new Set<string>();
  readonly problems: string[] = [];
  #digests!: Digests;

  constructor(draw: Life["draw"]) {
    super(draw);
    this.settings = this.#drawn();
  }

  protected async open(power: { on: boolean }): Promise<void> {
    this.#digests = await Digests.open({
      numbers: this.#numbers(),
      clock: this.clock,
      log: silentLog(),
      box: "this",
      documents: this.documents(power),
      post: { send: (target, _, { figures }) => this.#send(power, target, figures.to) },
      alarms: () => [],
    });
    await this.#digests.reload();
  }

  protected async close(): Promise<void> {
    await this.#digests.close();
    // A try that was written down may have arrived, for all that the box can know.
    const kept: DigestRecord = JSON.parse(this.kept ?? '{"digests":[]}');
    for (const { day, deliveries } of kept.digests)
      for (const { target, state } of deliveries)
        if (state === "trying") this.settled.add(`${target} ${formatDay(day)}`);
  }

  async change(): Promise<void> {
    this.settings = this.#drawn();
    this.note(`sends each ${this.settings.every} at ${this.settings.hour}`);
    await this.#digests.reload();
  }

  behave(target: DigestTarget, manner: Manner): void {
    this.note(`${target} is ${manner}`);
    this.manners.set(target, manner);
  }

  protected async rest(): Promise<void> {
    for (let i = 0; i < TURNS; i++) await turn();
  }

  /** The targets that have not got the last digest, though nothing kept it from them for long enough. */
  missing(calmSince: number): string[] {
    const { at, day } = lastDue(this.settings, ZONE, this.time.at);
    const isExpected =
      this.settings.enabled &&
      // A day whose digest was due by settings of before is not told once more.
      ZONE.wall(this.settings.since) < (day + 1) * DAY_MS &&
      this.time.at - Math.max(at, calmSince) >= LONG_ENOUGH_MS &&
      Math.max(at, calmSince) + LONG_ENOUGH_MS < at + DAY_MS;
    if (!isExpected) return [];
    return targetsOf(this.settings)
      .map((target) => `${target} ${formatDay(day)}`)
      .filter((key) => !this.taken.has(key) && !this.settled.has(key));
  }

  #drawn(): KeptDigest {
    const { draw, time } = this;
    return {
      enabled: draw.random() < 0.9,
      every: draw.pick(["day", "day", "day", "week"]),
      weekday: draw.below(7),
      hour: draw.below(24),
      form: "json",
      box: "this",
      mail: draw.pick<string[]>([[], ["a@blog.example"], ["a@blog.example", "b@blog.example"]]),
      webhook: draw.pick([null, "https://blog.example/hook"]),
      channel: draw.pick([null, "digest"]),
      since: time.at,
    };
  }

  async #send(power: { on: boolean }, target: DigestTarget, to: string): Promise<SendOutcome> {
    const key = `${target} ${to}`;
    if (!power.on) return new Promise(() => {});
    this.note(`sends ${key}`);
    this.#expectDue(to);
    if (!targetsOf(this.settings).includes(target)) this.problems.push(`${target} wants none`);
    return this.#answer(key, this.manners.get(target) ?? "well");
  }

  async #answer(key: string, manner: Manner): Promise<SendOutcome> {
    const take = () => {
      this.taken.set(key, (this.taken.get(key) ?? 0) + 1);
      if (this.taken.get(key) !== 1) this.problems.push(`${key} came twice`);
    };
    switch (manner) {
      case "well":
        take();
        return { kind: "sent" };
      case "busy":
        return { kind: "again", why: "busy" };
      case "refuses":
        this.settled.add(key);
        return { kind: "never", why: "refused" };
      case "halfway":
        this.settled.add(key);
        if (this.draw.random() < 0.5) take();
        return { kind: "unsure", why: "cut" };
      case "slow":
        take();
        await new Promise<void>((done) => this.clock.after(3 * MINUTE_MS, done));
        return { kind: "sent" };
    }
  }

  /** A digest of some day is due on the next one, at an hour that may have been changed since, and goes out within a day. */
  #expectDue(to: string): void {
    const ageMs = ZONE.wall(this.time.at) - ((parseDay(to) ?? 0) + 1) * DAY_MS;
    const isTimely = ageMs >= 0 && ageMs < 2 * DAY_MS + 10 * MINUTE_MS;
    if (!isTimely) this.problems.push(`${to} is sent at ${new Date(this.time.at).toISOString()}`);
    if (!this.settings.enabled) this.problems.push(`${to} is sent, and none is wanted`);
  }

  #numbers(): Options["numbers"] {
    const body = () => JSON.stringify(this.settings);
    const answers: Record<string, (input: { kind?: string }) => unknown> = {
      ofSites: () => [{ site: SITE.key, body: body() }],
      ofSite: ({ kind }) => (kind === DIGEST.name ? body() : null),
      stats: () => ({ body: Buffer.from('{"series":[]}') }),
      goals: () => ({ body: Buffer.from('{"from":"2026-01-01","goals":[]}') }),
    };
    return {
      directory: { sites: [SITE] },
      directoryChanged: new Signal(),
      zone: ZONE,
      read: async (name: string, input: object) => answers[name]?.(input),
    } as unknown as Options["numbers"];
  }
}

async function happen(life: Life): Promise<void> {
  const { draw, card } = life;
  const targets: [DigestTarget, ...DigestTarget[]] = [
    ...(["webhook", "channel", "mail:a@blog.example", "mail:b@blog.example"] as const),
  ];
  const events: [() => unknown, ...(() => unknown)[]] = [
    () => life.change(),
    () => life.behave(draw.pick(targets), "busy"),
    () => life.behave(draw.pick(targets), draw.pick(["halfway", "slow", "refuses"])),
    () => life.manners.clear(),
    () => {
      life.note("the power is about to go");
      card.cut = { writes: 1 + draw.below(4), isAfter: draw.random() < 0.5 };
    },
    ...life.mishaps(),
  ];
  await draw.pick(events)();
}

/** From now on nothing is amiss. What the card did not take may be lost with the restart, and is never sent twice. */
async function heal(life: Life): Promise<void> {
  life.card.cut = undefined;
  const wasBroken = life.card.isBroken;
  life.card.isBroken = false;
  life.manners.clear();
  if (wasBroken || life.draw.random() < 0.3) {
    await life.stop(false);
    await life.start();
  }
}

async function live(seed: number): Promise<void> {
  const life = new Life(seeded(seed));
  const { draw, time } = life;
  const end = time.at + lasting(400) * DAY_MS;
  await life.start();
  while (time.at < end) {
    const until = time.at + draw.below(6) * DAY_MS;
    while (time.at < until) {
      await happen(life);
      await life.pass(draw.random() ** 2 * DAY_MS);
    }
    await heal(life);
    const calmSince = time.at;
    for (let hours = draw.below(72); hours > 0; hours--) {
      await life.pass(HOUR_MS);
      assert.deepEqual(life.missing(calmSince), [], `it does not come\n${life.said()}`);
    }
    assert.deepEqual(life.problems, [], life.said());
  }
  assert.ok(life.taken.size > lasting(100), `${life.taken.size}`);
  await life.stop(false);
}

describe("a box over days of digests in which all goes wrong", function () {
  this.timeout(600_000 * LIVES);

  it("sends each at its hour once it can, to each reader once", () => eachLife(live));
});
