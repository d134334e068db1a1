import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { LicenseList } from "../../base/release/license-list.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import { CommandFailed, command, outJson, switches, UsageError } from "./command.ts";

const LIST = join(import.meta.dirname, "../../../web/dist/docs/licenses.json");

export const licenses = command({
  help: `tallydeck licenses: the license of each part of this program, and on the box of its whole system.

  tallydeck licenses         lists name, version and license
  tallydeck licenses NAME    prints the notice of a part

  --json                     prints the list as JSON

The page docs/licenses of the Web UI shows the same.`,
  options: switches("json"),
  async run({ values, positionals: [name, extra] }, terminal) {
    if (extra !== undefined) throw new UsageError("`tallydeck licenses` takes one name.");
    if (name !== undefined && values.json)
      throw new UsageError("--json is for the list: it takes no name.");
    const list = readList();
    if (name !== undefined) for (const line of noticesOf(list, name)) terminal.out(line);
    else if (values.json)
      outJson(
        terminal,
        list.parts.map(({ name, version, license }) => ({ name, version, license })),
      );
    else for (const line of tableOf(list)) terminal.out(line);
  },
});

/** @throws {CommandFailed} in a checkout whose pages were never built */
function readList(): LicenseList {
  if (!existsSync(LIST))
    throw new CommandFailed(
      "The list is made with the pages. Run scripts/build-web, then ask again.",
    );
  return JSON.parse(readFileSync(LIST, "utf8")) as LicenseList;
}

function tableOf({ parts }: LicenseList): string[] {
  const width = (texts: readonly string[]) => Math.max(...texts.map(({ length }) => length));
  const name = width(parts.map((part) => part.name));
  const version = width(parts.map((part) => part.version));
  return parts.map(
    (part) => `${part.name.padEnd(name)}  ${part.version.padEnd(version)}  ${part.license}`,
  );
}

/** The notices of all parts of that name. @throws {CommandFailed} when there is none */
function noticesOf({ parts, texts }: LicenseList, wanted: string): string[] {
  const found = parts.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (found.length === 0) {
    const names = parts.map(({ name }) => name);
    throw new CommandFailed(
      `Nothing here is called ${wanted}.${didYouMean(wanted, names)} \`tallydeck licenses\` lists all.`,
    );
  }
  return found.flatMap(({ name, version, license, within, file, notices }, at) => [
    ...(at > 0 ? ["", "-".repeat(72), ""] : []),
    `${name} ${version}${within === undefined ? "" : `, in ${within.join(" and ")}`}`,
    `License: ${license}`,
    ...notices.flatMap((place) => ["", texts[place] ?? ""]),
    ...(file === undefined ? [] : ["", readFileSync(file, "utf8").trimEnd()]),
  ]);
}
