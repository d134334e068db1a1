/** Runs the named parts of a script: `scripts/parts` has the options of all such scripts. */
import { parseArgs } from "node:util";
import { Report, summaryOf } from "./report.ts";
import { Stage } from "./stage.ts";

export interface Part<Values = unknown> {
  /** A sentence for `--list`. */
  readonly says: string;
  /** Runs only when it is named. */
  readonly isLong?: true;
  run(given: Given<Values>): Promise<void>;
}

/** The options and tools of a part. */
export interface Given<Values = unknown> {
  readonly options: Values;
  /** The seed of all made-up data. */
  readonly seed: number;
  readonly report: Report;
  /** Is closed after the part. */
  readonly stage: Stage;
  /** Is closed after all parts. */
  readonly whole: Stage;
}

interface Option<T> {
  readonly preset: string;
  /** @throws {Error} that says what is wrong with it */
  read(text: string, name: string): T;
}

type Options<Values> = { readonly [Name in keyof Values]: Option<Values[Name]> };

interface Script<Values> {
  readonly parts: Readonly<Record<string, Part<Values>>>;
  readonly options: Options<Values>;
  /** A new one at each run unless given. */
  readonly seed?: number;
  /** @throws {Error} where options do not go together */
  check?(values: Values): void;
}

/** A number of at least 0. */
export function number(preset: number): Option<number> {
  return {
    preset: `${preset}`,
    read(text, name) {
      const value = Number(text);
      if (!(value >= 0) || text.trim() === "") throw new Error(`--${name} takes a number.`);
      return value;
    },
  };
}

/** A text that `pattern` matches; `form` says how one looks. */
export function text(preset: string, pattern = /./, form = "a text"): Option<string> {
  return {
    preset,
    read(text, name) {
      if (text !== preset && !pattern.test(text))
        throw new Error(`--${name} takes ${form}, and ${text} is none.`);
      return text;
    },
  };
}

/** The origin of a URL; empty unless given. */
export function origin(): Option<string> {
  return {
    preset: "",
    read(text, name) {
      if (text === "") return "";
      if (!URL.canParse(text)) throw new Error(`--${name} takes a URL, and ${text} is none.`);
      return new URL(text).origin;
    },
  };
}

/**
 * Runs a script to its end, its parts in the order in which it lists them. The process ends with 1 when one has
 * failed, which does not keep the next from running, and with 2 when the arguments make no sense.
 * @param args the command line
 */
export async function runScript<Values>(
  script: Script<Values>,
  args: string[] = process.argv.slice(2),
): Promise<void> {
  let wish: ReturnType<typeof read<Values>>;
  try {
    wish = read(script, args);
  } catch (error) {
    console.error(`${(error as Error).message}\n--help and --list tell what there is.`);
    process.exitCode = 2;
    return;
  }
  if (wish.names === undefined) return console.log(listOf(script.parts));
  console.log(`# seed ${wish.seed}`);
  const whole = new Stage();
  for (const [signal, status] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)
    process.once(signal, () => void whole.close().finally(() => process.exit(status)));
  const reports: Report[] = [];
  for (const name of wish.names) {
    const report = new Report(name);
    reports.push(report);
    const { values: options, seed } = wish;
    await whole
      .within((stage) =>
        (script.parts[name] as Part<Values>).run({ options, seed, report, stage, whole }),
      )
      .catch((error: Error) => {
        console.error(error);
        report.problem(error.message);
      });
  }
  await whole.close();
  console.log(`\n${summaryOf(reports)}`);
  if (reports.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
}

/** @returns no `names` where the parts are only to be listed @throws {Error} that says what is wrong */
function read<Values>({ parts, options, seed, check }: Script<Values>, args: string[]) {
  const all = Object.entries(parts);
  const usual = all.flatMap(([name, { isLong }]) => (isLong ? [] : [name]));
  const common = {
    only: text(usual.join()),
    seed: number(seed ?? Math.floor(Math.random() * 1e6)),
  };
  const names = Object.keys({ ...options, ...common });
  const said: Readonly<Record<string, string | boolean | undefined>> = parseArgs({
    args,
    options: {
      ...Object.fromEntries(names.map((name) => [name, { type: "string" } as const])),
      list: { type: "boolean" },
    },
  }).values;
  const optionValue = <T>(name: string, { preset, read }: Option<T>) =>
    read(`${said[name] ?? preset}`, name);
  const own = Object.entries<Option<unknown>>(options);
  const values = Object.fromEntries(
    own.map(([name, option]) => [name, optionValue(name, option)]),
  ) as Values;
  check?.(values);
  const wanted = optionValue("only", common.only).split(",");
  const unknown = wanted.find((name) => parts[name] === undefined);
  if (unknown !== undefined) throw new Error(`There is no part ${unknown}: ${Object.keys(parts)}.`);
  return {
    names: said.list ? undefined : Object.keys(parts).filter((name) => wanted.includes(name)),
    seed: optionValue("seed", common.seed),
    values,
  };
}

function listOf(parts: Readonly<Record<string, Part<never>>>): string {
  const width = Math.max(...Object.keys(parts).map(({ length }) => length));
  return Object.entries(parts)
    .map(
      ([name, { says, isLong }]) =>
        `${name.padEnd(width)}  ${says}${isLong ? " Runs only when it is named." : ""}`,
    )
    .join("\n");
}
