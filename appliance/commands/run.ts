import { fstatSync } from "node:fs";
import { webUiUrl } from "../board.ts";
import { createSystemClock, type SystemClock } from "../clock.ts";
import { type Config, FLAG_OPTIONS } from "../config.ts";
import { createLog, RecentProblems } from "../log.ts";
import { screenAt } from "../screen.ts";
import { type Service, startService } from "../service.ts";
import type { Connection } from "../store/database.ts";
import { readDirectory, setReadToken } from "../store/directory.ts";
import { makeReadToken } from "../store/read-tokens.ts";
import { handedSockets, ServiceManager } from "../systemd.ts";
import {
  type Command,
  CommandFailed,
  configFrom,
  parseCommandLine,
  type Terminal,
  UsageError,
} from "./command.ts";
import { type Demo, startDemo } from "./demo.ts";

const help = `tallydeck run: starts the service and stays until it is told to stop.

  --port N         the collector's port (PORT, 8480)
  --webui-port N   the Web UI's port (WEBUI_PORT, 3000)
  --bind ADDR      the Web UI's address (BIND, 127.0.0.1)
  --data-dir DIR   where the data is (DATA_DIR)
  --config FILE    a KEY=VALUE file with settings (CONFIG)
  --virtual-deck MODEL
                   a deck that exists only in the Web UI; may be given several times
                   (VIRTUAL_DECK); \`tallydeck devices --models\` lists the models
  --demo           made-up data of two sites, gone when the service stops (DEMO)
  --admin-open     nobody has to sign in to the Web UI, wherever it is bound (ADMIN_OPEN)

On a --bind address that others reach, the Web UI asks for the admin token or the setup code, and
answers to IP addresses, this machine's names and ALLOWED_HOSTS.
Sites and tokens come from SITES, STATS_TOKEN, STATS_TOKEN_<ID> and BADGE_SITES, or from
\`tallydeck sites\` and \`tallydeck tokens\`. A flag wins over the environment, that over the file.`;

export const run: Command = {
  name: "run",
  summary: "start the service",
  help,
  async run(args, terminal) {
    const { values, positionals } = parseCommandLine(args, {
      ...FLAG_OPTIONS,
      config: { type: "string" },
    });
    if (positionals.length > 0)
      throw new UsageError(`\`tallydeck run\` takes no ${positionals[0]}.`);
    const configured = configFrom(values, terminal);
    const demo = configured.demo ? startDemo(configured, Date.now()) : undefined;
    const config = demo?.config ?? configured;
    // From here on, so that who stops it right after the start finds it stopped in order.
    const told = signalled();
    try {
      const clock = createSystemClock({ wait: config.waitForClock });
      const manager = new ServiceManager({ env: terminal.env, clock });
      const service = await start(config, clock, terminal, demo);
      announce(service, config, terminal);
      manager.ready(() => service.store.alive());
      if (demo !== undefined)
        terminal.out(`Made-up data, gone when this stops. The token is ${config.adminToken}`);
      await told;
      manager.stopping();
      await service.stop();
    } finally {
      demo?.remove();
    }
  },
};

async function start(
  config: Config,
  clock: SystemClock,
  terminal: Terminal,
  demo?: Demo,
): Promise<Service> {
  let adminToken: string | undefined;
  const problems = new RecentProblems(() => clock.now());
  try {
    return await startService({
      config,
      clock,
      log: createLog(terminal.err, problems),
      problems,
      sockets: handedSockets(terminal.env, process.pid),
      // A code that lives on in a journal would be seen by too many.
      ...(!terminal.env.JOURNAL_STREAM && { console: terminal.out }),
      ...(config.consoleDevice !== "" && { screen: screenAt(config.consoleDevice) }),
      believe: (now) => clock.believe(now),
      prepare: (db) => {
        demo?.fill(db);
        adminToken = mayShowToken(terminal) ? firstAdminToken(db, config) : undefined;
      },
    });
  } catch (error) {
    throw listenProblem(error) ?? error;
  } finally {
    if (adminToken !== undefined)
      terminal.out(
        `\n  Admin token, shown this once (it reads every site's numbers):\n\n    ${adminToken}\n`,
      );
  }
}

/** A secret goes to a person's terminal, or to the pipe of scripts/start; never to a journal. */
function mayShowToken({ env }: Terminal): boolean {
  if (process.stdout.isTTY) return true;
  return env.TALLYDECK_FROM_START === "1" && !env.JOURNAL_STREAM && fstatSync(1).isFIFO();
}

function firstAdminToken(db: Connection, config: Config): string | undefined {
  if (config.adminToken !== null || readDirectory(db).adminHash !== null) return undefined;
  const { token, hash } = makeReadToken();
  setReadToken(db, null, hash);
  return token;
}

function announce({ collector, control, store }: Service, config: Config, { out }: Terminal): void {
  out(`Tallydeck is ready.
  Dashboard  http://localhost:${collector.port}/dashboard
  Setup      http://localhost:${collector.port}/help
  Web UI     ${webUiUrl(control, ["localhost"])}
  Data       ${config.dataDir}`);
  if (store.directory.sites.length === 0)
    out("No site yet: add one with `scripts/tallydeck sites add my-site`.");
}

function listenProblem(error: unknown): CommandFailed | undefined {
  const { code, syscall, address, port } = error as NodeJS.ErrnoException & {
    address?: string;
    port?: number;
  };
  if (syscall !== "listen" && code !== "ENOTFOUND") return undefined;
  const reason = {
    EADDRINUSE: "another program uses it",
    EACCES: "this user may not; ports below 1024 need privileges",
    EADDRNOTAVAIL: "this machine has no such address",
    ENOTFOUND: "nothing is known by that name",
  }[code ?? ""];
  return new CommandFailed(
    `Cannot listen on ${address ?? "the address"}${port === undefined ? "" : ` port ${port}`}: ${reason ?? code}. Choose another with --port, --webui-port or --bind.`,
  );
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  });
}
