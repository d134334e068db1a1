import { type ParseArgsConfig, parseArgs } from "node:util";
import { type Config, FLAGS, readConfig } from "../config.ts";

/** What a command is given of the outside world. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  /** True when something is piped in, or read from a file. */
  readonly isPiped: () => boolean;
  /** Standard input as text; at most `limit` bytes of it are read. */
  readonly input: (limit: number) => Promise<string>;
}

export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What `--help` prints. */
  readonly help: string;
  /**
   * Does it; resolves when done.
   * @throws {UsageError | CommandFailed}
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

export const DATA_OPTIONS_HELP = `  --data-dir DIR   where the data is (DATA_DIR)
  --config FILE    a KEY=VALUE file with settings (CONFIG)`;

type Options = NonNullable<ParseArgsConfig["options"]>;

/**
 * `util.parseArgs`, with our own words for what it cannot read. No command has options of one letter,
 * so `-5°` is a word like any other.
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

/** What `parseArgs` would refuse, for what it says is advice for other programs. */
function refuseMisuse(tokens: readonly Token[], options: Options): void {
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { name = "", rawName = "", value, inlineValue } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined) throw new UsageError(`Unknown option '${unmarked(rawName)}'.`);
    if (option.type === "boolean" && value !== undefined)
      throw new UsageError(`Option '${rawName}' does not take an argument.`);
    if (option.type === "string" && value === undefined)
      throw new UsageError(`Option '${rawName} <value>' argument missing.`);
    if (option.type === "string" && !inlineValue && value?.startsWith("-"))
      throw new UsageError(
        `Option '${rawName}' argument is ambiguous.\nDid you forget to specify the option argument for '${rawName}'?\nTo specify an option argument starting with a dash use '${rawName}=-XYZ'.`,
      );
  }
}

/** Hides the hyphen of a word from the parser; no argument of a process can hold it. */
const MARK = "\0";

function unmarked(word: string): string {
  return word.startsWith(MARK) ? word.slice(MARK.length) : word;
}

/** Options every command takes that works on the data. */
export const DATA_OPTIONS = {
  "data-dir": { type: "string" },
  config: { type: "string" },
} as const;

/** The configuration under the flags given; flags are named as on the command line. */
export function configFrom(flags: Readonly<Record<string, unknown>>, { env }: Terminal): Config {
  const text = (flag: string) => {
    const value = flags[flag];
    if (value === undefined) return undefined;
    return value === true ? "1" : String(value);
  };
  const byKey = Object.fromEntries([...FLAGS].map(([flag, key]) => [key, text(flag)]));
  return readConfig({ flags: byKey, env, file: text("config") ?? (env.CONFIG || undefined) });
}
