import { type ParseArgsConfig, parseArgs } from "node:util";
import { entryOf } from "../../base/input/json.ts";
import type { Cancel } from "../../base/signal.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import type { Threads } from "../../store/store.ts";

/** The program's name where it is in the PATH. */
export const INSTALLED = "tallydeck";

/** The outside world, as a command is given it. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The name by which a shell here finds this program: `./scripts/tallydeck`, or INSTALLED. */
  readonly program: string;
  /** The characters that fit in a line. */
  readonly columns: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** The IANA name of the zone in which clocks of this machine show the time. */
  readonly timeZone: () => string;
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  /** Puts a text in the place of the line before; undefined where no person watches. */
  readonly rewrite?: ((text: string) => void) | undefined;
  /** Standard output, for bytes. */
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
  /** Has long work come after what others do on this machine, and take little memory. */
  readonly yieldToOthers: () => void;
  /** Whether input is piped in, or read from a file. */
  readonly isPiped: () => boolean;
  /** Standard input as text; at most `limit` bytes of it are read. */
  readonly input: (limit: number) => Promise<string>;
  /** Has `stop` called when the command is told to end, once for each way of telling it. */
  readonly onStop: (stop: () => void) => Cancel;
  /** Threads for a service's database, where there are some already; it starts its own unless given. */
  readonly threads?: Threads;
}

export interface Command {
  readonly help: string;
  /**
   * Does it; resolves when done.
   * @throws {UsageError | CommandFailed | Answered}
   */
  run(args: readonly string[], terminal: Terminal): Promise<void>;
}

/** The command was called wrongly: exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The command was called rightly and could not be done: exit code 1. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed";
}

/** The command was done and has printed its answer, which programs know by an exit code of its own. */
export class Answered extends Error {
  override readonly name = "Answered";
  readonly code: number;

  constructor(code: number) {
    super(`exit code ${code}`);
    this.code = code;
  }
}

/** Options with a value, by their names. */
export function valued<Name extends string>(...names: Name[]) {
  return named(names, { type: "string" } as const);
}

/** Options with a value that may be given several times. */
export function repeated<Name extends string>(...names: Name[]) {
  return named(names, { type: "string", multiple: true } as const);
}

/** Options without a value. */
export function switches<Name extends string>(...names: Name[]) {
  return named(names, { type: "boolean" } as const);
}

function named<Name extends string, Option>(names: readonly Name[], option: Option) {
  return Object.fromEntries(names.map((name) => [name, option])) as Record<Name, Option>;
}

interface CommandOf<T extends Options> {
  /** Its name, where it takes no words besides its options, and refuses them. */
  readonly alone?: string;
  readonly help: string;
  readonly options: T;
  run(line: CommandLine<T>, terminal: Terminal): Promise<void> | void;
}

export function command<T extends Options>({ alone, help, options, run }: CommandOf<T>): Command {
  return {
    help,
    async run(args, terminal) {
      const line = parseCommandLine(args, options);
      const [extra] = line.positionals;
      if (alone !== undefined && extra !== undefined)
        throw new UsageError(`\`tallydeck ${alone}\` takes no ${extra}.`);
      await run(line, terminal);
    },
  };
}

export function outJson({ out }: Terminal, value: unknown): void {
  out(JSON.stringify(value, null, 2));
}

/** @param actions what the command's first word may be */
export function notUnderstood(
  command: string,
  words: readonly string[],
  actions: readonly string[],
): UsageError {
  const [action = ""] = words;
  const meant = actions.includes(action) ? "" : didYouMean(action, actions);
  return new UsageError(`\`tallydeck ${command} ${words.join(" ")}\` is not understood.${meant}`);
}

type Options = NonNullable<ParseArgsConfig["options"]>;
type CommandLine<T extends Options> = ReturnType<typeof parseCommandLine<T>>;
/** The options that a command line has. */
export type OptionsGiven<T extends Options> = CommandLine<T>["values"];

/**
 * `util.parseArgs`, with our own messages for its errors. No command has options of one letter
 * (`main` takes `-h`), so `-5°` is a word like any other.
 * @throws {UsageError}
 */
export function parseCommandLine<T extends Options>(args: readonly string[], options: T) {
  const marked = args.map((arg) => (/^-[^-]/.test(arg) ? MARK + arg : arg));
  const config = { args: marked, options, allowPositionals: true } as const;
  refuseMisuse(parseArgs({ ...config, strict: false, tokens: true }).tokens, options);
  const { values, positionals } = parseArgs({ ...config, strict: true });
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "string") Object.assign(values, { [name]: unmarked(value) });
    if (Array.isArray(value)) Object.assign(values, { [name]: value.map(String).map(unmarked) });
  }
  return { values, positionals: positionals.map(unmarked) };
}

interface Token {
  readonly kind: string;
  readonly name?: string;
  readonly rawName?: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

/** Refuses wrong usage before `parseArgs`, whose messages do not fit our options. */
function refuseMisuse(tokens: readonly Token[], options: Options): void {
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { name = "", rawName = "", value, inlineValue } = token;
    const option = entryOf(options, name);
    if (option === undefined) {
      const known = Object.keys(options).map((each) => `--${each}`);
      throw new UsageError(
        `There is no option ${unmarked(rawName)}.${didYouMean(unmarked(rawName), known)}`,
      );
    }
    if (option.type === "boolean" && value !== undefined)
      throw new UsageError(`${rawName} takes no value.`);
    if (option.type === "string" && value === undefined)
      throw new UsageError(`${rawName} needs a value.`);
    if (option.type === "string" && !inlineValue && value?.startsWith("-"))
      throw new UsageError(
        `${rawName} needs a value. One that begins with a hyphen is written ${rawName}=${unmarked(value)}.`,
      );
  }
}

/** Hides the hyphen of a word from the parser; no argument of a process can hold it. */
const MARK = "\0";

function unmarked(word: string): string {
  return word.startsWith(MARK) ? word.slice(MARK.length) : word;
}
