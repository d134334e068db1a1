import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { AttackOrders, Figure } from "./attack.ts";
import { beTheOwner } from "./owner.ts";
import { UsageWatch } from "./usage.ts";
import { Visitors } from "./visitors.ts";

interface PartOptions extends AttackOrders {
  /** Honest hits in a second. */
  readonly rate: number;
  /** Seconds from the end of the attack to the last look at what is left. */
  readonly settle: number;
}

/** What happened while a service was attacked. */
export interface Outcome {
  readonly figures: readonly Figure[];
  /** Why this counts as a failure, in sentences. */
  readonly problems: readonly string[];
}

/** The service, where it runs on this machine. */
export interface Victim {
  readonly pid: number;
  readonly isRunning: boolean;
}

/** Attacks while honest visitors visit and the owner looks, waits, and tells what is left. */
export async function runPart(options: PartOptions, victim?: Victim): Promise<Outcome> {
  const { target, seconds, rate, settle, seed } = options;
  try {
    const visitors = await Visitors.begin(target, seed);
    const watch = victim && (await UsageWatch.start(victim.pid));
    const attack = startAttack(options);
    const theEnd = new AbortController();
    const [honest, owner] = await Promise.all([
      visitors.visit(rate, seconds).finally(() => theEnd.abort()),
      beTheOwner(target, options.scale, theEnd.signal),
    ]);
    const attacked = await attack.figures;
    await pause(settle * 1_000);
    const used = (await watch?.stop()) ?? [];
    await attack.end();
    const died = victim?.isRunning === false ? ["The service ended by itself."] : [];
    return {
      figures: [...attacked, ...honest.figures, ...owner.figures, ...used],
      problems: [...died, ...honest.problems, ...owner.problems],
    };
  } catch (error) {
    const died = victim?.isRunning === false ? "The service ended by itself: " : "";
    return { figures: [], problems: [`${died}${(error as Error).message}`] };
  }
}

function startAttack({ target, names, seconds, scale, seed }: AttackOrders) {
  const orders: AttackOrders = { target, names, seconds, scale, seed };
  const worker = new Worker(new URL("./attacker.ts", import.meta.url), { workerData: orders });
  const figures = once(worker, "message").then(([told]) => told as Figure[]);
  // Awaited later: until then its failure is nobody's surprise.
  figures.catch(() => {});
  return { figures, end: () => worker.terminate() };
}
