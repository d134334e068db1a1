import { tokenName } from "../config.ts";
import { databaseFile, openForWriting } from "../store/database.ts";
import { findSite, readDirectory, setReadToken } from "../store/directory.ts";
import { makeReadToken } from "../store/read-tokens.ts";
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

A token is shown this once. Making it again replaces the one before.

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
    const db = openForWriting(databaseFile(config.dataDir));
    try {
      if (whose === undefined) {
        const { sites, adminHash } = readDirectory(db);
        const say = (name: string, declared: boolean, stored: boolean) =>
          terminal.out(
            `${name}: ${declared ? "from the configuration" : stored ? "yes" : "no token"}`,
          );
        say("admin", config.adminToken !== null, adminHash !== null);
        for (const { id, tokenHash } of sites)
          say(id, config.siteTokens.has(tokenName(id)), tokenHash !== null);
        return;
      }
      const site = whose === "admin" ? null : findSite(db, whose);
      if (site === undefined)
        throw new CommandFailed(`There is no site ${whose}. \`tallydeck sites\` lists them.`);
      const key = site === null ? "STATS_TOKEN" : `STATS_TOKEN_${tokenName(site.id)}`;
      const declared =
        site === null ? config.adminToken !== null : config.siteTokens.has(tokenName(site.id));
      if (declared)
        throw new CommandFailed(
          `${key} in the configuration declares this token. Change it there and restart the service.`,
        );
      const made = action === "make" ? makeReadToken() : undefined;
      setReadToken(db, site?.key ?? null, made?.hash ?? null);
      terminal.out(made?.token ?? `Revoked the token of ${whose}.`);
    } finally {
      db.close();
    }
  },
};
