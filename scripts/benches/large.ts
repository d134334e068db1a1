import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { LAST_DAY, makeBusySite, makeFullSite } from "../running/large-sites.ts";
import type { Part } from "../running/parts.ts";
import type { Answered, Asked } from "./large-reader.ts";

const DAYS = 400;
const FULL_MONTHS = 13;
const WHERE = [
  { dimension: "country", test: "is", value: "country/some-longer-name-3" },
  { dimension: "browser", test: "is", value: "browser/some-longer-name-1" },
] as const;

export const large: Part = {
  says: "Questions about a busy site, and about all that visitors can make within the bounds; ten minutes.",
  isLong: true,
  async run({ seed, stage, report }) {
    const range = { from: "first", to: LAST_DAY, series: true, daily: undefined } as const;
    const ask = async (what: string, file: string, query: Asked, ms: number) => {
      const answer = await askReader(file, query);
      report.atMost(what, answer.ms, "ms", ms);
      report.atMost("memory beside what rests", answer.peakBytes / 1e6, "MB", 60);
    };
    const busy = makeBusySite(stage.folder(), DAYS, seed);
    await ask("50,000 views a day, 400 days", busy, range, 1_000);
    await ask("all its values by day", busy, { ...range, daily: "text" }, 2_000);
    await ask("two conditions on 20 million rows", busy, { ...range, where: WHERE }, 2_000);
    const full = makeFullSite(stage.folder(), FULL_MONTHS, { seed });
    await ask("a site full of values, 13 months", full, range, 60_000);
    await ask("all its values by day", full, { ...range, daily: "text" }, 60_000);
  },
};

/** Answers a question in a process of its own, with the memory of the image's readers. */
function askReader(file: string, asked: Asked): Promise<Answered> {
  const script = fileURLToPath(new URL("large-reader.ts", import.meta.url));
  const execArgv = ["--max-old-space-size=96", "--max-semi-space-size=4"];
  const child = fork(script, [file], { execArgv });
  return new Promise<Answered>((resolve, reject) => {
    child.once("message", (answer) => {
      resolve(answer as Answered);
      child.disconnect();
    });
    child.once("exit", (code, signal) =>
      reject(new Error(`the reader ended with ${code ?? signal} at ${JSON.stringify(asked)}`)),
    );
    child.send(asked);
  });
}
