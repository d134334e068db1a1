import { randomBytes } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import type { AnswerCounter } from "../../base/http/answer-counter.ts";
import { createClient } from "../../base/http/client.ts";
import { descriptorLimit, FLEET_LIMITS, fitting } from "../../base/http/limits.ts";
import { type App, type Listener, listen } from "../../base/http/listen.ts";
import { builtPages } from "../../base/http/pages.ts";
import type { Log } from "../../base/log.ts";
import type { SystemClock } from "../../base/system/system-clock.ts";
import { closeWith } from "../../base/tasks/closing.ts";
import type { Config } from "../../config/config.ts";
import type { Numbers } from "../../store/store.ts";
import { createCollector } from "../../traffic/collector/app.ts";
import type { HitCounter } from "../../traffic/collector/hit-counter.ts";
import type { PublicFacts } from "../../traffic/collector/public-surface.ts";
import { ReadSessions } from "../../traffic/collector/read-sessions.ts";
import { knowSites } from "./data.ts";

export interface CollectParts {
  config: Config;
  clock: Clock & Partial<Pick<SystemClock, "learn">>;
  log: Log;
  /** The file descriptor of the socket `collector`, where systemd or another parent opened it. */
  sockets?: ReadonlyMap<string, number>;
}

interface ShownCollector {
  numbers: Numbers;
  hits: HitCounter;
  answers: AnswerCounter;
  isDraining: () => boolean;
}

export async function showAlone(
  { config, clock, log, sockets }: CollectParts,
  ends: AsyncDisposableStack,
  { numbers, hits, answers, isDraining }: ShownCollector,
): Promise<Listener> {
  const client = createClient(config.trustedProxies);
  const stopping = new AbortController();
  const app = createCollector({
    numbers,
    stopping: stopping.signal,
    sites: knowSites(config, numbers, ends),
    readSessions: new ReadSessions({ clock, randomBytes }),
    client,
    log,
    pages: builtPages(),
    warnings: () => numbers.warnings,
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
  closeWith(ends, collector);
  // The listener waits for its answers.
  ends.defer(() => stopping.abort());
  return collector;
}

/** Closes connections after their answer while it drains, so that clients connect to another collector. */
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
