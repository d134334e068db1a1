import { LONGEST_TIMER_MS } from "../../../base/clock.ts";
import { createLog } from "../../../base/log.ts";
import { listenerUrl } from "../../../base/ports.ts";
import { SystemClock } from "../../../base/system/system-clock.ts";
import { handedSockets, ServiceManager } from "../../../box/systemd.ts";
import type { Config } from "../../../config/config.ts";
import { type Collecting, startCollecting } from "../../service/collect.ts";
import { CommandFailed, type Terminal } from "../command.ts";
import { listenProblem, toldToStop } from "./lifetime.ts";

const LISTENING_FLAGS = ["--port", "--host", "--metrics-port", "--metrics-bind"];

/**
 * Collects until a signal ends it; a second one ends the grace that the first begins.
 * @param database as people are shown it
 * @throws {CommandFailed} when it cannot listen, the database refuses it, or hits are lost
 */
export async function collectUntilTold(
  config: Config,
  database: string,
  terminal: Terminal,
): Promise<void> {
  const told = toldToStop(terminal);
  // The timer keeps the process alive while the database is away and there is no connection.
  const hold = setInterval(() => {}, LONGEST_TIMER_MS);
  try {
    const clock = new SystemClock({ wait: config.waitForClock });
    const collecting = await startCollecting({
      config,
      clock,
      log: createLog(terminal.err),
      sockets: handedSockets(terminal.env, process.pid),
    }).catch((error: unknown) => {
      throw listenProblem(error, LISTENING_FLAGS) ?? error;
    });
    const manager = new ServiceManager({ env: terminal.env, clock });
    terminal.out(announcement(collecting, config, database));
    // The load balancer checks the database. A restart would lose waiting hits.
    manager.ready(async () => {});
    const refused = await Promise.race([told, collecting.refused]);
    manager.stopping();
    if (refused === undefined) await drain(collecting, clock, { config, terminal });
    refuseLoss(await collecting.close());
    if (refused !== undefined) throw refused;
  } finally {
    clearInterval(hold);
  }
}

function announcement(
  { collector, metrics }: Collecting,
  config: Config,
  database: string,
): string {
  const metricsLine = metrics
    ? `\n  Metrics    ${listenerUrl(metrics, ["localhost"])}/metrics`
    : "";
  return `Tallydeck collects.
  Collector  ${listenerUrl(collector, ["localhost"])}
  Database   ${database}, as ${config.nodeName}${metricsLine}`;
}

/** Gives the proxies that send visitors here time to notice; none does before it was ready. */
async function drain(
  collecting: Collecting,
  clock: SystemClock,
  { config, terminal }: { config: Config; terminal: Terminal },
): Promise<void> {
  collecting.drain();
  if (!collecting.numbers.ready) return;
  const { promise: over, resolve } = Promise.withResolvers<void>();
  clock.after(config.drainSeconds * 1_000, resolve);
  await Promise.race([over, toldToStop(terminal)]);
}

function refuseLoss(hits: number): void {
  if (hits > 0)
    throw new CommandFailed(
      `The database was away or took nothing. Hits that were answered and are lost: ${hits}.`,
    );
}
