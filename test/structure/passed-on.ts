import { type Declared, declarationsOf, type Import, importsOf } from "./source.ts";
import { mayHold, PACKAGES, packageOf } from "./walls.ts";

/** By name, the package that it is of, or is made of. */
type OfPackages = ReadonlyMap<string, string>;

interface Source {
  readonly imports: readonly Import[];
  readonly declared: readonly Declared[];
}

/**
 * Packages that come through a door to files that may not hold them: a name or a type of theirs, or
 * what is made of one.
 * @param files path from the root → text
 * @returns a sentence for each
 */
export function passedOn(files: ReadonlyMap<string, string>): string[] {
  const sources = new Map<string, Source>();
  for (const [file, text] of files)
    if (!file.startsWith("test/"))
      sources.set(file, { imports: importsOf(file, text), declared: declarationsOf(text) });
  const given = new Map<string, OfPackages>();
  // Each round brings what the last one found to one file more.
  for (let before = -1, now = 0; before !== now; ) {
    before = now;
    now = 0;
    for (const [file, source] of sources) {
      const names = givenBy(file, source, given);
      given.set(file, names);
      now += names.size;
    }
  }
  return [...sources].flatMap(([file, { imports }]) =>
    imports.flatMap((each) =>
      ofPackages(each, given)
        .filter(({ of }) => each.file !== undefined && !mayHold(file, of))
        .map(({ name, of }) => `${file} takes ${of} as ${name} of ${each.file}`),
    ),
  );
}

/** The names that a file exports which are a package's. */
function givenBy(
  file: string,
  { imports, declared }: Source,
  given: ReadonlyMap<string, OfPackages>,
): OfPackages {
  const names = new Map<string, string>();
  const exported = new Map<string, string>();
  for (const each of imports)
    for (const { as, of } of ofPackages(each, given)) {
      if (!mayHold(file, of)) continue;
      if (each.isPassedOn) exported.set(as, of);
      else if (as !== "*") names.set(as, of);
    }
  for (let before = -1; before !== names.size; ) {
    before = names.size;
    for (const { name, shown } of declared) {
      const [of] = [...names].find(([known]) => new RegExp(`\\b${known}\\b`).test(shown)) ?? [];
      if (of !== undefined) names.set(name, names.get(of) ?? of);
    }
  }
  for (const { name, isExported } of declared) {
    const of = isExported ? names.get(name) : undefined;
    if (of !== undefined) exported.set(name, of);
  }
  return exported;
}

/** The names of packages in an import. */
function ofPackages({ specifier, file, taken }: Import, given: ReadonlyMap<string, OfPackages>) {
  const own = packageOf(specifier);
  if (file === undefined)
    return PACKAGES[own] === undefined ? [] : taken.map((each) => ({ ...each, of: own }));
  const names = given.get(file) ?? new Map<string, string>();
  return taken.flatMap((each) =>
    each.name === "*"
      ? [...names].map(([name, of]) => ({ name, as: each.as === "*" ? name : each.as, of }))
      : [names.get(each.name) ?? names.get("*") ?? []].flat().map((of) => ({ ...each, of })),
  );
}
