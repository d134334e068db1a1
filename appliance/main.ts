import { type Command, CommandFailed, type Terminal, UsageError } from "./commands/command.ts";
import { ConfigError } from "./config.ts";
import { DatabaseRefused, storageProblem } from "./store/database.ts";
import { DataDirInUse } from "./store/lock.ts";
import { version } from "./version.ts";

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
};

async function overview(): Promise<string> {
  const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`);
  return `tallydeck COMMAND [OPTIONS]

${lines.join("\n")}
  ${"version".padEnd(10)} print the version
  ${"help".padEnd(10)} this list; \`tallydeck COMMAND --help\` tells more`;
}

/** @returns the exit code: 0 done, 1 the operation failed, 2 wrong usage or configuration. */
async function main([name, ...args]: readonly string[], terminal: Terminal): Promise<number> {
  if (name === "version" || name === "--version") {
    terminal.out(version());
    return 0;
  }
  if (name === "help" || name === "--help") {
    terminal.out(await overview());
    return 0;
  }
  const load = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const command = await load?.();
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
    if (error instanceof ConfigError) {
      terminal.err(["The configuration cannot be used:", ...error.problems].join("\n  "));
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
    error instanceof DatabaseRefused ||
    error instanceof DataDirInUse ||
    (error as NodeJS.ErrnoException).syscall !== undefined
  );
}

// Nobody reads what is said any more, as after `| head`: no reason for a service to stop counting.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
});
