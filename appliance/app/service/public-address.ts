import { join } from "node:path";
import { ONLY } from "../../base/documents.ts";
import { hasTunnel } from "../../box/tunnel.ts";
import { identifierOf, isFor } from "../../links/public/acme/certificate.ts";
import { Keys } from "../../links/public/keys.ts";
import { PUBLIC_ADDRESS, PublicAddress } from "../../links/public/public-address.ts";
import { portAdvice } from "../../links/public/router/advice.ts";
import { type Gateway, gatewayOf } from "../../links/public/router/gateway.ts";
import { type Box, documentsIn } from "../../store/store.ts";
import type { Closing } from "./closing.ts";
import type { ServiceParts, Shared } from "./parts.ts";

interface PublicParts {
  box: Box;
  /** The collector's port for TLS; undefined where it has none. */
  tlsPort: number | undefined;
}

/** Starts the public address, if the owner wants one. */
export async function startPublicAddress(
  { config, clock, log, messenger }: ServiceParts,
  { random, door }: Shared,
  closing: Closing,
  { box, tlsPort = 0 }: PublicParts,
): Promise<PublicAddress> {
  const keys = new Keys({ folder: join(config.dataDir, "tls"), log });
  let gateway: Gateway | undefined;
  const documents = documentsIn(box, PUBLIC_ADDRESS);
  const address = await PublicAddress.open({
    clock,
    log,
    keys,
    random: () => random.int(2 ** 32) / 2 ** 32,
    store: {
      load: async () => (await documents.list())[0]?.body ?? null,
      save: (body) => documents.change({ put: [{ id: ONLY, body }] }),
    },
    declared: config.publicAddress,
    async messenger(settings) {
      if (messenger !== undefined) return messenger(settings);
      // The messenger takes long to load, and is needed only with a public address.
      const { messengerFor } = await import("./public-messenger.ts");
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
    isTunnelled: hasTunnel,
    port: tlsPort,
  });
  closing.add(() => address.close());
  return address;
}
