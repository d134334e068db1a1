import { dayOf, formatDay } from "../../../base/calendar.ts";
import { didYouMean } from "../../../base/text/nearest.ts";
import { type Config, FLAG_OPTIONS } from "../../../config/config.ts";
import { flagsHelp } from "../../../config/help.ts";
import { type Desk, openToChange, openToLook } from "../../../store/desk.ts";
import { homesChange, homesOf, type KnownHome } from "../../../traffic/places/homes.ts";
import {
  CommandFailed,
  command,
  notUnderstood,
  outJson,
  switches,
  type Terminal,
  UsageError,
  valued,
} from "../command.ts";
import { configFrom, DATA_OPTIONS, DATA_OPTIONS_HELP } from "../data.ts";
import { checkData } from "../others-data.ts";
import { invite, invitedAddress } from "./inviting.ts";

const SERVING: readonly string[] = [
  "public-name",
  "acme-agree",
  "acme-directory",
  "acme-ca",
  "ddns",
  "ddns-user",
  "port",
  "host",
  "tls-port",
  "day-zone",
  "detail-days",
  "metrics-port",
  "metrics-bind",
];

export const place = command({
  help: `tallydeck place: counts here, to be fetched and shown by another Tallydeck, at home.

  tallydeck place                 counts by a name and a certificate of its own, and stays until it is told to stop
  tallydeck place invite [NAME]   makes an invitation: a line to paste at home, under Machine → Places, or to give to
                                  \`tallydeck places add\`
  tallydeck place list            lists the invitations, and when each was used last
  tallydeck place revoke NAME     makes one worthless

The first start prints an invitation, but into no journal. It is shown this once; its token is stored hashed, and
opens what was counted here and home's word on sites, nothing else. NAME says whose it is: home, unless given. Any
Tallydeck can invite: one that runs, a box, or a fleet. A running service follows at once.

  --address URL    where home finds this place: https://NAME (https://PUBLIC_NAME)
  --json           lists them as JSON, without any token
${DATA_OPTIONS_HELP}

To count, it needs a name that leads here, and port 443 (TLS_PORT); no Web UI, deck or router is there. Behind a proxy
that ends TLS it answers http:// alone: with --http, or where TRUSTED_PROXIES is set and TLS_PORT is not.

  --http PORT      the port where a proxy of this machine finds it; one elsewhere is named in TRUSTED_PROXIES
${flagsHelp((flag) => SERVING.includes(flag))}`,
  options: {
    ...Object.fromEntries(SERVING.map((flag) => [flag, FLAG_OPTIONS[flag]])),
    ...DATA_OPTIONS,
    ...switches("json"),
    ...valued("address", "http"),
  },
  async run({ values, positionals }, terminal) {
    const [action, name, ...rest] = positionals;
    const isKnown =
      action === undefined ||
      action === "invite" ||
      (action === "list" && name === undefined) ||
      (action === "revoke" && name !== undefined);
    if (!isKnown || rest.length > 0)
      throw notUnderstood("place", positionals, ["list", "invite", "revoke"]);
    if (values.json && action !== "list") throw new UsageError("--json is for the list.");
    if (action === undefined) {
      const { placeUntilTold } = await import("../serve/placing.ts");
      await placeUntilTold(placeConfig(values, terminal), values.address, terminal);
      return;
    }
    const config = configFrom(values, terminal);
    await checkData(["place", ...positionals], config, terminal);
    const desk = action === "list" ? await openToLook(config) : await openToChange(config);
    try {
      const homes = desk === undefined ? [] : await homesOf(desk);
      if (desk === undefined || action === "list") list(homes, terminal, values.json === true);
      else if (action === "invite") {
        const address = invitedAddress(values.address, config);
        if (address === undefined)
          throw new UsageError(
            "Say where home finds this place: --address https://NAME, or name it in PUBLIC_NAME.",
          );
        await invite(desk, { name: name ?? "home", address }, terminal);
      } else await revoke(desk, homes, name, terminal);
    } finally {
      await desk?.close();
    }
  },
});

/** The port of https:// addresses without one. */
const HTTPS_PORT = 443;

/**
 * The configuration of a place that serves: without what is an owner's.
 * @throws {UsageError | ConfigRefused}
 */
function placeConfig(
  { http, ...flags }: Readonly<Record<string, unknown>>,
  terminal: Terminal,
): Config {
  // The port of the Web UI is not opened here, even where a shared file sets it.
  const given = { ...flags, "webui-port": "0", ...(http !== undefined && { port: http }) };
  const config = configFrom(given, terminal);
  if (config.databaseUrl !== undefined)
    throw new UsageError(
      "`tallydeck place` counts into a file of its own. With DATABASE_URL run `tallydeck collect`, and invite your home: `tallydeck place invite`.",
    );
  const { publicAddress, trustedProxies, tlsPort, host } = config;
  if (http !== undefined && trustedProxies.length === 0)
    return {
      ...config,
      trustedProxies: ["127.0.0.1", "::1"],
      host: host ?? "127.0.0.1",
      tlsPort: undefined,
    };
  if (http !== undefined || (trustedProxies.length > 0 && tlsPort === undefined))
    return { ...config, tlsPort: undefined };
  if (publicAddress === undefined)
    throw new UsageError(
      "A place needs a name: let one in the DNS lead to this machine, and start it with --public-name stats.example.com --acme-agree, or behind a proxy that ends TLS with --http 8480.",
    );
  if (!publicAddress.agreed)
    throw new UsageError(
      "A certificate is asked for once you agree to the terms of who signs it, Let's Encrypt: --acme-agree. The name will stand in public logs.",
    );
  return {
    ...config,
    tlsPort: tlsPort ?? HTTPS_PORT,
    publicAddress: { ...publicAddress, openPort: false },
  };
}

function list(homes: readonly KnownHome[], terminal: Terminal, asJson: boolean): void {
  if (asJson) {
    outJson(
      terminal,
      homes.map(({ body: { name, madeAt, askedAt } }) => ({ name, madeAt, askedAt })),
    );
    return;
  }
  if (homes.length === 0)
    terminal.out("Nobody is invited. Invite your home: `tallydeck place invite`");
  for (const home of homes)
    terminal.out(`${homeText(home)} · invited on ${formatDay(dayOf(home.body.madeAt))}`);
}

/** The name of a home, and when it asked last. */
export function homeText({ body: { name, askedAt } }: KnownHome): string {
  return askedAt === null ? `${name} has not asked yet` : `${name} asked last on ${when(askedAt)}`;
}

function when(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " at ")} UTC`;
}

/** @throws {CommandFailed} where there is none of this name */
async function revoke(
  desk: Desk,
  homes: readonly KnownHome[],
  name: string | undefined,
  terminal: Terminal,
): Promise<void> {
  const found = homes.find(({ body }) => body.name === name);
  if (found === undefined) {
    const names = homes.map(({ body }) => body.name);
    throw new CommandFailed(
      `There is no invitation for ${name ?? "nobody"}.${didYouMean(name ?? "", names)} \`tallydeck place list\` lists them.`,
    );
  }
  await desk.write("changePlaces", [homesChange({ remove: [found.id] })]);
  terminal.out(
    `Took back the invitation of ${found.body.name}: nothing is fetched with it any more.`,
  );
}
