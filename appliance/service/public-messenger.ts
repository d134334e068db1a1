import { promises } from "node:dns";
import { networkInterfaces } from "node:os";
import type { Clock } from "../base/clock.ts";
import { serverNameOf } from "../public/acme/certificate.ts";
import { Acme } from "../public/acme/client.ts";
import { askWith } from "../public/ask.ts";
import { lookUpWith } from "../public/dns/look-up.ts";
import { providerOf } from "../public/dns/providers.ts";
import type { Keys } from "../public/keys.ts";
import { InternetMessenger } from "../public/messenger.ts";
import type { Gateway } from "../public/router/gateway.ts";
import { HomeRouter } from "../public/router/open-port.ts";
import type { PublicSettings } from "../public/settings.ts";
import type { Messenger } from "../public/tasks.ts";
import { version } from "../system/version.ts";
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
