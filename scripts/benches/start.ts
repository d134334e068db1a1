import { setTimeout } from "node:timers/promises";
import type { Part } from "../running/parts.ts";
import { median } from "../running/report.ts";
import { ship } from "../running/shipped.ts";

const STARTS = 10;
const SETTLED_MS = 3_000;
/** The time after which the store has ended its reader. */
const AT_REST_MS = 125_000;

export const start: Part = {
  says: "The service as the image has it: how soon it is there, and what memory it holds.",
  async run({ stage, report }) {
    const shipped = ship(stage);
    const dataDir = stage.folder();
    const times: { clock: number; cpu: number }[] = [];
    for (let i = 0; i <= STARTS; i++) {
      const begun = performance.now();
      const service = await shipped.start(stage, dataDir);
      // The first start compiles the code.
      if (i > 0) times.push({ clock: performance.now() - begun, cpu: service.cpuOfAll() });
      await service.close();
    }
    const clock = median(times.map(({ clock }) => clock));
    report.atMost("start to ready, caches warm", clock, "ms", 400);
    const cpu = median(times.map(({ cpu }) => cpu));
    report.note(`CPU time of it, all threads: ${cpu.toFixed(0)} ms`);
    for (const [what, flags, most] of [
      ["no deck", [], 55],
      ["a virtual deck", ["--virtual-deck", "mk2"], 75],
    ] as const) {
      const service = await shipped.start(stage, stage.folder(), flags);
      await setTimeout(SETTLED_MS);
      const settled = service.memory().own;
      await setTimeout(AT_REST_MS - SETTLED_MS);
      const atRest = service.memory().own;
      await service.close();
      report.atMost(`own memory after the start, ${what}`, settled, "MB", most);
      report.atMost(`own memory at rest, ${what}`, atRest, "MB", most);
    }
  },
};
