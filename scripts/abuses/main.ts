/** Started by scripts/abuse. */
import { cpSync } from "node:fs";
import { dayOf } from "../../appliance/base/calendar.ts";
import { randomFrom } from "../../appliance/traffic/demo/random.ts";
import { makeHistory } from "../running/history.ts";
import { makeFullSite } from "../running/large-sites.ts";
import { type Given, number, origin, type Part, runScript, text } from "../running/parts.ts";
import { type Running, SITE, startTallydeck, TOKEN } from "../running/servers.ts";
import { limitMemory, ship } from "../running/shipped.ts";
import { BLOCK } from "./ask.ts";
import { ATTACKS } from "./attacks.ts";
import { attackWhileVisited } from "./part.ts";
import { madeUpEvent, madeUpView } from "./values.ts";
import { HONEST_PATHS } from "./visitors.ts";

const HITS_A_DAY = 500;
const DAYS_A_MONTH = 30;
const DETAIL_DAYS = 90;
/** Seconds of a part alone, at most. */
const ALONE_S = 30;
/** MemoryMax of the image's unit. */
const UNIT_MEMORY = 352 * 1_048_576;
/** The hits of a day with more new values than it takes, after three views of each honest page. */
const FLOODED_HITS_A_DAY = 2_100;
const HONEST_A_DAY = 3 * HONEST_PATHS.length;

const OPTIONS = {
  seconds: number(180),
  rate: number(200),
  scale: number(1),
  settle: number(30),
  days: number(400),
  "flooded-days": number(30),
  attackers: text("127.64.0.0/10", BLOCK, "a block like 127.64.0.0/10"),
  visitors: text("127.1.0.0/16", BLOCK, "a block like 127.64.0.0/10"),
  url: origin(),
  control: origin(),
  site: text(SITE),
  token: text(TOKEN),
};
type Options = { [Name in keyof typeof OPTIONS]: ReturnType<(typeof OPTIONS)[Name]["read"]> };

/** @param start a service that is attacked, unless one runs already */
function part(
  says: string,
  {
    names,
    isLasting = false,
    start = startUsual,
  }: {
    readonly names: readonly string[];
    readonly isLasting?: boolean;
    readonly start?: (given: Given<Options>) => Promise<Service>;
  },
): Part<Options> {
  return {
    says,
    async run(given) {
      const { options, seed, report } = given;
      const { url, control, site, token, attackers, visitors, rate, scale, settle } = options;
      const seconds = isLasting ? options.seconds : Math.min(ALONE_S, options.seconds);
      const who = { site, token, attackers, visitors };
      const victim = url === "" ? await start(given) : undefined;
      const where = victim ?? { origin: url, control: control || undefined };
      const target = { ...who, origin: where.origin, control: where.control };
      const orders = { target, names, seconds, rate, scale, settle, seed };
      await attackWhileVisited(orders, report, victim);
    },
  };
}

type Service = Pick<Running, "pid" | "isRunning" | "origin" | "control">;

/** A folder with the usual site, once it was needed. */
let history: string | undefined;

const names = Object.keys(ATTACKS);
await runScript<Options>({
  parts: {
    calm: part("No attack: what the machine can do anyway.", { names: [] }),
    ...Object.fromEntries(
      names.map((name) => [
        name,
        part(ATTACKS[name]?.says ?? "", {
          names: [name],
          ...(name === "values" && { start: startFlooded }),
          ...(name === "access-logs" && { start: startBounded }),
        }),
      ]),
    ),
    full: part(
      "Questions about the fullest database that there can be, in the memory of the image's unit.",
      { names: ["questions"], start: startFull },
    ),
    all: part("All attacks together.", { names, isLasting: true }),
  },
  options: OPTIONS,
  check({ url, control }) {
    if (url === "" && control !== "") throw new Error("--control needs --url.");
  },
});

/** A service with a usual site; each part has one of its own, so that none suffers from the one before. */
async function startUsual(given: Given<Options>): Promise<Service> {
  return given.stage.add(startTallydeck(await usualData(given)));
}

/** A copy of the data of a usual site. */
async function usualData({
  options: { days },
  seed,
  stage,
  whole,
}: Given<Options>): Promise<string> {
  if (history === undefined) {
    history = whole.folder();
    if (days > 0) await makeHistory(history, { hits: days * HITS_A_DAY, days, seed });
  }
  const dataDir = stage.folder();
  cpSync(history, dataDir, { recursive: true });
  return dataDir;
}

/** A service whose site has seen days of made-up values before. */
async function startFlooded(given: Given<Options>): Promise<Service> {
  const { options, seed, stage } = given;
  const days = options["flooded-days"];
  if (days === 0) return startUsual(given);
  const dataDir = stage.folder();
  const nextView = flood(seed);
  await makeHistory(dataDir, { hits: days * FLOODED_HITS_A_DAY, days, seed, nextView });
  return stage.add(startTallydeck(dataDir));
}

/** The service as the image has it, and all that its site can have in every month. */
async function startFull({ options, seed, stage, report }: Given<Options>): Promise<Service> {
  const dataDir = stage.folder();
  makeFullSite(dataDir, Math.max(1, Math.ceil(options.days / DAYS_A_MONTH)), {
    site: SITE,
    seed,
    // Today's values would leave no place for those of honest visitors.
    lastDay: dayOf(Date.now()) - 1,
    detailDays: Math.ceil(DETAIL_DAYS * Math.min(1, options.scale)),
  });
  return startWithin(dataDir, stage, report);
}

/** The service as the image has it, with the usual site, in the memory of the image's unit. */
async function startBounded(given: Given<Options>): Promise<Service> {
  return startWithin(await usualData(given), given.stage, given.report);
}

/** The service in the memory of the image's unit. */
function startWithin(
  dataDir: string,
  stage: Given<Options>["stage"],
  report: Given<Options>["report"],
): Promise<Service> {
  const limit = limitMemory(UNIT_MEMORY, stage);
  if (limit === undefined)
    report.note("This machine has no way to bound memory: it is not bounded.");
  else
    stage.onClose(() =>
      report.figure(
        "memory of all of it, its files' pages included, MB",
        `${Math.round(limit.peak / 1e6)} at most`,
      ),
    );
  return ship(stage).start(stage, dataDir, [], limit);
}

/** Views as they were on days of a flood, day by day. */
function flood(seed: number): () => Record<string, string> {
  const random = randomFrom(seed);
  let n = 0;
  return () => {
    const ofDay = n++ % FLOODED_HITS_A_DAY;
    if (ofDay < HONEST_A_DAY)
      return { p: HONEST_PATHS[ofDay % HONEST_PATHS.length] as string, h: "https://example.com" };
    return ofDay % 2 === 0 ? madeUpView(random) : madeUpEvent(random);
  };
}
