import { setTimeout } from "node:timers/promises";
import { median } from "./figures.ts";
import { withData } from "./servers.ts";
import type { Shipped } from "./shipped.ts";

const STARTS = 10;
const SETTLED_MS = 3_000;
/** Then the store has let its reader go. */
const AT_REST_MS = 125_000;

interface Rest {
  /** RssAnon, MB. */
  readonly settled: number;
  readonly atRest: number;
}

/** @returns milliseconds from the start to ready, by the clock and of CPU time: the medians, caches being warm */
export async function measureStarts(shipped: Shipped): Promise<{ clock: number; cpu: number }> {
  const times: { clock: number; cpu: number }[] = [];
  await withData(async (dataDir) => {
    for (let i = 0; i <= STARTS; i++) {
      const begun = performance.now();
      const service = await shipped.start(dataDir);
      const clock = performance.now() - begun;
      const cpu = Object.values(service.cpu()).reduce((sum, each) => sum + each, 0);
      if (i > 0) times.push({ clock, cpu });
      await service.stop();
    }
  });
  return {
    clock: median(times.map(({ clock }) => clock)),
    cpu: median(times.map(({ cpu }) => cpu)),
  };
}

/** What it holds for itself when nobody asks it anything. */
export async function measureRest(shipped: Shipped, flags: readonly string[]): Promise<Rest> {
  const seen = { settled: 0, atRest: 0 };
  await withData(async (dataDir) => {
    const service = await shipped.start(dataDir, flags);
    await setTimeout(SETTLED_MS);
    seen.settled = service.memory().own;
    await setTimeout(AT_REST_MS - SETTLED_MS);
    seen.atRest = service.memory().own;
    await service.stop();
  });
  return seen;
}
