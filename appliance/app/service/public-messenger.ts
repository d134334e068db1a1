import { promises } from "node:dns";
import { networkInterfaces } from "node:os";
import type { Clock } from "../../base/clock.ts";
import { version } from "../../base/system/version.ts";
import { serverNameOf } from "../../links/public/acme/certificate.ts";
import { Acme } from "../../links/public/acme/client.ts";
import { askWith } from "../../links/public/ask.ts";
import { lookUpWith } from "../../links/public/dns/look-up.ts";
import { providerOf } from "../../links/public/dns/providers.ts";
import type { Keys } from "../../links/public/keys.ts";
import { InternetMessenger } from "../../links/public/messenger.ts";
import type { Gateway } from "../../links/public/router/gateway.ts";
import { HomeRouter } from "../../links/public/router/open-port.ts";
import type { PublicSettings } from "../../links/public/settings.ts";
import type { Messenger } from "../../links/public/tasks.ts";
import type { PublicDoor } from "./public-door.ts";

interface MessengerParts {
  clock: Clock;
  keys: Keys;
  door: Pick<PublicDoor, "showAnswer" | "showContext">;
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
