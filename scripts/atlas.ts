/** Makes the atlas of the maps, of world-atlas: each country by the two letters it is counted by. */
import { readFile } from "node:fs/promises";

/** The part of a TopoJSON that is changed here. */
interface Atlas {
  objects: { countries: { geometries: { id?: string; properties: { name: string } }[] } };
}

/** The one with letters and no number of ISO 3166-1; visitors' countries are told by them as well. */
const KOSOVO = "XK";

const NAMES = new Intl.DisplayNames("en", { type: "region" });

/**
 * The atlas with ISO 3166-1 letters (`BR`) where world-atlas has numbers (`076`): Node's ICU knows
 * them all, Safari's none. What no letters stand for has no id, and is land only.
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
