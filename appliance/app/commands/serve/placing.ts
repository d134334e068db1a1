import { existsSync } from "node:fs";
import { createLog } from "../../../base/log.ts";
import { listenerUrl } from "../../../base/ports.ts";
import { SystemClock } from "../../../base/system/system-clock.ts";
import { releasedAt, version } from "../../../base/system/version.ts";
import { handedSockets, ServiceManager } from "../../../box/systemd.ts";
import type { Config } from "../../../config/config.ts";
import { databaseFile } from "../../../store/desk.ts";
import { homesOf } from "../../../traffic/places/homes.ts";
import { startPlace } from "../../service/place.ts";
import { CommandFailed, type Terminal } from "../command.ts";
import { toType } from "../data.ts";
import { noteRuntimeInfo } from "../runtime-info.ts";
import { invite, invitedAddress } from "../sites/inviting.ts";
import { listenProblem, toldToStop } from "./lifetime.ts";

const LISTENING_FLAGS = ["--port", "--host", "--tls-port", "--metrics-port", "--metrics-bind"];

/**
 * Counts as a place until a signal ends it.
 * @param configured its public address where TLS ends here, and none behind a proxy
 * @param named the address that home is to ask; undefined for that of the public name
 * @throws {UsageError | CommandFailed} when it cannot listen, or its data cannot be used
 */
export async function placeUntilTold(
  configured: Config,
  named: string | undefined,
  terminal: Terminal,
): Promise<void> {
  const { tlsPort, publicAddress, dataDir } = configured;
  const address = invitedAddress(named, configured);
  // Behind a proxy the certificate is the proxy's.
  const config = {
    ...configured,
    publicAddress: tlsPort === undefined ? undefined : publicAddress,
  };
  const told = toldToStop(terminal);
  const isFirst = !existsSync(databaseFile(dataDir));
  const clock = new SystemClock({ wait: config.waitForClock, known: releasedAt() });
  const manager = new ServiceManager({ env: terminal.env, clock });
  const place = await startPlace({
    config,
    clock,
    log: createLog(terminal.err),
    sockets: handedSockets(terminal.env, process.pid),
    timekeeper: clock,
    ...(terminal.threads && { threads: terminal.threads }),
  }).catch((error: unknown) => {
    const problem = listenProblem(error, LISTENING_FLAGS) ?? error;
    if (problem instanceof Error) manager.failed(problem);
    throw problem;
  });
  const { collector, numbers } = place;
  const forget = noteRuntimeInfo(dataDir, { version: version(), collector });
  try {
    terminal.out(announcement(place, config, address));
    // A token that lives on in a journal would be seen by too many.
    if (isFirst && address !== undefined && !terminal.env.JOURNAL_STREAM)
      await invite(numbers, { name: "home", address }, terminal);
    else if ((await homesOf(numbers)).length === 0) {
      const words = address === undefined ? "place invite --address https://NAME" : "place invite";
      terminal.out(`Nobody is invited yet. Invite your home: ${toType(words, config, terminal)}`);
    }
    manager.ready(() => place.alive());
    const why = await Promise.race([told, place.damaged]);
    manager.stopping();
    if (why !== undefined)
      throw new CommandFailed(
        `${why.message} Put a backup in its place: \`tallydeck restore FILE\``,
      );
  } finally {
    forget();
    await place.close();
  }
}

function announcement(
  { collector, collectorTls, metrics }: Awaited<ReturnType<typeof startPlace>>,
  { dataDir }: Config,
  address: string | undefined,
): string {
  const plain = listenerUrl(collector, ["localhost"]);
  const tls = collectorTls === undefined ? "" : `, and https:// on port ${collectorTls.port}`;
  const metricsLine = metrics
    ? `\n  Metrics    ${listenerUrl(metrics, ["localhost"])}/metrics`
    : "";
  return `Tallydeck counts here, to be fetched by its home.
  Address    ${address ?? "that of the proxy before it"}
  Collector  ${plain}${tls}
  Data       ${dataDir}${metricsLine}`;
}
