import { randomBytes } from "node:crypto";
import type { Clock, SystemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Refusal } from "../base/refusal.ts";
import { createCollector } from "../collector/app.ts";
import { HitTally } from "../collector/hit-tally.ts";
import type { PublicFacts } from "../collector/public-surface.ts";
import { ReadSessions } from "../collector/read-sessions.ts";
import type { Config } from "../config.ts";
import { AnswerTally } from "../http/answer-tally.ts";
import { createClient } from "../http/client.ts";
import { descriptorLimit, FLEET_LIMITS, fitting } from "../http/limits.ts";
import { type App, type Listener, listen } from "../http/listen.ts";
import { Pages } from "../http/pages.ts";
import { Store } from "../store/store.ts";
import { knowSites } from "./data.ts";
import { metricsOf } from "./metrics-port.ts";
import { begun, type Stops } from "./stops.ts";

interface CollectParts {
  config: Config;
  clock: Clock & Partial<Pick<SystemClock, "learn">>;
  log: Log;
  /** The file descriptor of the socket `collector`, where somebody else opened it. */
  sockets?: ReadonlyMap<string, number>;
}

/** A collector that keeps nothing where it runs. */
export interface Collecting {
  readonly collector: Listener;
  /** Where `/metrics` is; undefined where nobody asked for it. */
  readonly metrics: Listener | undefined;
  readonly store: Store;
  /** Resolves when the database will not have us and has never answered. */
  readonly refused: Promise<Refusal>;
  /** From now on a load balancer hears that others are to be asked; everything is still answered. */
  drain(): void;
  /** Answers what runs, commits it, closes everything. @returns how many hits are lost */
  stop(): Promise<number>;
}

/** Starts the collector alone; it listens whether or not the database is there. */
export async function startCollecting(parts: CollectParts): Promise<Collecting> {
  const { lost, stop, ...collecting } = await begun((stops) => start(parts, stops));
  return {
    ...collecting,
    async stop() {
      await stop();
      return lost();
    },
  };
}

async function start(parts: CollectParts, stops: Stops) {
  const { config, clock, log } = parts;
  const { store, refused } = await openStore(parts);
  let lost = 0;
  stops.add(async () => {
    lost = await store.close();
  });
  const tallies = { hits: new HitTally(), answers: new AnswerTally() };
  let draining = false;
  const isDraining = () => draining;
  const figures = () => store.figures;
  const isReady = () => store.ready && !draining;
  // Before the collector, and closed after it: what it tells is looked at to the end.
  const metrics = await metricsOf({ config, clock, log, ...tallies, figures, isReady }, stops);
  const collector = await show(parts, stops, { store, ...tallies, isDraining });
  return {
    collector,
    metrics,
    store,
    refused,
    lost: () => lost,
    drain: () => {
      draining = true;
    },
  };
}

interface Shown {
  store: Store;
  hits: HitTally;
  answers: AnswerTally;
  isDraining: () => boolean;
}

async function show(
  { config, clock, log, sockets }: CollectParts,
  stops: Stops,
  { store, hits, answers, isDraining }: Shown,
): Promise<Listener> {
  const client = createClient(config.trustedProxies);
  const app = createCollector({
    store,
    sites: knowSites(config, store, stops),
    readSessions: new ReadSessions({ clock, randomBytes }),
    client,
    clock,
    log,
    pages: new Pages(),
    warnings: () => store.warnings,
    door: NO_PUBLIC_ADDRESS,
    isDraining,
    tally: hits,
  });
  const fd = sockets?.get("collector");
  const port = fd === undefined ? config.port : { fd };
  const collector = await listen(leaving(app, isDraining), port, config.host, {
    clock,
    client,
    log,
    limits: fitting(FLEET_LIMITS, descriptorLimit(), FLEET_LIMITS.total),
    namesPeers: true,
    answered: answers.count,
  });
  stops.add(() => collector.close());
  return collector;
}

async function openStore({ config, clock, log }: CollectParts) {
  const { promise: refused, resolve: refuse } = Promise.withResolvers<Refusal>();
  let isReady = () => false;
  const store = await Store.open({
    databaseUrl: config.databaseUrl,
    nodeName: config.nodeName,
    retentionDays: config.retentionDays,
    // Another collector may be told of more.
    ...(config.sites.length > 0 && { declared: config.sites }),
    clock,
    log,
    onOpened: ({ sentences, newestTime }) => {
      for (const sentence of sentences) log.info(sentence);
      clock.learn?.(newestTime);
    },
    onRefused: (why) => {
      if (isReady()) log.error(why.message);
      else refuse(why);
    },
  });
  isReady = () => store.ready;
  return { store, refused };
}

/** Asks those who keep connections to come anew once it drains: by then to another. */
function leaving(app: App, isDraining: () => boolean): App {
  return {
    callback() {
      const serve = app.callback();
      return (request, response) => {
        if (isDraining()) response.setHeader("Connection", "close");
        return serve(request, response);
      };
    },
  };
}

/** TLS and names are the load balancer's. */
const NO_PUBLIC_ADDRESS: PublicFacts = {
  liveUrl: () => undefined,
  showsDashboard: () => true,
  challengeAnswer: () => undefined,
  isTunnel: () => false,
  isReached: () => "unknown",
};
