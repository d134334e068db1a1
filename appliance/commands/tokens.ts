import { meansAdmin, siteIdOf, siteTokenKey } from "../base/names.ts";
import { makeReadToken } from "../base/secrets.ts";
import type { Config } from "../config.ts";
import { type Directory, retiredIn } from "../store/sites/directory.ts";
import { type Database, databaseFile } from "../store/sqlite/database.ts";
import { openData, openToLook } from "../store/sqlite/health.ts";
import { makeDataDir } from "../store/sqlite/lock.ts";
import { setAdminToken } from "../store/sqlite/tables/site-changes.ts";
import { findSite, readDirectory, setReadToken } from "../store/sqlite/tables/sites.ts";
import {
  type Command,
  CommandFailed,
  notUnderstood,
  parseCommandLine,
  type Terminal,
} from "./command.ts";
import { configFrom, DATA_OPTIONS, DATA_OPTIONS_HELP, noSuchSite } from "./data.ts";

const help = `tallydeck tokens: who may read the numbers. A running service follows within a second.

  tallydeck tokens                     says which tokens exist; they are stored hashed
  tallydeck tokens make admin          makes the admin token, which reads every site
  tallydeck tokens make SITE           makes the token of one site
  tallydeck tokens revoke admin|SITE   makes it worthless

Links that share a site are made and revoked in the Web UI; a revoked token leaves them as they are.

A token is shown this once. Making it again replaces the one before; with another admin token, or
none, everybody is signed out of the Web UI.

${DATA_OPTIONS_HELP}`;

const ACTIONS = ["list", "make", "revoke"];

export const tokens: Command = {
  help,
  async run(args, terminal) {
    const { values, positionals } = parseCommandLine(args, DATA_OPTIONS);
    const [action = "list", whose, ...rest] = positionals;
    const known = whose === undefined ? action === "list" : ["make", "revoke"].includes(action);
    if (!known || rest.length > 0) throw notUnderstood("tokens", positionals, ACTIONS);

    const config = configFrom(values, terminal);
    const file = databaseFile(config.dataDir);
    if (whose === undefined) {
      const db = openToLook(file);
      for (const line of list(db && readDirectory(db), config)) terminal.out(line);
      db?.close();
      return;
    }
    makeDataDir(config.dataDir);
    const db = openData(file);
    try {
      change(db, siteIdOf(whose), { makes: action === "make", config, terminal });
    } finally {
      db.close();
    }
  },
};

/** A line for each that may have a token. @param directory undefined where there is no data yet */
function list(directory: Directory | undefined, { adminToken, siteTokens }: Config): string[] {
  const line = (name: string, declared: boolean, stored: boolean, isShared = false) =>
    `${name}: ${declared ? "from the configuration" : stored ? "yes" : "no token"}${isShared ? ", shared by a link" : ""}`;
  const sites = directory?.sites ?? [];
  return [
    line("admin", adminToken !== null, (directory?.adminHash ?? null) !== null),
    ...sites.map(({ id, tokenHash, shareHash }) =>
      line(id, siteTokens.has(siteTokenKey(id)), tokenHash !== null, shareHash !== null),
    ),
  ];
}

interface Change {
  /** False where the token is revoked. */
  makes: boolean;
  config: Config;
  terminal: Terminal;
}

/** @throws {CommandFailed} */
function change(db: Database, id: string, { makes, config, terminal }: Change): void {
  const site = meansAdmin(id) ? null : findSite(db, id);
  if (site === undefined)
    throw new CommandFailed(
      retiredIn(readDirectory(db), id)
        ? `${id} is retired: no token opens it. Bring it back first: \`tallydeck sites add ${id}\``
        : noSuchSite(db, id),
    );
  const key = site === null ? "STATS_TOKEN" : siteTokenKey(site.id);
  const declared = site === null ? config.adminToken !== null : config.siteTokens.has(key);
  if (declared)
    throw new CommandFailed(
      `${key} in the configuration declares this token. Change it there and restart the service.`,
    );
  const made = makes ? makeReadToken() : undefined;
  const hash = made?.hash ?? null;
  if (site === null) db.transaction(() => setAdminToken(db, { hash, kept: null })).immediate();
  else setReadToken(db, site.key, hash);
  terminal.out(made?.token ?? `Revoked the token of ${id}.`);
}
