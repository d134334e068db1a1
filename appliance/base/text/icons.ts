import { invalidField } from "../refusal.ts";
import { didYouMean } from "./nearest.ts";

/** The file of all icons, as the web build makes it and `GET /api/icons` answers it. */
export interface IconFile {
  /** The license of the icons, which has to be part of every copy. */
  license: string;
  /** Names, ascending. */
  icons: string[];
  /** The SVG path of each name, to be stroked 2 wide with round ends, in a square of 24. */
  paths: string[];
}

/** The icons by name, which are read at the first use. */
export class Icons {
  readonly #read: () => string;
  #paths: ReadonlyMap<string, string> | undefined;

  /** @param read gives the text of an `IconFile` */
  constructor(read: () => string) {
    this.#read = read;
  }

  /** The path of an icon; undefined when there is none of this name. */
  path(name: string): string | undefined {
    this.#paths ??= pathsOf(JSON.parse(this.#read()));
    return this.#paths.get(name);
  }

  /**
   * @param field names where the name was found
   * @throws {Refusal} `invalid_field`, with the nearest name, when there is no such icon
   */
  check(name: string, field: string): void {
    if (this.path(name) !== undefined) return;
    const hint = didYouMean(name, this.#paths?.keys() ?? []);
    throw invalidField(
      field,
      `is no icon that is known.${hint} The owner finds them all in the Web UI: choose a key, then Icon.`,
    );
  }
}

function pathsOf({ icons, paths }: IconFile): Map<string, string> {
  return new Map(icons.map((name, i) => [name, paths[i] ?? ""]));
}
