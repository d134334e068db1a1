import { ConfigRefused, Refusal } from "./base/refusal.ts";
import { version } from "./base/version.ts";
import {
  type Command,
  CommandFailed,
  parseCommandLine,
  type Terminal,
  UsageError,
} from "./commands/command.ts";
import { isPiped, readInput } from "./commands/input.ts";
import { storageProblem } from "./store/sqlite/database.ts";

const STDIN = 0;

/** Loaded when it is called: a push from a script waits for no driver and no database. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  run: async () => (await import("./commands/run.ts")).run,
  push: async () => (await import("./commands/push.ts")).push,
  sites: async () => (await import("./commands/sites.ts")).sites,
  tokens: async () => (await import("./commands/tokens.ts")).tokens,
  devices: async () => (await import("./commands/devices.ts")).devices,
  backup: async () => (await import("./commands/backup.ts")).backup,
  restore: async () => (await import("./commands/restore.ts")).restore,
  diagnose: async () => (await import("./commands/diagnose.ts")).diagnose,
  version: async () => versionCommand,
  help: async () => helpCommand,
};
/** As programs of this kind are asked, too. */
const ALIASES: Readonly<Record<string, string>> = { "--version": "version", "--help": "help" };

async function overview(): Promise<string> {
  const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`);
  return `tallydeck COMMAND [OPTIONS]

${lines.join("\n")}

\`tallydeck COMMAND --help\` tells more.`;
}

async function commandOf(name: string | undefined): Promise<Command | undefined> {
  return name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name]?.() : undefined;
}

const versionCommand: Command = {
  name: "version",
  summary: "print the version",
  help: "tallydeck version: prints the version.",
  async run(args, { out }) {
    const [extra] = parseCommandLine(args, {}).positionals;
    if (extra !== undefined) throw new UsageError(`\`tallydeck version\` takes no ${extra}.`);
    out(version());
  },
};

const helpCommand: Command = {
  name: "help",
  summary: "list the commands, or tell more about one",
  help: "tallydeck help [COMMAND]: lists the commands, or tells more about one.",
  async run(args, { out }) {
    const [name] = parseCommandLine(args, {}).positionals;
    const command = await commandOf(name);
    if (name !== undefined && command === undefined)
      throw new UsageError(`There is no command ${name}.`);
    out(command?.help ?? (await overview()));
  },
};

/** @returns the exit code: 0 done, 1 the operation failed, 2 wrong usage or configuration. */
async function main([name, ...args]: readonly string[], terminal: Terminal): Promise<number> {
  const command = await commandOf(ALIASES[name ?? ""] ?? name);
  if (command === undefined) {
    terminal.err(name === undefined ? "Say what to do." : `There is no command ${name}.`);
    terminal.err(await overview());
    return 2;
  }
  // What follows `--` is meant as it is, be it a text to push.
  const [end = args.length] = args.flatMap((arg, index) => (arg === "--" ? [index] : []));
  if (args.slice(0, end).includes("--help")) {
    terminal.out(command.help);
    return 0;
  }
  try {
    await command.run(args, terminal);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      terminal.err(`${error.message}\nSee \`tallydeck ${command.name} --help\`.`);
      return 2;
    }
    if (error instanceof ConfigRefused) {
      const problems = error.refusals.map(({ message }) => message);
      terminal.err(["The configuration cannot be used:", ...problems].join("\n  "));
      return 2;
    }
    const problem = isExpected(error) ? error.message : storageProblem(error);
    terminal.err(problem ?? String((error as Error).stack));
    return 1;
  }
}

/** Errors whose message is meant for the person at the terminal. */
function isExpected(error: unknown): error is Error {
  return (
    error instanceof CommandFailed ||
    error instanceof Refusal ||
    (error as NodeJS.ErrnoException).syscall !== undefined
  );
}

// What it makes, data and backups, is for its own user alone.
process.umask(0o077);

// Nobody reads what is said any more, as after `| head`: no reason for a service to stop counting.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  isPiped: () => isPiped(STDIN),
  input: (limit) => readInput(process.stdin, limit),
});
