/** Writes the notice of code that comes without one, of the names in the table and the texts beside this file. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { COPYRIGHTS } from "./copyrights.ts";
import { chosenOf, parsedExpression } from "./expression.ts";
import { LicenseUnknown } from "./part.ts";

const TEXTS = join(import.meta.dirname, "texts");

/** Licenses that ask for their text, but for no name. */
const NAMELESS = ["Apache-2.0", "Unlicense", "blessing"];

/**
 * The notice of a part by its name and its license: of alternatives, one that asks for no name.
 * @throws {LicenseUnknown} for a license whose text is not here, or that asks for a name which is not in the table
 */
export function writtenNotice(name: string, license: string): string[] {
  const chosen = chosenOf(parsedExpression(license), NAMELESS);
  const owner = COPYRIGHTS[name];
  const nameless = chosen.every((id) => NAMELESS.includes(id));
  if (owner === undefined && !nameless)
    throw new LicenseUnknown(
      `${name} is under ${license}, which wants its copyright line passed on. Add the line to scripts/licenses/copyrights.ts.`,
    );
  return [...(owner === undefined ? [] : [owner]), ...chosen.map((id) => licenseText(name, id))];
}

/** The text of a license. @throws {LicenseUnknown} when it is not here */
export function licenseText(name: string, id: string): string {
  const file = join(TEXTS, `${id}.txt`);
  if (!existsSync(file))
    throw new LicenseUnknown(
      `${name} is under ${id}. Read it, then put its text into scripts/licenses/texts/${id}.txt.`,
    );
  return readFileSync(file, "utf8").trim();
}
