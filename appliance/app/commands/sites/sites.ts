import { BOUNDS } from "../../../base/bounds.ts";
import { entryOf } from "../../../base/input/json.ts";
import {
  isHost,
  isSiteId,
  siteIdOf,
  siteIdProblem,
  siteTokenKey,
  tokenTwin,
  twinProblem,
} from "../../../base/names.ts";
import { listenerUrl, siteTag, urlOf } from "../../../base/ports.ts";
import { thisNetwork } from "../../../box/box-notices.ts";
import type { Config } from "../../../config/config.ts";
import {
  type Desk,
  type Directory,
  type Erased,
  openToChange,
  openToLook,
  retiredIn,
  type SiteInput,
  type SiteOutcome,
  type SiteRecord,
  siteIn,
} from "../../../store/desk.ts";
import { tagFinder } from "../../../traffic/places/tags.ts";
import {
  CommandFailed,
  command,
  notUnderstood,
  type OptionsGiven,
  outJson,
  switches,
  type Terminal,
  UsageError,
  valued,
} from "../command.ts";
import { configFrom, DATA_OPTIONS, DATA_OPTIONS_HELP, noSite, unknownSite } from "../data.ts";
import { checkData } from "../others-data.ts";
import { runtimeInfoOf } from "../runtime-info.ts";

const OPTIONS = {
  ...DATA_OPTIONS,
  ...valued("host", "confirm"),
  ...switches("badge", "no-host", "no-badge", "json"),
};

type Values = OptionsGiven<typeof OPTIONS>;

export const sites = command({
  help: `tallydeck sites: the sites that are counted. A running service follows within a second.

  tallydeck sites                                   lists them
  tallydeck sites add ID [--host H] [--badge]       adds one
  tallydeck sites change ID [--host H | --no-host] [--badge | --no-badge]
  tallydeck sites rename ID NEW                     gives one another id; pages need it in their tag
  tallydeck sites erase ID --confirm ID             erases one with everything it counted

  --host H         the collector's own domain for the site: requests to it need no site id
  --badge          gives the site a public badge
  --json           lists them as JSON
${DATA_OPTIONS_HELP}

A site that SITES named and names no more is retired: it counts nothing and keeps its numbers.
Adding it brings it back.`,
  options: OPTIONS,
  async run({ values, positionals }, terminal) {
    const [action = "list", ...ids] = positionals;
    const known = entryOf(ACTIONS, action);
    if (known === undefined || ids.length !== known.ids)
      throw notUnderstood("sites", positionals, Object.keys(ACTIONS));
    if (values.json && action !== "list") throw new UsageError("--json is for the list of sites.");
    // Its --host is the site's, not the one that `tallydeck run` binds to.
    const { host: _, ...dataFlags } = values;
    const config = configFrom(dataFlags, terminal);
    await checkData(["sites", ...positionals], config, terminal);
    const desk =
      action === "list"
        ? await openToLook(config)
        : await openToChange(config, { makesRoom: action === "erase" });
    if (desk === undefined) {
      if (values.json) outJson(terminal, []);
      else terminal.out(await noSite(config, terminal));
      return;
    }
    try {
      const [id = "", to = ""] = ids.map(siteIdOf);
      const directory = await desk.directory();
      await known.act({ desk, directory, id, to, values, terminal, config });
    } finally {
      await desk.close();
    }
  },
});

interface SitesAction {
  desk: Desk;
  /** The directory before the change. */
  directory: Directory;
  id: string;
  /** The id to have instead. */
  to: string;
  values: Values;
  terminal: Terminal;
  config: Config;
}

/** The actions by the first word, each with its number of ids. */
const ACTIONS: Readonly<
  Record<string, { ids: number; act: (action: SitesAction) => void | Promise<void> }>
> = {
  list: { ids: 0, act: list },
  add: { ids: 1, act: add },
  change: { ids: 1, act: change },
  rename: { ids: 2, act: rename },
  erase: { ids: 1, act: erase },
};

async function list({ directory, values, terminal, config }: SitesAction): Promise<void> {
  const { sites, retired } = directory;
  if (values.json)
    return outJson(terminal, [
      ...sites.map(({ id, host, badge, declared, tokenHash }) => ({
        id,
        host,
        badge,
        declared,
        token: tokenHash !== null,
        retired: false,
      })),
      ...retired.map(({ id }) => ({ id, retired: true })),
    ]);
  if (sites.length === 0) terminal.out(await noSite(config, terminal));
  for (const site of sites) terminal.out(describe(site));
  for (const { id } of retired)
    terminal.out(`${id}  (retired; erase: tallydeck sites erase ${id} --confirm ${id})`);
}

async function add({ desk, directory, id, values, terminal, config }: SitesAction): Promise<void> {
  refuseName(directory, id, config);
  const input = { id, ...changeOf(values) };
  const isBack = retiredIn(directory, id) !== undefined;
  await expectDone(desk, await desk.write("createSite", input), input);
  const done = isBack ? `Brought back ${id} with its numbers.` : `Added ${id}.`;
  const site = siteIn(await desk.directory(), id);
  const host = site?.host ?? null;
  const place = site === undefined ? null : (await tagFinder(desk)).of(site);
  const url = collectorUrl(config);
  const ours =
    url === undefined
      ? `, with the address by which visitors reach your collectors in place of ${ELSEWHERE}`
      : ", with an address of this machine that visitors reach";
  const whose = place === null ? ours : `, which ${place.name} counts`;
  terminal.out(`${done} Put this on its pages${host === null ? whose : ""}:

  ${siteTag({ id, host, place }, url ?? ELSEWHERE)}
`);
}

