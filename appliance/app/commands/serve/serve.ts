import { fstatSync } from "node:fs";
import { dayOf, formatDay } from "../../../base/calendar.ts";
import { createLog, RecentProblems } from "../../../base/log.ts";
import { isLoopback, listenerUrl } from "../../../base/ports.ts";
import { runBounded } from "../../../base/system/bounded-process.ts";
import { makeReadToken } from "../../../base/system/secrets.ts";
import { type ImplausibleTime, SystemClock } from "../../../base/system/system-clock.ts";
import { releasedAt, version } from "../../../base/system/version.ts";
import { handedSockets, ServiceManager } from "../../../box/systemd.ts";
import { screenAt } from "../../../box/terminal.ts";
import type { Config } from "../../../config/config.ts";
import type { Store } from "../../../store/store.ts";
import { DEMO_PUSHES } from "../../../traffic/demo/decks.ts";
import type { ServiceParts } from "../../service/parts.ts";
import { type Service, startService } from "../../service/service.ts";
import { CommandFailed, type Terminal } from "../command.ts";
import { toType } from "../data.ts";
import { noteRuntimeInfo } from "../runtime-info.ts";
import { type Demo, startDemo } from "./demo.ts";
import { listenProblem, toldToStop } from "./lifetime.ts";

const LISTENING_FLAGS = [
  "--port",
  "--host",
  "--tls-port",
  "--webui-port",
  "--metrics-port",
  "--bind",
];

/**
 * Runs the service until a signal ends it.
 * @param database where the numbers are, as people are shown it; undefined in the data folder
 * @throws {CommandFailed} when it cannot listen
 */
export async function serve(
  configured: Config,
  database: string | undefined,
  terminal: Terminal,
): Promise<void> {
  const demo = configured.demo ? startDemo(configured, Date.now()) : undefined;
  const config = demo?.config ?? configured;
  // Signals are handled from here on, so that a stop right after the start is clean.
  const told = toldToStop(terminal);
  try {
    const problems: RecentProblems = new RecentProblems(() => clock.now());
    const log = createLog(terminal.err, problems);
    const clock = new SystemClock({
      wait: config.waitForClock,
      known: releasedAt(),
      onFarAhead: (refused) => log.warn(farAhead(refused)),
    });
    const manager = new ServiceManager({ env: terminal.env, clock });
    const sockets = handedSockets(terminal.env, process.pid);
    const parts = { clock, log, problems, sockets };
    const service = await start(config, parts, terminal, demo).catch((error) => {
      if (error instanceof CommandFailed) manager.failed(error);
      throw error;
    });
    const forget = noteRuntimeInfo(config.dataDir, {
      version: version(),
      collector: service.collector,
      control: service.control,
    });
    announce(service, config, database, terminal);
    for (const problem of staleSockets(service, config, sockets)) log.warn(problem);
    manager.ready(() => service.alive());
    if (demo !== undefined) {
      const webUi = listenerUrl(service.control, ["localhost"]);
      terminal.out(`Look around, signed in: ${webUi}/?go=dashboard
Made-up data, gone when this stops. The token is ${config.adminToken}`);
    }
    const endDemo = await demo?.live(service, clock);
    await told;
    endDemo?.();
    manager.stopping();
    forget();
    await service.close();
  } finally {
    demo?.remove();
  }
}

type StartParts = Required<Pick<ServiceParts, "log" | "problems" | "sockets">> & {
  clock: SystemClock;
};

async function start(
  config: Config,
  { clock, ...others }: StartParts,
  terminal: Terminal,
  demo?: Demo,
): Promise<Service> {
  try {
    return await startService({
      config,
      clock,
      ...others,
      ...(terminal.threads && { threads: terminal.threads }),
      // A code that lives on in a journal would be seen by too many.
      ...(!terminal.env.JOURNAL_STREAM && { console: terminal.out }),
      ...(config.consoleDevice !== "" && { screen: screenAt(config.consoleDevice) }),
      timekeeper: clock,
      runProgram: (program, own, bounds) =>
        runBounded(program, own, {
          ...bounds,
          niceness: Number(terminal.env.NICENESS || bounds.niceness),
        }),
      ...(demo && { pushed: DEMO_PUSHES }),
      ...(demo && { prepare: demo.fill }),
      async firstOpened(store) {
        const token = mayShowToken(terminal) ? await firstAdminToken(store, config) : undefined;
        if (token !== undefined)
          terminal.out(
            `\n  Admin token, shown this once (it reads every site's numbers):\n\n    ${token}\n`,
          );
      },
    });
  } catch (error) {
    throw listenProblem(error, LISTENING_FLAGS) ?? error;
  }
}

