import { AnswerCounter } from "../../base/http/answer-counter.ts";
import type { Listener } from "../../base/http/listen.ts";
import type { Refusal } from "../../base/refusal.ts";
import { openedParts } from "../../base/tasks/closing.ts";
import { type Numbers, openNumbers } from "../../store/store.ts";
import { HitCounter } from "../../traffic/collector/hit-counter.ts";
import { metricsOf } from "../metrics/metrics-port.ts";
import type { CollectParts } from "./collect-listener.ts";
import { unknownBadges } from "./data.ts";

/** A collector that keeps nothing where it runs. */
export interface Collecting {
  readonly collector: Listener;
  /** The listener of `/metrics`; undefined where it is off. */
  readonly metrics: Listener | undefined;
  readonly numbers: Numbers;
  /** Resolves when the database will not have us and has never answered. */
  readonly refused: Promise<Refusal>;
  /** Reports to load balancers that others should be used, and still answers everything. */
  drain(): void;
  /** Answers pending requests, commits, and closes everything. @returns the number of lost hits */
  close(): Promise<number>;
}

/** Starts the collector alone; it listens whether or not the database is there. */
export async function startCollecting(parts: CollectParts): Promise<Collecting> {
  const { lost, close, ...collecting } = await openedParts((ends) => start(parts, ends));
  return {
    ...collecting,
    async close() {
      await close();
      return lost();
    },
  };
}

async function start(parts: CollectParts, ends: AsyncDisposableStack) {
  const { config, clock, log } = parts;
  const { numbers, refused } = await openData(parts);
  // The listener, which is most of a start, is loaded while the database connects.
  const loading = import("./collect-listener.ts");
  let lost = 0;
  ends.defer(async () => {
    lost = await numbers.close();
  });
  const tallies = { hits: new HitCounter(), answers: new AnswerCounter() };
  let draining = false;
  const isDraining = () => draining;
  const figures = () => numbers.figures;
  const isReady = () => numbers.ready && !draining;
  // The listener of metrics opens before the collector and closes after it, so that metrics can be read to the end.
  const metrics = await metricsOf({ config, clock, log, ...tallies, figures, isReady }, ends);
  const { showAlone } = await loading;
  const collector = await showAlone(parts, ends, { numbers, ...tallies, isDraining });
  return {
    collector,
    metrics,
    numbers,
    refused,
    lost: () => lost,
    drain: () => {
      draining = true;
    },
  };
}

async function openData({ config, clock, log }: CollectParts) {
  const { promise: refused, resolve: refuse } = Promise.withResolvers<Refusal>();
  const { promise: opened, resolve: isOpened } = Promise.withResolvers<void>();
  let wasOpened = false;
  const numbers = await openNumbers({
    // The command looks whether there is any.
    databaseUrl: config.databaseUrl ?? "",
    nodeName: config.nodeName,
    dayZone: config.dayZone,
    detailDays: config.detailDays,
    retentionDays: config.retentionDays,
    // An empty list would remove the sites that other collectors declare.
    ...(config.sites.length > 0 && { declared: config.sites }),
    clock,
    log,
    onOpened: ({ sentences, newestTime }) => {
      for (const sentence of sentences) log.info(sentence);
      clock.learn?.(newestTime);
      wasOpened = true;
      isOpened();
    },
    onRefused: (why) => {
      if (wasOpened) log.error(why.message);
      else refuse(why);
    },
  });
  const say = (slips: readonly string[]) => {
    for (const slip of slips) log.info(slip);
  };
  say(config.slips);
  void opened.then(() => say(unknownBadges(config, numbers)));
  return { numbers, refused };
}
