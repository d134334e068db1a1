import { meansAdmin, siteIdOf, siteTokenKey } from "../../../base/names.ts";
import { makeReadToken } from "../../../base/system/secrets.ts";
import type { Config } from "../../../config/config.ts";
import {
  type Desk,
  type Directory,
  openToChange,
  openToLook,
  retiredIn,
  sharesOf,
  siteIn,
} from "../../../store/desk.ts";
import {
  CommandFailed,
  command,
  notUnderstood,
  outJson,
  switches,
  UsageError,
} from "../command.ts";
import { configFrom, DATA_OPTIONS, DATA_OPTIONS_HELP, unknownSite } from "../data.ts";
import { checkData } from "../others-data.ts";

export const tokens = command({
  help: `tallydeck tokens: who may read the numbers. A running service follows within a second.

  tallydeck tokens                     says which tokens exist; they are stored hashed
  tallydeck tokens make admin          makes the admin token, which reads every site
  tallydeck tokens make SITE           makes the token of one site
  tallydeck tokens revoke admin|SITE   makes it worthless

Links that share a site are made and revoked in the Web UI; a revoked token leaves them as they are.

A token is shown this once. Making it again revokes the one before, and says so; with another admin
token, or none, everybody is signed out of the Web UI.

  --json           lists them as JSON, without any token
${DATA_OPTIONS_HELP}`,
  options: { ...DATA_OPTIONS, ...switches("json") },
  async run({ values, positionals }, terminal) {
    const [action = "list", whose, ...rest] = positionals;
    const known = whose === undefined ? action === "list" : ["make", "revoke"].includes(action);
    if (!known || rest.length > 0)
      throw notUnderstood("tokens", positionals, ["list", "make", "revoke"]);
    if (values.json && whose !== undefined)
      throw new UsageError("--json is for the list of tokens.");

    const config = configFrom(values, terminal);
    await checkData(["tokens", ...positionals], config, terminal);
    const desk = whose === undefined ? await openToLook(config) : await openToChange(config);
    try {
      const directory = await desk?.directory();
      if (desk === undefined || directory === undefined || whose === undefined) {
        const listed = list(directory, config);
        if (values.json) outJson(terminal, listed);
        else for (const each of listed) terminal.out(lineOf(each));
      } else {
        const id = siteIdOf(whose);
        terminal.out(await change({ desk, directory, config }, id, action === "make"));
        if (action === "make" && hasToken(directory, id))
          terminal.err(
            `Revoked the token that ${id} had before. Give this one to all that used it.`,
          );
      }
    } finally {
      await desk?.close();
    }
  },
});

/** A token that exists, or could be made. */
interface Listed {
  /** `admin`, or the id of a site. */
  readonly of: string;
  readonly from: "configuration" | "here" | null;
  /** Links by which it is shared. */
  readonly shares: number;
}

/** Lists all owners of tokens. @param directory undefined where there is no data yet */
function list(directory: Directory | undefined, { adminToken, siteTokens }: Config): Listed[] {
  const from = (declared: boolean, stored: boolean): Listed["from"] =>
    declared ? "configuration" : stored ? "here" : null;
  const sites = directory?.sites ?? [];
  return [
    {
      of: "admin",
      from: from(adminToken !== undefined, (directory?.adminHash ?? null) !== null),
      shares: 0,
    },
    ...sites.map((site) => ({
      of: site.id,
      from: from(siteTokens.has(siteTokenKey(site.id)), site.tokenHash !== null),
      shares: sharesOf(site).length,
    })),
  ];
}

function hasToken(directory: Directory, whose: string): boolean {
  const hash = meansAdmin(whose) ? directory.adminHash : siteIn(directory, whose)?.tokenHash;
  return (hash ?? null) !== null;
}

function lineOf({ of, from, shares }: Listed): string {
  const token = from === null ? "no token" : from === "here" ? "yes" : "from the configuration";
  return `${of}: ${token}${shares === 0 ? "" : `, shared by ${shares === 1 ? "a link" : `${shares} links`}`}`;
}

interface TokenParts {
  desk: Desk;
  directory: Directory;
  config: Config;
}

/**
 * Creates a token, or revokes it.
 * @returns the text to print
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
  const declared = isAdmin ? config.adminToken !== undefined : config.siteTokens.has(key);
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
