import type { Clock } from "../../../base/clock.ts";
import { Signal } from "../../../base/signal.ts";
import {
  type CheckedCopy,
  type CopiedCounts,
  CopyRefused,
  type CopyTask,
  Interrupted,
  loadCopy,
  type ProgressLine,
} from "../../../store/desk.ts";
import { CommandFailed, command, switches, type Terminal, UsageError, valued } from "../command.ts";
import { configFrom } from "../data.ts";

export const copy = command({
  help: `tallydeck copy: copies sites, counts and surveys from one database to another.

  tallydeck copy --from WHERE --to WHERE
  tallydeck copy --from WHERE --to WHERE --check    compares only, and changes nothing

WHERE is a data folder, or postgres://USER:PASSWORD@HOST/DATABASE; the words DATA_DIR and DATABASE_URL
stand for these settings, for who lists processes sees what is given here. Services may run on both. What
each database counts has an origin that goes with it, and is there once, whichever way it came: an
interrupted run goes on where it was, and one after a switch brings what came in between.

Sites come with their hosts, badges, tokens that read, labels and alarms, once; where something is
set already it stays. Decks, push tokens, sessions, channels and pictures belong to a machine: see
\`tallydeck backup\`. At the end all days are compared, site by site and dimension by dimension.

  --config FILE    a KEY=VALUE file with settings (CONFIG)`,
  options: { ...valued("from", "to", "config"), ...switches("check") },
  async run({ values, positionals }, terminal) {
    const { from, to, config } = values;
    if (positionals.length > 0 || from === undefined || to === undefined)
      throw new UsageError("Say from where, and to where: `tallydeck copy --from DIR --to URL`.");
    const interrupted = new AbortController();
    const forget = terminal.onStop(() => interrupted.abort());
    try {
      const meant = (word: string) => settingOr(word, { config }, terminal);
      const clock = clockOf(terminal);
      const screen = screenOf(terminal, clock);
      const task: CopyTask = {
        source: meant(from),
        target: meant(to),
        signal: interrupted.signal,
        clock,
        random: Math.random,
        say: screen.say,
        show: screen.show,
      };
      const { checkCopy, copyAndCheck } = await loadCopy();
      const checked = await (values.check
        ? checkCopy(task)
        : copyAndCheck(task, (brought, source) => {
            screen.clear();
            tell(brought, source, terminal);
          }));
      screen.clear();
      tellChecked(checked, terminal);
    } catch (error) {
      if (error instanceof Interrupted)
        throw new CommandFailed(
          "Interrupted. What was copied stays, and the same command goes on from there.",
        );
      throw error instanceof CopyRefused ? new CommandFailed(error.message) : error;
    } finally {
      forget();
    }
  },
});

/** The folder or address of a word. */
function settingOr(word: string, flags: { config: string | undefined }, terminal: Terminal) {
  if (word === "DATA_DIR") return configFrom(flags, terminal).dataDir;
  if (word !== "DATABASE_URL") return word;
  const { databaseUrl } = configFrom(flags, terminal);
  if (databaseUrl === undefined)
    throw new UsageError("DATABASE_URL is not set: set it, or write the address instead.");
  return databaseUrl;
}

function tell({ days, surveys, waiting, pairs }: CopiedCounts, source: string, terminal: Terminal) {
  terminal.out(
    days + surveys === 0
      ? "Nothing was new."
      : `Copied ${days} days of ${pairs.length} sites, and ${surveys} survey responses.`,
  );
  if (waiting > 0)
    terminal.out(
      `${waiting} hits wait in ${source} until its clock is set: copy again after that.`,
    );
}

/** @throws {CommandFailed} where something is missing */
function tellChecked(
  { target, sites, days, less, more, dropped }: CheckedCopy,
  terminal: Terminal,
) {
  if (less.length > 0)
    throw new CommandFailed(
      `${target} has less than was counted:\n${lines(less)}\nCopy again; if it stays so, erase the site there and copy it anew.`,
    );
  terminal.out(`Checked ${days} days of ${sites} sites: all that was counted is in ${target}.`);
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

const NAMED_AT_MOST = 20;
const LINE_EVERY_MS = 5_000;

/** Shows progress in one line that is rewritten, or, without a terminal, in a line now and then; and sentences. */
function screenOf({ rewrite, err, columns }: Terminal, clock: Clock) {
  let at = clock.monotonic();
  let isOpen = false;
  const clear = () => {
    if (isOpen) rewrite?.("");
    isOpen = false;
  };
  return {
    clear,
    show({ text }: ProgressLine): void {
      if (rewrite !== undefined) {
        rewrite(text.slice(0, columns - 1));
        isOpen = true;
      } else if (clock.monotonic() - at >= LINE_EVERY_MS) {
        err(text);
        at = clock.monotonic();
      }
    },
    say(sentence: string): void {
      clear();
      err(sentence);
    },
  };
}

/** A clock whose timers keep the process alive, unlike those of a service. */
function clockOf({ now }: Terminal): Clock {
  return {
    now,
    monotonic: () => performance.now(),
    boot: "",
    sure: true,
    becameSure: new Signal(),
    after(ms, task) {
      const timer = setTimeout(task, ms);
      return () => clearTimeout(timer);
    },
  };
}
