import { type Compared, compare } from "../store/copy/check.ts";
import { type Brought, bringSite, copy as copyAll, refuseSame } from "../store/copy/copy.ts";
import { CopyRefused } from "../store/copy/end.ts";
import { openSource, openTarget } from "../store/copy/ends.ts";
import type { CopyOptions, ProgressLine } from "../store/copy/options.ts";
import { Interrupted, Patience } from "../store/copy/patience.ts";
import { pairsOf } from "../store/copy/sites.ts";
import { bringSurveys } from "../store/copy/surveys.ts";
import {
  type Command,
  CommandFailed,
  parseCommandLine,
  type Terminal,
  UsageError,
} from "./command.ts";

const help = `tallydeck copy: copies sites, counts and surveys from one database to another.

  tallydeck copy --from WHERE --to WHERE
  tallydeck copy --from WHERE --to WHERE --check    compares only, and changes nothing

WHERE is a data folder, or postgres://USER:PASSWORD@HOST/DATABASE. Services may run on both. What is
copied is added to what is there, and no run brings again what one has brought: an interrupted run
goes on where it was, and one after a switch brings what came in between.

Sites come with their hosts, badges, tokens that read, labels and alarms, once; where something is
set already it stays. Decks, push tokens, sessions, channels and pictures belong to a box: see
\`tallydeck backup\`. At the end all days are compared, site by site and dimension by dimension.`;

const OPTIONS = {
  from: { type: "string" },
  to: { type: "string" },
  check: { type: "boolean" },
} as const;

const LINE_EVERY_MS = 5_000;
const NAMED_AT_MOST = 20;

export const copy: Command = {
  help,
  async run(args, terminal) {
    const { values, positionals } = parseCommandLine(args, OPTIONS);
    const { from: source, to: target } = values;
    if (positionals.length > 0 || source === undefined || target === undefined)
      throw new UsageError("Say from where, and to where: `tallydeck copy --from DIR --to URL`.");
    const interrupted = new AbortController();
    const interrupt = () => interrupted.abort();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupt);
    try {
      await run(source, target, values.check === true, interrupted.signal, terminal);
    } catch (error) {
      if (error instanceof Interrupted)
        throw new CommandFailed(
          "Interrupted. What was copied stays, and the same command goes on from there.",
        );
      throw error instanceof CopyRefused ? new CommandFailed(error.message) : error;
    } finally {
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupt);
    }
  },
};

async function run(
  source: string,
  target: string,
  isCheck: boolean,
  signal: AbortSignal,
  terminal: Terminal,
): Promise<void> {
  const from = await openSource(source);
  try {
    const to = await openTarget(target, terminal.now);
    try {
      const show = shownBy(terminal);
      const say = (sentence: string) => {
        show.end();
        terminal.err(sentence);
      };
      const options = { from, to, clock: CLOCK, signal, say, show: show.line };
      refuseSame(options);
      const brought = isCheck ? undefined : await copyAll(options);
      if (brought !== undefined) {
        show.end();
        tell(brought, options, terminal);
      }
      const compared = await comparison(options, brought);
      show.end();
      tellOf(compared, options, terminal);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

async function comparison(options: CopyOptions, brought: Brought | undefined): Promise<Compared> {
  const { from, to, signal } = options;
  const patience = new Patience(options);
  const found = brought ?? (await patience.with(() => pairsOf(from, to)));
  const { pairs } = found;
  return patience.with(() =>
    compare(
      {
        from,
        to,
        catchUp:
          brought &&
          (async (pair) => {
            await bringSite(options, pair);
            await bringSurveys(options, patience, pairs);
          }),
        show(pair, share) {
          if (signal.aborted) throw new Interrupted();
          options.show({ text: `checking ${pair.id}`, share });
        },
      },
      pairs,
      "missing" in found ? found.missing : [],
    ),
  );
}

function tell(
  { days, surveys, waiting, pairs }: Brought,
  { from }: CopyOptions,
  terminal: Terminal,
) {
  terminal.out(
    days + surveys === 0
      ? "Nothing was new."
      : `Copied ${days} days of ${pairs.length} sites, and ${surveys} survey responses.`,
  );
  if (waiting > 0)
    terminal.out(
      `${waiting} hits wait in ${from.name} until its clock is set: copy again after that.`,
    );
}

/** @throws {CommandFailed} where something is missing */
function tellOf(
  { sites, days, less, more, dropped }: Compared,
  { to }: CopyOptions,
  terminal: Terminal,
) {
  if (less.length > 0)
    throw new CommandFailed(
      `${to.name} has less than was counted:\n${lines(less)}\nCopy again; if it stays so, erase the site there and copy it anew.`,
    );
  terminal.out(`Checked ${days} days of ${sites} sites: all that was counted is in ${to.name}.`);
  if (more.length > 0)
    terminal.out(
      `It has more, which it counted itself or took from elsewhere, on:\n${lines(more)}`,
    );
  if (dropped.length > 0)
    terminal.out(`Past its retention, and dropped there, are:\n${lines(dropped)}`);
}

function lines(names: readonly string[]): string {
  const others = names.length - NAMED_AT_MOST;
  return [...names.slice(0, NAMED_AT_MOST), ...(others > 0 ? [`and ${others} more`] : [])]
    .map((name) => `  ${name}`)
    .join("\n");
}

/** One line that is rewritten, or, where nobody watches, a line now and then. */
function shownBy({ rewrite, err, columns }: Terminal) {
  let at = CLOCK.monotonic();
  let isOpen = false;
  return {
    line({ text }: ProgressLine): void {
      if (rewrite !== undefined) {
        rewrite(text.slice(0, columns - 1));
        isOpen = true;
      } else if (CLOCK.monotonic() - at >= LINE_EVERY_MS) {
        err(text);
        at = CLOCK.monotonic();
      }
    },
    end(): void {
      if (isOpen) rewrite?.("");
      isOpen = false;
    },
  };
}

/** Unlike a service's, its timers keep the process alive: there is nothing else to do. */
const CLOCK: CopyOptions["clock"] = {
  monotonic: () => performance.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};
