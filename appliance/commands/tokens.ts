import { meansAdmin, siteIdOf, siteTokenKey } from "../base/names.ts";
import { makeReadToken } from "../base/secrets.ts";
import { databaseFile } from "../store/sqlite/database.ts";
import { openData } from "../store/sqlite/health.ts";
import {
  changeAdminToken,
  findRetired,
  findSite,
  readDirectory,
  setReadToken,
} from "../store/sqlite/tables/sites.ts";
import {
  type Command,
  CommandFailed,
  configFrom,
  DATA_OPTIONS,
  DATA_OPTIONS_HELP,
  parseCommandLine,
  UsageError,
} from "./command.ts";

const help = `tallydeck tokens: who may read the numbers. A running service follows within a second.

  tallydeck tokens                     says which tokens exist; they are stored hashed
  tallydeck tokens make admin          makes the admin token, which reads every site
  tallydeck tokens make SITE           makes the token of one site
  tallydeck tokens revoke admin|SITE   makes it worthless

A token is shown this once. Making it again replaces the one before; with another admin token, or
none, everybody is signed out of the Web UI.

${DATA_OPTIONS_HELP}`;

export const tokens: Command = {
  name: "tokens",
  summary: "make or revoke the tokens that read the numbers",
  help,
  async run(args, terminal) {
    const { values, positionals } = parseCommandLine(args, DATA_OPTIONS);
    const [action = "list", whose, ...rest] = positionals;
    const known = whose === undefined ? action === "list" : ["make", "revoke"].includes(action);
    if (!known || rest.length > 0)
      throw new UsageError(`\`tallydeck tokens ${positionals.join(" ")}\` is not understood.`);

    const config = configFrom(values, terminal);
    const db = openData(databaseFile(config.dataDir));
    try {
      if (whose === undefined) {
        const { sites, adminHash } = readDirectory(db);
        const say = (name: string, declared: boolean, stored: boolean) =>
          terminal.out(
            `${name}: ${declared ? "from the configuration" : stored ? "yes" : "no token"}`,
          );
        say("admin", config.adminToken !== null, adminHash !== null);
        for (const { id, tokenHash } of sites)
          say(id, config.siteTokens.has(siteTokenKey(id)), tokenHash !== null);
        return;
      }
      const id = siteIdOf(whose);
      const site = meansAdmin(id) ? null : findSite(db, id);
      if (site === undefined)
        throw new CommandFailed(
          findRetired(db, id)
            ? `${id} is retired: no token opens it. Bring it back first: tallydeck sites add ${id}`
            : `There is no site ${id}. \`tallydeck sites\` lists them.`,
        );
      const key = site === null ? "STATS_TOKEN" : siteTokenKey(site.id);
      const declared =
        site === null ? config.adminToken !== null : config.siteTokens.has(siteTokenKey(site.id));
      if (declared)
        throw new CommandFailed(
          `${key} in the configuration declares this token. Change it there and restart the service.`,
        );
      const made = action === "make" ? makeReadToken() : undefined;
      const hash = made?.hash ?? null;
      if (site === null) changeAdminToken(db, hash);
      else setReadToken(db, site.key, hash);
      terminal.out(made?.token ?? `Revoked the token of ${id}.`);
    } finally {
      db.close();
    }
  },
};
