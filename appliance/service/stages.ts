import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Config } from "../config.ts";
import type { Client } from "../http/client.ts";
import { UPLOAD_MS } from "../http/connection.ts";
import { COLLECTOR_LIMITS, CONTROL_LIMITS, descriptorLimit, fitting } from "../http/limits.ts";
import { type HandedSocket, listen } from "../http/listen.ts";
import { Stage } from "../http/stage.ts";

interface StagesParts {
  config: Pick<Config, "port" | "host" | "webuiPort" | "bind">;
  clock: Clock;
  log: Log;
  client: Client;
  /** File descriptors of the sockets `collector` and `control`, where others opened them. */
  sockets?: ReadonlyMap<string, number>;
}

/** The two listeners; each listens from the first app on that is shown at it. */
export type Stages = Readonly<Record<"collector" | "control", Stage>>;

export function openStages({ config, clock, log, client, sockets }: StagesParts): Stages {
  const handed = (name: string): HandedSocket | undefined => {
    const fd = sockets?.get(name);
    return fd === undefined ? undefined : { fd };
  };
  return {
    collector: new Stage((app) =>
      listen(app, handed("collector") ?? config.port, config.host, {
        clock,
        client,
        log,
        limits: fitting(COLLECTOR_LIMITS, descriptorLimit()),
      }),
    ),
    control: new Stage((app) =>
      listen(app, handed("control") ?? config.webuiPort, config.bind, {
        clock,
        client,
        log,
        limits: fitting(CONTROL_LIMITS, descriptorLimit()),
        // A home network is one /64.
        keyOf: (address) => address,
        longestRequest: UPLOAD_MS,
      }),
    ),
  };
}
