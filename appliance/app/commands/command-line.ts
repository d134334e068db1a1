import { entryOf } from "../../base/input/json.ts";
import { ConfigRefused, Refusal } from "../../base/refusal.ts";
import { madeAt, version } from "../../base/system/version.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import { oldReleaseText } from "../../base/text/release-age.ts";
import {
  Answered,
  type Command,
  CommandFailed,
  command,
  type Terminal,
  UsageError,
} from "./command.ts";

/**
 * A line for the list of commands, and the command: it is loaded when it is called, since a push from a script waits for
 * no driver and no database.
 */
type Entry = readonly [summary: string, load: () => Promise<Command>];

const COMMANDS: Readonly<Record<string, Entry>> = {
  run: ["start the service", async () => (await import("./serve/run.ts")).run],
  collect: [
    "count into a database that several processes share",
    async () => (await import("./serve/collect.ts")).collect,
  ],
  migrate: [
    "make that database's tables, or bring them up to date",
    async () => (await import("./data/migrate.ts")).migrateCommand,
  ],
  status: [
    "say whether the service runs, and how it is",
    async () => (await import("./status.ts")).status,
  ],
  stats: ["print the numbers of a site", async () => (await import("./sites/stats.ts")).stats],
  mark: [
    "note on a day of a site what happened, for its chart",
    async () => (await import("./sites/mark.ts")).mark,
  ],
  "leave-out": [
    "say or set what stays out of the counts of a site",
    async () => (await import("./sites/leave-out.ts")).leaveOut,
  ],
  values: [
    "make two values of a site one",
    async () => (await import("./sites/values.ts")).valuesCommand,
  ],
  digest: [
    "print the figures of a site in one screen, as its digest tells them",
    async () => (await import("./sites/digest.ts")).digest,
  ],
  push: ["show a text on the deck", async () => (await import("./push.ts")).push],
  follow: [
    "send the lines of an access log as they come",
    async () => (await import("./follow.ts")).follow,
  ],
  sites: [
    "list, add, change, rename or erase sites",
    async () => (await import("./sites/sites.ts")).sites,
  ],
  sources: [
    "list where the counts came from, or delete what was copied from one place",
    async () => (await import("./data/sources.ts")).sources,
  ],
  place: [
    "count here, to be fetched by another Tallydeck",
    async () => (await import("./sites/place.ts")).place,
  ],
  places: [
    "list, add or remove other Tallydecks whose counts are fetched",
    async () => (await import("./sites/places.ts")).places,
  ],
  import: [
    "bring what another tool has counted",
    async () => (await import("./data/import.ts")).importCommand,
  ],
  export: [
    "write all that was counted of a site into one file",
    async () => (await import("./data/export.ts")).exportCommand,
  ],
  tokens: [
    "make or revoke the tokens that read the numbers",
    async () => (await import("./sites/tokens.ts")).tokens,
  ],
  devices: [
    "list the decks that are plugged in, or every model",
    async () => (await import("./devices.ts")).devices,
  ],
  "try-deck": [
    "lead through two minutes with a deck, and write a report of it",
    async () => (await import("./hardware/try-deck.ts")).tryDeck,
  ],
  "try-board": [
    "look at this board, and write a report of it",
    async () => (await import("./hardware/try-board.ts")).tryBoard,
  ],
  backup: [
    "copy the data to one file, while the service runs",
    async () => (await import("./data/backup.ts")).backup,
  ],
  restore: [
    "put a backup in place of the data",
    async () => (await import("./data/restore.ts")).restore,
  ],
  copy: [
    "copy what was counted to another database",
    async () => (await import("./data/copy.ts")).copy,
  ],
  update: [
    "on a box, say which release runs, install one from a file, or go back",
    async () => (await import("./update/update.ts")).update,
  ],
  privacy: [
    "print a text for your privacy page, by the settings in force",
    async () => (await import("./data/privacy.ts")).privacy,
  ],
  diagnose: [
    "print versions, devices and the state of the data",
    async () => (await import("./diagnose.ts")).diagnose,
  ],
  licenses: [
    "print the licenses of all that is in here, or the notice of one part",
    async () => (await import("./licenses.ts")).licenses,
  ],
  version: ["print the version", async () => versionCommand],
  help: ["list the commands, or tell more about one", async () => helpCommand],
};
const ALIASES: Readonly<Record<string, string>> = {
  "--version": "version",
  "-v": "version",
  "--help": "help",
  "-h": "help",
};

