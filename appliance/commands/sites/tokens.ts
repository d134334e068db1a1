import { meansAdmin, siteIdOf, siteTokenKey } from "../../base/names.ts";
import type { Config } from "../../config.ts";
import {
  type Desk,
  type Directory,
  openToChange,
  openToLook,
  retiredIn,
  siteIn,
} from "../../store/desk.ts";
import { makeReadToken } from "../../system/secrets.ts";
import { type Command, CommandFailed, notUnderstood, parseCommandLine } from "../command.ts";
import { configFrom, DATA_OPTIONS, DATA_OPTIONS_HELP, unknownSite } from "../data.ts";
import { checkData } from "../others-data.ts";

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
    await checkData(["tokens", ...positionals], config, terminal);
    const desk = whose === undefined ? await openToLook(config) : await openToChange(config);
    try {
      const directory = await desk?.directory();
      if (desk === undefined || directory === undefined || whose === undefined)
        for (const line of list(directory, config)) terminal.out(line);
      else
        terminal.out(await change({ desk, directory, config }, siteIdOf(whose), action === "make"));
    } finally {
      await desk?.close();
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

interface TokenParts {
  desk: Desk;
  directory: Directory;
  config: Config;
}

/**
 * Makes a token, or revokes it.
 * @returns what to tell of it
 * @throws {CommandFailed}
 */
async function change(
  { desk, directory, config }: TokenParts,
  id: string,
  makes: boolean,
): Promise<string> {
  const isAdmin = meansAdmin(id);
  if (!isAdmin && siteIn(directory, id) === undefined)
    throw new CommandFailed(notThere(directory, id));
  const key = isAdmin ? "STATS_TOKEN" : siteTokenKey(id);
  const declared = isAdmin ? config.adminToken !== null : config.siteTokens.has(key);
  if (declared)
    throw new CommandFailed(
      `${key} in the configuration declares this token. Change it there and restart the service.`,
    );
  const made = makes ? makeReadToken() : undefined;
  const hash = made?.hash ?? null;
  if (isAdmin) await desk.write("setAdminToken", { hash, kept: null });
  else if ((await desk.write("setSiteToken", { id, hash })) !== "done")
    throw new CommandFailed(notThere(await desk.directory(), id));
  return made?.token ?? `Revoked the token of ${id}.`;
}

function notThere(directory: Directory, id: string): string {
  return retiredIn(directory, id)
    ? `${id} is retired: no token opens it. Bring it back first: \`tallydeck sites add ${id}\``
    : unknownSite(directory, id);
}
