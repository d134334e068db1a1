import { HOST, SITE_ID } from "../config.ts";
import type { Connection } from "../store/database.ts";
import { databaseFile, emptyLog, openForWriting } from "../store/database.ts";
import { findSite, readDirectory, type SiteRecord } from "../store/directory.ts";
import {
  createSite,
  eraseSite,
  type SiteInput,
  type SiteOutcome,
  updateSite,
} from "../store/site-changes.ts";
import { eraseSites } from "../store/upkeep.ts";
import {
  type Command,
  CommandFailed,
  configFrom,
  DATA_OPTIONS,
  DATA_OPTIONS_HELP,
  parseCommandLine,
  type Terminal,
  UsageError,
} from "./command.ts";

const help = `tallydeck sites: the sites this box counts. A running service follows within a second.

  tallydeck sites                                   lists them
  tallydeck sites add ID [--host H] [--badge]       adds one
  tallydeck sites change ID [--host H | --no-host] [--badge | --no-badge]
  tallydeck sites erase ID --confirm ID             erases one with everything it counted

  --host H         the collector's own domain for the site: requests to it need no site id
  --badge          gives the site a public badge
${DATA_OPTIONS_HELP}`;

const OPTIONS = {
  ...DATA_OPTIONS,
  host: { type: "string" },
  "no-host": { type: "boolean" },
  badge: { type: "boolean" },
  "no-badge": { type: "boolean" },
  confirm: { type: "string" },
} as const;

type Values = ReturnType<typeof parseCommandLine<typeof OPTIONS>>["values"];

export const sites: Command = {
  name: "sites",
  summary: "list, add, change or erase sites",
  help,
  async run(args, terminal) {
    const { values, positionals } = parseCommandLine(args, OPTIONS);
    const [action = "list", id, ...rest] = positionals;
    const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (act === undefined || rest.length > 0 || (action === "list") !== (id === undefined))
      throw new UsageError(`\`tallydeck sites ${positionals.join(" ")}\` is not understood.`);
    const { dataDir } = configFrom(values, terminal);
    const db = openForWriting(databaseFile(dataDir));
    try {
      act({ db, id: id ?? "", values, terminal });
    } finally {
      db.close();
    }
  },
};

interface Action {
  db: Connection;
  id: string;
  values: Values;
  terminal: Terminal;
}

const ACTIONS: Readonly<Record<string, (action: Action) => void>> = {
  list({ db, terminal }) {
    const { sites } = readDirectory(db);
    if (sites.length === 0) terminal.out("No site yet. Add one: tallydeck sites add my-site");
    for (const site of sites) terminal.out(describe(site));
  },

  add({ db, id, values, terminal }) {
    if (!SITE_ID.test(id))
      throw new UsageError(
        "A site id is up to 32 of a-z 0-9 _ -, beginning with a letter or digit.",
      );
    const input = { id, ...changeOf(values) };
    settle(db.transaction(() => createSite(db, input)).immediate(), input);
    terminal.out(`Added ${id}. Put this on its pages, with the address of this box:

  <script defer src="http://tallydeck.local:8480/s.js" data-site="${id}"></script>
`);
  },

  change({ db, id, values, terminal }) {
    const input = { id, ...changeOf(values) };
    settle(db.transaction(() => updateSite(db, input)).immediate(), input);
    terminal.out(describe(findSite(db, id) as SiteRecord));
  },

  erase({ db, id, values, terminal }) {
    if (values.confirm !== id && findSite(db, id)?.declared === false)
      throw new UsageError(
        `This erases all that ${id} counted, and its surveys and token. If you mean it, add --confirm ${id}`,
      );
    settle(eraseSite(db, { id }), { id });
    while (db.transaction(() => eraseSites(db)).immediate());
    // What was erased must not stay readable in the write-ahead log either.
    const gone = emptyLog(db);
    terminal.out(`Erased ${id}.`);
    if (!gone)
      terminal.out("Traces of it stay on the disk until the service has been stopped once.");
  },
};

function changeOf(values: Values): Omit<SiteInput, "id"> {
  const { host, badge } = values;
  if ((host !== undefined && values["no-host"]) || (badge && values["no-badge"]))
    throw new UsageError("Give an option or its opposite, not both.");
  if (host !== undefined && !HOST.test(host)) throw new UsageError(`${host} is no host name.`);
  return {
    ...(host !== undefined && { host: host.toLowerCase() }),
    ...(values["no-host"] && { host: null }),
    ...(badge && { badge: true }),
    ...(values["no-badge"] && { badge: false }),
  };
}

/** @throws CommandFailed unless the change was made */
function settle(outcome: SiteOutcome, { id, host }: SiteInput): void {
  if (outcome === "done") return;
  const reasons = {
    exists: `There is a site ${id} already.`,
    not_found: `There is no site ${id}. \`tallydeck sites\` lists them.`,
    declared: `${id} is declared by SITES in the configuration. Change it there and restart the service.`,
    host_taken: `${host} belongs to another site already.`,
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