function overview(): string {
  const lines = Object.entries(COMMANDS).map(
    ([name, [summary]]) => `  ${name.padEnd(10)} ${summary}`,
  );
  return `tallydeck COMMAND [OPTIONS]

${lines.join("\n")}

\`tallydeck COMMAND --help\` tells more.`;
}

async function commandOf(name: string): Promise<Command | undefined> {
  return entryOf(COMMANDS, name)?.[1]();
}

/** A sentence about an unknown command, with the most similar one. */
function unknownCommand(name: string): string {
  return `There is no command ${name}.${didYouMean(name, Object.keys(COMMANDS))}`;
}

const versionCommand = command({
  alone: "version",
  help: `tallydeck version: prints the version. So do --version and -v. Of a release that is more than a year old it says so
on standard error.`,
  options: {},
  run(_, { out, err, now }) {
    out(version());
    const old = oldReleaseText(madeAt(), now());
    if (old !== undefined) err(old);
  },
});

const helpCommand = command({
  help: `tallydeck help [COMMAND]: lists the commands, or tells more about one. So do --help and -h.`,
  options: {},
  async run({ positionals: [name, extra] }, { out }) {
    if (extra !== undefined) throw new UsageError("`tallydeck help` takes one command.");
    const command = name === undefined ? undefined : await commandOf(name);
    if (name !== undefined && command === undefined) throw new UsageError(unknownCommand(name));
    out(command?.help ?? overview());
  },
});

/**
 * Does what a command line asks for.
 * @returns the exit code: 0 done, 1 the operation failed, 2 wrong usage or configuration, or a command's own
 */
export async function runCommandLine(
  [given, ...args]: readonly string[],
  terminal: Terminal,
): Promise<number> {
  if (given === undefined) {
    terminal.err(`Say what to do.\n${asCalled(overview(), terminal)}`);
    return 2;
  }
  const name = entryOf(ALIASES, given) ?? given;
  const command = await commandOf(name);
  if (command === undefined) {
    terminal.err(
      asCalled(`${unknownCommand(given)}\n\`tallydeck help\` lists the commands.`, terminal),
    );
    return 2;
  }
  if (asksForHelp(args)) {
    terminal.out(command.help);
    return 0;
  }
  try {
    await command.run(args, terminal);
    return 0;
  } catch (error) {
    if (error instanceof Answered) return error.code;
    const { says, code } = await ending(error, name);
    terminal.err(asCalled(says, terminal));
    return code;
  }
}

function asksForHelp(args: readonly string[]): boolean {
  // Words after `--` are no flags, like a text to push.
  const [end = args.length] = args.flatMap((arg, index) => (arg === "--" ? [index] : []));
  return args.slice(0, end).some((arg) => arg === "--help" || arg === "-h");
}

/** The last words of a command that threw, and its exit code. */
async function ending(error: unknown, name: string): Promise<{ says: string; code: number }> {
  if (error instanceof UsageError)
    return { says: `${error.message}\nSee \`tallydeck ${name} --help\`.`, code: 2 };
  if (error instanceof ConfigRefused) {
    const problems = error.refusals.map(({ message }) => message);
    return { says: ["The configuration cannot be used:", ...problems].join("\n  "), code: 2 };
  }
  if (isExpected(error)) return { says: error.message, code: 1 };
  // The store is loaded only here, since most errors have nothing to do with it.
  const { storageProblem } = await import("../../store/desk.ts");
  return { says: storageProblem(error) ?? String((error as Error).stack), code: 1 };
}

/** A command that is named in a sentence, as a shell here finds it. */
function asCalled(text: string, { program }: Terminal): string {
  return text.replaceAll("`tallydeck ", () => `\`${program} `);
}

/** Whether the message of an error is for the person at the terminal. */
function isExpected(error: unknown): error is Error {
  return (
    error instanceof CommandFailed ||
    error instanceof Refusal ||
    (error as NodeJS.ErrnoException).syscall !== undefined
  );
}
