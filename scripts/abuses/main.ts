/** Started by scripts/abuse, which tells the options with --help. */
import { cpSync } from "node:fs";
import { dayOf } from "../../appliance/base/calendar.ts";
import { randomFrom } from "../../appliance/demo/random.ts";
import { makeHistory } from "../benches/history.ts";
import { makeFullSite } from "../benches/large.ts";
import { limitMemory } from "../benches/memory-limit.ts";
import { SITE, startTallydeck, withData } from "../benches/servers.ts";
import { withShipped } from "../benches/shipped.ts";
import { ALONE_S, attacksOf, FULL, readOptions, TOGETHER } from "./options.ts";
import { type Outcome, runPart, type Victim } from "./part.ts";
import { madeUpEvent, madeUpView } from "./values.ts";
import { HONEST_PATHS } from "./visitors.ts";

const HITS_A_DAY = 500;
const DAYS_A_MONTH = 30;
const DETAIL_DAYS = 90;
/** MemoryMax of the image's unit. */
const UNIT_MEMORY = 352 * 1_048_576;
/** More new values than a day takes, after each honest page was seen thrice. */
const FLOODED_HITS_A_DAY = 2_100;
const HONEST_A_DAY = 3 * HONEST_PATHS.length;

const options = readOptions(process.argv.slice(2));
console.log(`# seed ${options.seed}`);
const outcomes = new Map<string, Outcome>();
if (options.target.origin === "") await attackOurOwn();
else for (const part of options.parts) await attack(part, options.target);

console.log("\n| part | measure | seen |\n|---|---|---|");
for (const [part, { figures }] of outcomes)
  for (const [measure, seen] of figures) console.log(`| ${part} | ${measure} | ${seen} |`);
for (const [part, { problems }] of outcomes)
  for (const problem of problems) console.log(`\n${part}: ${problem}`);
process.exitCode = [...outcomes.values()].some(({ problems }) => problems.length > 0) ? 1 : 0;

/** Each part against a service of its own, so that none suffers from the one before. */
async function attackOurOwn(): Promise<void> {
  const { parts, days, floodedDays } = options;
  await withData(async (history) => {
    if (days > 0) await makeHistory(history, days * HITS_A_DAY, days);
    for (const part of parts)
      await withData(async (dataDir) => {
        if (part === FULL) return attackFull(dataDir);
        if (part === "values" && floodedDays > 0)
          await makeHistory(dataDir, floodedDays * FLOODED_HITS_A_DAY, floodedDays, flood());
        else cpSync(history, dataDir, { recursive: true });
        const service = await startTallydeck(dataDir);
        const { origin, control } = service;
        try {
          await attack(part, { ...options.target, origin, control }, service);
        } finally {
          await service.stop();
        }
      });
  });
}

/** The service as the image has it, and all that its site can have in every month. */
async function attackFull(dataDir: string): Promise<void> {
  const months = Math.max(1, Math.ceil(options.days / DAYS_A_MONTH));
  makeFullSite(dataDir, months, {
    site: SITE,
    // Today's values would leave no place for those of honest visitors.
    lastDay: dayOf(Date.now()) - 1,
    detailDays: Math.ceil(DETAIL_DAYS * Math.min(1, options.scale)),
  });
  const limit = limitMemory(UNIT_MEMORY);
  if (limit === undefined) console.log("This machine lets nobody bound memory: it is not bounded.");
  await withShipped(async (shipped) => {
    const service = await shipped.start(dataDir, [], limit);
    const { origin, control } = service;
    try {
      await attack(FULL, { ...options.target, origin, control }, service);
    } finally {
      await service.stop();
    }
  });
  if (limit !== undefined)
    console.log(
      `  memory of all of it, its files' pages included: ${Math.round(limit.peak / 1e6)} MB at most`,
    );
  limit?.remove();
}

async function attack(
  part: string,
  target: (typeof options)["target"],
  victim?: Victim,
): Promise<void> {
  const seconds = part === TOGETHER ? options.seconds : Math.min(ALONE_S, options.seconds);
  console.log(`${part}, ${seconds} s ...`);
  const { rate, scale, settle, seed } = options;
  const names = attacksOf(part);
  const outcome = await runPart({ target, names, seconds, rate, scale, settle, seed }, victim);
  for (const [measure, seen] of outcome.figures) console.log(`  ${measure}: ${seen}`);
  for (const problem of outcome.problems) console.log(`  ${problem}`);
  outcomes.set(part, outcome);
}

/** Views as they were on days of a flood, day by day. */
function flood(): () => Record<string, string> {
  const random = randomFrom(options.seed);
  let n = 0;
  return () => {
    const ofDay = n++ % FLOODED_HITS_A_DAY;
    if (ofDay < HONEST_A_DAY)
      return { p: HONEST_PATHS[ofDay % HONEST_PATHS.length] as string, h: "https://example.com" };
    return ofDay % 2 === 0 ? madeUpView(random) : madeUpEvent(random);
  };
}
