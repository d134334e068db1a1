import { sendSteadily, sendViews } from "../running/load.ts";
import type { Part } from "../running/parts.ts";
import { median, percentile } from "../running/report.ts";
import { sumOf } from "../running/servers.ts";
import { ship } from "../running/shipped.ts";
import { interleaved, type Round, startBare } from "./rounds.ts";

const MILLION = 1_000_000;
const ROUNDS = { rounds: 3, seconds: 8 };
const STEADY = { connections: 50, perSecond: 1_000, seconds: 15 };
const MINUTE = { connections: 20, perSecond: 200, seconds: 59 };

export const ingest: Part = {
  says: "Durable hits against a bare server, in turns, so that a busy machine slows both.",
  async run({ seed, stage, report }) {
    const bare = await stage.add(startBare());
    const tallydeck = await ship(stage).start(stage);
    const rounds = await interleaved({ bare, tallydeck }, { ...ROUNDS, seed });
    const ratioOf = (of: (round: Round) => number) =>
      median(rounds.map((round) => of(round.tallydeck) / of(round.bare)));
    const perSecond = ratioOf((round) => round.perSecond);
    report.atLeast("durable ingest : bare server", perSecond, "", 0.65);
    const main = ratioOf(({ cpu }) => cpu.main);
    report.atMost("the main thread's CPU a hit : bare server", main, "", 1.5);
    const all = ratioOf(({ cpu }) => sumOf(cpu));
    report.atMost("all threads' CPU a hit : bare server", all, "", 1.8);

    const nothing = await sendSteadily(bare.origin, { ...STEADY, seed });
    const steady = await sendSteadily(tallydeck.origin, { ...STEADY, seed });
    report.note(`p99 of the bare server at that pace: ${percentile(nothing, 0.99).toFixed(1)} ms`);
    report.atMost("p99 at 1,000 hits/s", percentile(steady, 0.99), "ms", 6);

    const sent = rounds.reduce((sum, round) => sum + round.tallydeck.hits, steady.length);
    if (sent < MILLION)
      await sendViews(tallydeck.origin, { connections: 100, hits: MILLION - sent, seed });
    const { own, resident } = tallydeck.memory();
    report.atMost("own memory after a million hits", own, "MB", 75);
    report.note(`resident with the pages of files: ${resident.toFixed(0)} MB`);
  },
};

export const hour: Part = {
  says: "An hour of a busy site.",
  isLong: true,
  async run({ seed, stage, report }) {
    const tallydeck = await ship(stage).start(stage);
    for (let minute = 1; minute <= 60; minute++) {
      await sendSteadily(tallydeck.origin, { ...MINUTE, seed });
      if (minute % 10 === 0)
        report.note(`after ${minute} minutes: ${tallydeck.memory().own.toFixed(0)} MB`);
    }
    const { own } = tallydeck.memory();
    report.atMost("own memory after an hour at 200 hits/s", own, "MB", 75);
  },
};
