import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { type Documents, ONLY } from "../../base/documents.ts";
import type { Log } from "../../base/log.ts";
import { fraction, type Random } from "../../base/random.ts";
import { closeWith } from "../../base/tasks/closing.ts";
import { identifierOf, isFor } from "./acme/certificate.ts";
import type { ChallengeDoor } from "./internet.ts";
import { Keys } from "./keys.ts";
import { PublicAddress } from "./public-address.ts";
import { portAdvice } from "./router/advice.ts";
import { type Gateway, gatewayOf } from "./router/gateway.ts";
import type { PublicSettings } from "./settings.ts";
import type { Messenger } from "./tasks.ts";

interface PublicParts {
  config: { readonly dataDir: string; readonly publicAddress: PublicSettings | undefined };
  clock: Clock;
  log: Log;
  random: Random;
  documents: Documents<PublicSettings>;
  ends: AsyncDisposableStack;
  door: ChallengeDoor;
  /** The collector's port for TLS; undefined where it has none. */
  tlsPort: number | undefined;
  isTunnelled: () => boolean;
  isServer?: boolean;
  /** The messenger; router, provider and CA themselves unless given. */
  messenger?: ((settings: PublicSettings) => Messenger) | undefined;
}

export async function startPublicAddress({
  config,
  clock,
  log,
  random,
  documents,
  ends,
  door,
  tlsPort = 0,
  isTunnelled,
  isServer,
  messenger,
}: PublicParts): Promise<PublicAddress> {
  const keys = new Keys({ folder: join(config.dataDir, "tls"), log });
  let gateway: Gateway | undefined;
  const address = await PublicAddress.open({
    clock,
    log,
    keys,
    random: () => fraction(random),
    store: {
      load: async () => (await documents.list())[0]?.body ?? null,
      save: (body) => documents.change({ put: [{ id: ONLY, body }] }),
    },
    declared: config.publicAddress,
    async messenger(settings) {
      if (messenger !== undefined) return messenger(settings);
      // The messenger takes long to load, and is needed only with a public address.
      const { messengerFor } = await import("./internet.ts");
      return messengerFor(settings, {
        clock,
        keys,
        door,
        randomBytes: random.bytes,
        async gateway() {
          gateway = await gatewayOf();
          return gateway;
        },
        port: () => tlsPort,
      });
    },
    portAdvice: (answer) =>
      answer === "open"
        ? undefined
        : portAdvice(answer, { internal: tlsPort, external: 443 }, gateway),
    isFor: (issued, name) => isFor(issued, identifierOf(name)),
    isTunnelled,
    isServer,
    port: tlsPort,
  });
  return closeWith(ends, address);
}
