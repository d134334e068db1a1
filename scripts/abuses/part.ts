import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Report } from "../running/report.ts";
import type { Running } from "../running/servers.ts";
import type { AttackOrders, Figure } from "./attack.ts";
import { beTheOwner } from "./owner.ts";
import { watchUsage } from "./usage.ts";
import { Visitors } from "./visitors.ts";

interface Orders extends AttackOrders {
  /** Honest hits in a second. */
  readonly rate: number;
  /** Seconds from the end of the attack to the last look at what is left. */
  readonly settle: number;
}

/**
 * Attacks while honest visitors visit and the owner looks, waits, and reports what is left.
 * @param victim the service, where it runs on this machine
 * @throws {Error} when nothing could be measured
 */
export async function attackWhileVisited(
  orders: Orders,
  report: Report,
  victim?: Pick<Running, "pid" | "isRunning">,
): Promise<void> {
  const { target, seconds, rate, scale, settle, seed } = orders;
  try {
    const visitors = await Visitors.begin(target, seed);
    const tellUsage = victim && (await watchUsage(victim.pid));
    const attack = startAttack(orders);
    const theEnd = new AbortController();
    const [honest, owner] = await Promise.all([
      visitors.visit(rate, seconds).finally(() => theEnd.abort()),
      beTheOwner(target, scale, theEnd.signal),
    ]);
    const attacked = await attack.figures;
    await pause(settle * 1_000);
    const used = (await tellUsage?.()) ?? [];
    await attack.end();
    for (const [measure, seen] of [...attacked, ...honest.figures, ...owner.figures, ...used])
      report.figure(measure, seen);
    for (const problem of [...honest.problems, ...owner.problems]) report.problem(problem);
  } finally {
    if (victim?.isRunning === false) report.problem("The service ended by itself.");
  }
}

function startAttack({ target, names, seconds, scale, seed }: AttackOrders) {
  const orders: AttackOrders = { target, names, seconds, scale, seed };
  const worker = new Worker(new URL("./attacks.ts", import.meta.url), { workerData: orders });
  const figures = once(worker, "message").then(([told]) => told as Figure[]);
  // The figures are awaited later: until then a failure must not count as unhandled.
  figures.catch(() => {});
  return { figures, end: () => worker.terminate() };
}
