/** Makes the atlas of the maps, of world-atlas: each country by the two letters it is counted by. */
import { readFile } from "node:fs/promises";

/** The part of a TopoJSON that is changed here. */
interface Atlas {
  objects: { countries: { geometries: { id?: string; properties: { name: string } }[] } };
}

/** Kosovo has letters without a number of ISO 3166-1, and visitors' countries use them, too. */
const KOSOVO = "XK";

const NAMES = new Intl.DisplayNames("en", { type: "region" });

/**
 * Replaces the numbers of world-atlas (`076`) by ISO 3166-1 letters (`BR`): Node's ICU knows all numbers, Safari's none.
 * Land without letters has no id.
 * @param file `countries-*.json` of world-atlas
 */
export async function lettered(file: string): Promise<Atlas> {
  const atlas = JSON.parse(await readFile(file, "utf8")) as Atlas;
  for (const country of atlas.objects.countries.geometries) {
    const letters = lettersOf(country);
    if (letters !== undefined) country.id = letters;
  }
  return atlas;
}

function lettersOf({ id, properties }: { id?: string; properties: { name: string } }) {
  if (id !== undefined) return new Intl.Locale(`und-${id}`).region;
  return properties.name === NAMES.of(KOSOVO) ? KOSOVO : undefined;
}
