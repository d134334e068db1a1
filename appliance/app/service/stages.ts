import type { Clock } from "../../base/clock.ts";
import type { AnswerCounter } from "../../base/http/answer-counter.ts";
import type { Client } from "../../base/http/client.ts";
import { UPLOAD_MS } from "../../base/http/connection.ts";
import {
  COLLECTOR_LIMITS,
  COLLECTOR_TLS_LIMITS,
  CONTROL_LIMITS,
  descriptorLimit,
  fitting,
} from "../../base/http/limits.ts";
import { type App, type HandedSocket, type Listener, listen } from "../../base/http/listen.ts";
import { Stage } from "../../base/http/stage.ts";
import type { Log } from "../../base/log.ts";
import { closeWith } from "../../base/tasks/closing.ts";
import type { Config } from "../../config/config.ts";
import type { PublicDoor } from "../../control/public-door.ts";

interface StagesParts {
  config: Pick<Config, "port" | "tlsPort" | "host" | "webuiPort" | "bind">;
  clock: Clock;
  log: Log;
  client: Client;
  door: Pick<PublicDoor, "certificates" | "secured">;
  /** File descriptors of the sockets `collector`, `collector-tls` and `control`, where others opened them. */
  sockets?: ReadonlyMap<string, number>;
  answers: AnswerCounter;
}

/** The listeners; each listens from the first app on that is shown at it. */
export interface Stages {
  readonly collector: Stage;
  /** The collector by TLS that ends here; undefined where it is off. */
  readonly collectorTls?: Stage;
  readonly control: Stage;
}

export function openStages(parts: StagesParts): Stages {
  const { config, clock, log, client, door, sockets, answers } = parts;
  const handed = (name: string): HandedSocket | undefined => {
    const fd = sockets?.get(name);
    return fd === undefined ? undefined : { fd };
  };
  const tlsPort = handed("collector-tls") ?? config.tlsPort;
  const every = { clock, client, log };
  const ofCollector = { ...every, namesPeers: true, answered: answers.count };
  return {
    collector: new Stage((app) =>
      listen(app, handed("collector") ?? config.port, config.host, {
        ...ofCollector,
        limits: fitting(COLLECTOR_LIMITS, descriptorLimit()),
      }),
    ),
    ...(tlsPort !== undefined && {
      collectorTls: new Stage((app) =>
        listen(app, tlsPort, config.host, {
          ...ofCollector,
          limits: fitting(COLLECTOR_TLS_LIMITS, descriptorLimit()),
          certificates: door.certificates,
          secured: (address, servername) => door.secured(address, servername),
        }),
      ),
    }),
    control: new Stage((app) =>
      listen(app, handed("control") ?? config.webuiPort, config.bind, {
        ...every,
        limits: fitting(CONTROL_LIMITS, descriptorLimit()),
        longestRequest: UPLOAD_MS,
      }),
    ),
  };
}

export interface CollectorListeners {
  collector: Listener;
  collectorTls?: Listener;
}

/** Shows an app at the collector's listeners; takes it off with `ends`. */
export async function showCollector(
  stages: Stages,
  ends: AsyncDisposableStack,
  app: App,
): Promise<CollectorListeners> {
  const collector = closeWith(ends, await stages.collector.show(app));
  const collectorTls = await stages.collectorTls?.show(app);
  if (collectorTls === undefined) return { collector };
  return { collector, collectorTls: closeWith(ends, collectorTls) };
}
