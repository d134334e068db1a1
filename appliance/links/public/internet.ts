import { promises } from "node:dns";
import { networkInterfaces } from "node:os";
import type { SecureContext } from "node:tls";
import type { Clock } from "../../base/clock.ts";
import type { Cancel } from "../../base/signal.ts";
import { version } from "../../base/system/version.ts";
import { serverNameOf } from "./acme/certificate.ts";
import { Acme } from "./acme/client.ts";
import { askWith } from "./ask.ts";
import { lookUpWith } from "./dns/look-up.ts";
import { providerOf } from "./dns/providers.ts";
import type { Keys } from "./keys.ts";
import { InternetMessenger } from "./messenger.ts";
import type { Gateway } from "./router/gateway.ts";
import { HomeRouter } from "./router/open-port.ts";
import type { PublicSettings } from "./settings.ts";
import type { Messenger } from "./tasks.ts";

/** The listeners, at which a certificate authority looks for its challenges. */
export interface ChallengeDoor {
  showAnswer(token: string, answer: string): Cancel;
  showContext(servername: string, context: SecureContext): Cancel;
}

interface MessengerParts {
  clock: Clock;
  keys: Keys;
  door: ChallengeDoor;
  randomBytes: (size: number) => Buffer;
  gateway: () => Promise<Gateway | undefined>;
  /** The collector's port for TLS. */
  port: () => number;
}

/** The requests of this box for its public address. It is loaded only while that is on. */
export function messengerFor(settings: PublicSettings, parts: MessengerParts): Messenger {
  const { clock, keys, door, randomBytes, gateway, port } = parts;
  const { name, directory, ca, agreed, ddns, ddnsUser, ddnsToken } = settings;
  const userAgent = `Tallydeck/${version()}`;
  const ask = askWith({ clock, userAgent });
  return new InternetMessenger({
    name,
    ask,
    router: new HomeRouter({ ask, clock, randomBytes, gateway }),
    provider: providerOf({ ddns, user: ddnsUser, token: ddnsToken }),
    lookUp: lookUpWith({
      clock,
      resolver: () => new promises.Resolver({ timeout: 3_000, tries: 2 }),
    }),
    acme: new Acme({
      directory,
      agreed,
      keys,
      clock,
      ask: ca === "" ? ask : askWith({ clock, ca, userAgent }),
      presenter: {
        tlsAlpn: (identifier, context) => door.showContext(serverNameOf(identifier), context),
        http: (token, answer) => door.showAnswer(token, answer),
      },
    }),
    ownAddresses: () =>
      Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address)),
    port,
  });
}
