import type { Clock } from "../../base/clock.ts";
import { type Compared, compare } from "./check.ts";
import { bringSite, type CopiedCounts, copy, othersOf, refuseSame } from "./copy.ts";
import { type CopyEnd, openEnd } from "./end.ts";
import { type CopyOptions, Interrupted, Retries } from "./run.ts";
import { type Pair, pairsOf } from "./sites.ts";
import { bringSurveys } from "./surveys.ts";

/** A copy from one place to another. */
export interface CopyTask extends Pick<CopyOptions, "signal" | "say" | "show"> {
  /** A data folder, or `postgres://…`. */
  readonly source: string;
  readonly target: string;
  readonly clock: Clock;
  /** 0–1. */
  readonly random: () => number;
}

/** The target as people know it, and what it has. */
export type CheckedCopy = Compared & { readonly target: string };

/**
 * Copies, and compares at the end.
 * @param told is called before comparing, with the copied data and the source as people know it
 * @throws {CopyRefused | Interrupted | Refusal} with a sentence for the owner
 */
export function copyAndCheck(
  task: CopyTask,
  told: (brought: CopiedCounts, source: string) => void,
): Promise<CheckedCopy> {
  return onBoth(task, true, async ({ from, to }) => {
    const options = { ...task, from, to };
    const brought = await copy(options);
    told(brought, from.name);
    const patience = new Retries(options);
    const catchUp = async (pair: Pair) => {
      const sources = await patience.with(() => othersOf(options));
      await bringSite(options, pair);
      await bringSurveys(options, patience, { pairs: [pair], sources });
    };
    return patience.with(() =>
      compare({ from, to, catchUp, show: progressOf(task) }, brought.pairs),
    );
  });
}

/** Compares only, and changes nothing. @throws {CopyRefused | Interrupted | Refusal} as `copyAndCheck` */
export function checkCopy(task: CopyTask): Promise<CheckedCopy> {
  return onBoth(task, false, async ({ from, to }) => {
    refuseSame({ from, to });
    return new Retries({ ...task, from, to }).with(async () => {
      const { pairs, missing } = await pairsOf(from, to);
      const show = progressOf(task);
      return compare({ from, to, catchUp: undefined, show }, pairs, missing);
    });
  });
}

async function onBoth(
  { source, target, clock, random }: CopyTask,
  isTarget: boolean,
  work: (ends: { from: CopyEnd; to: CopyEnd }) => Promise<Compared>,
): Promise<CheckedCopy> {
  const from = await openEnd(source, { clock, random, flag: "--from", isTarget: false });
  try {
    const to = await openEnd(target, { clock, random, flag: "--to", isTarget });
    try {
      return { ...(await work({ from, to })), target: to.name };
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

function progressOf({ signal, show }: CopyTask) {
  return ({ id }: Pair, share: number) => {
    if (signal.aborted) throw new Interrupted();
    show({ text: `checking ${id} · ${Math.floor(100 * share)} %`, share });
  };
}