/** An address of nobody's. */
const ELSEWHERE = "https://stats.example.org";

/** The URL of the collector in the own network; undefined where those that count are elsewhere, and none runs here. */
function collectorUrl({
  dataDir,
  databaseUrl,
  host = "::",
  port,
  nameFile,
}: Config): string | undefined {
  const here = runtimeInfoOf(dataDir)?.collector;
  if (here === undefined && databaseUrl !== undefined) return undefined;
  const bound = here ?? { address: host, port };
  const network = thisNetwork(nameFile);
  const name = network.name();
  const hosts = [...(name === undefined ? network.addresses() : [name]), "localhost"];
  return listenerUrl(bound, hosts) ?? urlOf("localhost", bound.port);
}

async function change({ desk, id, values, terminal }: SitesAction): Promise<void> {
  const input = { id, ...changeOf(values) };
  await expectDone(desk, await desk.write("updateSite", input), input);
  terminal.out(describe(siteIn(await desk.directory(), id) as SiteRecord));
}

async function rename({ desk, directory, id, to, terminal, config }: SitesAction): Promise<void> {
  refuseName(directory, to, config, id);
  const outcome = await desk.write("renameSite", { id, to });
  await expectDone(desk, outcome, { id: outcome === "exists" ? to : id });
  terminal.out(
    `${id} is ${to} now, with its numbers. Write ${to} where ${id} stands: in the tag on its pages, in BADGE_SITES and ${siteTokenKey(id)}, on the keys of a deck.`,
  );
}

const ERASED: Readonly<Record<Erased, string>> = {
  gone: "",
  traces: "\nTraces of it stay on the disk until the service has been stopped once.",
  later: " Those who count there erase what it counted within minutes.",
};

async function erase({ desk, directory, id, values, terminal }: SitesAction): Promise<void> {
  const site = siteIn(directory, id) ?? retiredIn(directory, id);
  if (siteIdOf(values.confirm ?? "") !== id && site?.declared === false)
    throw new UsageError(
      `This erases all that ${id} counted, and its surveys and token. If you mean it, add --confirm ${id}`,
    );
  await expectDone(desk, await desk.write("eraseSite", { id }), { id });
  terminal.out(`Erased ${id}.${ERASED[await desk.eraseCounts()]}`);
}

/**
 * Refuses an id that a site must not have, also because of a site that is declared and not created yet.
 * @param but a site whose id becomes free
 * @throws {UsageError | CommandFailed}
 */
function refuseName(
  directory: Directory,
  id: string,
  { sites: declared }: Config,
  but?: string,
): void {
  if (!isSiteId(id)) throw new UsageError(`${id === "" ? "That" : id} ${siteIdProblem(id)}`);
  const ids = [...directory.sites, ...declared].map((site) => site.id);
  const twin = tokenTwin(
    id,
    ids.filter((other) => other !== but),
  );
  if (twin !== undefined) throw new CommandFailed(twinProblem(id, twin));
}

function changeOf(values: Values): Omit<SiteInput, "id"> {
  const { host, badge } = values;
  if ((host !== undefined && values["no-host"]) || (badge && values["no-badge"]))
    throw new UsageError("Give an option or its opposite, not both.");
  if (host !== undefined && !isHost(host)) throw new UsageError(`${host} is no host name.`);
  return {
    ...(host !== undefined && { host: host.toLowerCase() }),
    ...(values["no-host"] && { host: null }),
    ...(badge && { badge: true }),
    ...(values["no-badge"] && { badge: false }),
  };
}

/** @throws {CommandFailed} unless the change was made */
async function expectDone(
  desk: Desk,
  outcome: SiteOutcome,
  { id, host }: SiteInput,
): Promise<void> {
  if (outcome === "done") return;
  const reasons = {
    exists: `There is a site ${id} already.`,
    not_found: unknownSite(await desk.directory(), id),
    declared: `${id} is declared by SITES in the configuration. Change it there and restart the service.`,
    host_taken: `${host} belongs to another site already.`,
    too_many: `There are ${BOUNDS.sites.count} sites already. Erase one first.`,
    same_token_name: `Another site has the token of ${id}.`,
    retired: `${id} is retired. Bring it back first: \`tallydeck sites add ${id}\``,
  };
  throw new CommandFailed(reasons[outcome]);
}

function describe({ id, host, badge, declared, tokenHash }: SiteRecord): string {
  const notes = [
    host === null ? "" : `host ${host}`,
    badge ? "public badge" : "",
    tokenHash === null ? "" : "own token",
    declared ? "from the configuration" : "",
  ].filter((note) => note !== "");
  return notes.length === 0 ? id : `${id}  (${notes.join(", ")})`;
}