function farAhead({ time, newest }: ImplausibleTime): string {
  const [day, known] = [time, newest].map((at) => formatDay(dayOf(at)));
  return `The system's clock says ${day}, more than 400 days after the newest date this machine knows (${known}), and is not believed. Open the Web UI to tell the date`;
}

/** Whether a secret may be printed: to a person's terminal or the pipe of scripts/start, and never to a journal. */
function mayShowToken({ env, output }: Terminal): boolean {
  if (output.isTTY) return true;
  return env.TALLYDECK_FROM_START === "1" && !env.JOURNAL_STREAM && fstatSync(1).isFIFO();
}

async function firstAdminToken(store: Store, { adminToken }: Config): Promise<string | undefined> {
  if (adminToken !== undefined || store.numbers.directory.adminHash !== null) return undefined;
  const { token, hash } = makeReadToken();
  await store.write("setAdminToken", { hash, kept: null });
  return token;
}

function announce(
  service: Service,
  config: Config,
  database: string | undefined,
  terminal: Terminal,
): void {
  const { out } = terminal;
  const { collector, collectorTls, control, unusable } = service;
  const [pages, webUi] = [collector, control].map((bound) => listenerUrl(bound, ["localhost"]));
  if (unusable !== undefined) {
    out(`${unusable.message}
Nothing is counted until then. In the Web UI you can restore a backup, too: ${webUi}/`);
    return;
  }
  const { metricsPort, metricsBind: address } = config;
  const metrics =
    metricsPort === undefined
      ? ""
      : `\n  Metrics    ${listenerUrl({ address, port: metricsPort }, ["localhost"])}/metrics`;
  const numbers = database === undefined ? "" : `\n  Numbers    ${database}`;
  const tls = collectorTls
    ? `\n  TLS        port ${collectorTls.port}, for visitors of the public address`
    : "";
  out(`Tallydeck is ready.
  Dashboard  ${pages}/dashboard
  Setup      ${pages}/help
  Web UI     ${webUi}/${tls}
  Reached    the collector ${reachedOn(collector)} (--host), the Web UI ${reachedOn(control)} (--bind)
  Data       ${config.dataDir}${numbers}${metrics}`);
  if (!service.store.numbers.ready) {
    out(
      "The database does not answer yet. Until it does nothing is counted; decks and the Web UI are here.",
    );
    return;
  }
  const { sites, adminHash } = service.store.numbers.directory;
  const inShell = (words: string) => toType(words, config, terminal);
  if (sites.length === 0) out(`No site yet. Add one: ${inShell("sites add my-site")}`);
  if (config.adminToken === undefined && adminHash === null)
    out(`No admin token yet, which reads the numbers. Make one: ${inShell("tokens make admin")}`);
}

/** Sentences for sockets that systemd opened before a port was set anew: a restart of the service alone keeps them. */
function staleSockets(
  { collector, control }: Service,
  config: Config,
  sockets: ReadonlyMap<string, number>,
): string[] {
  const settings = [
    ["collector", "PORT", config.port, collector.port],
    ["control", "WEBUI_PORT", config.webuiPort, control.port],
  ] as const;
  return settings
    .filter(([name, , set, bound]) => sockets.has(name) && set !== bound)
    .map(
      ([, key, set, bound]) =>
        `${key} is ${set}, but systemd listens on port ${bound}. Run: sudo systemctl daemon-reload && sudo systemctl stop 'tallydeck*.socket' tallydeck && sudo systemctl start tallydeck`,
    );
}

function reachedOn({ address }: { address: string }): string {
  if (address === "::" || address === "0.0.0.0") return "on all interfaces";
  return isLoopback(address) ? "from this machine only" : `on ${address} only`;
}
