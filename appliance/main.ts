import { backup } from "./commands/backup.ts";
import { type Command, CommandFailed, type Terminal, UsageError } from "./commands/command.ts";
import { restore } from "./commands/restore.ts";
import { run } from "./commands/run.ts";
import { sites } from "./commands/sites.ts";
import { tokens } from "./commands/tokens.ts";
import { ConfigError } from "./config.ts";
import { DatabaseRefused, storageProblem } from "./store/database.ts";
import { DataDirInUse } from "./store/lock.ts";
import { version } from "./version.ts";

const COMMANDS: readonly Command[] = [run, sites, tokens, backup, restore];

function overview(): string {
  const lines = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`);
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
    terminal.out(overview());
    return 0;
  }
  const command = COMMANDS.find((known) => known.name === name);
  if (command === undefined) {
    terminal.err(name === undefined ? "Say what to do." : `There is no command ${name}.`);
    terminal.err(overview());
    return 2;
  }
  if (args.includes("--help")) {
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

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
});
