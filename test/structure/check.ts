import { builtinModules } from "node:module";
import { dirname } from "node:path/posix";
import { passedOn } from "./passed-on.ts";
import {
  declaredIn,
  exportsOf,
  type Import,
  importsOf,
  unclearIn,
  unusedClasses,
} from "./source.ts";
import {
  BROWSERS,
  CROWDED,
  OF_NODE,
  PACKAGES,
  packageOf,
  STARTED,
  USED_OTHERWISE,
  WALLS,
  type Wall,
} from "./walls.ts";

interface Edge extends Import {
  readonly from: string;
}

/** @param files path from the root → text @returns a sentence for each breach */
export function breachesIn(files: ReadonlyMap<string, string>): string[] {
  const edges = [...files].flatMap(([from, text]) =>
    importsOf(from, text)
      .filter(({ file }) => file === undefined || files.has(file))
      .map((known): Edge => ({ from, ...known })),
  );
  return [
    ...[...files.keys()].filter((file) => !wallOf(file)).map((file) => `${file} has no wall`),
    ...edges.filter(isAcross).map(({ from, file }) => `${from} knows ${file}`),
    ...edges.filter(isForeign).map(({ from, specifier }) => `${from} knows ${specifier}`),
    ...edges.filter(isImpure).map(({ from, specifier }) => `${from} takes ${specifier}`),
    ...unclear(files),
    ...passedOn(files),
    ...nodeInBrowsers(files, edges),
    ...edges.filter(isStartedImport).map(({ from, file }) => `${from} imports ${file}`),
    ...cycles(files, edges).map((path) => `${path.join(" → ")} is a cycle`),
    ...unusedFiles(files, edges).map((file) => `nobody uses ${file}`),
    ...unusedExports(files, edges),
    ...[...files].flatMap(([file, text]) =>
      unusedClasses(text).map((name) => `nobody uses ${name} of ${file}`),
    ),
    ...sharedNames(files),
    ...crowdedFolders(files),
  ];
}

function wallOf(file: string): Wall | undefined {
  return WALLS.filter(({ of }) => file.startsWith(of)).sort((a, b) => b.of.length - a.of.length)[0];
}

const beginsWith = (file: string, prefixes: readonly string[] = []) =>
  prefixes.some((prefix) => file.startsWith(prefix));

/** The length of the longest that a path begins with; -1 for none. */
function lengthOfFit(file: string, prefixes: readonly string[] = []): number {
  return Math.max(
    -1,
    ...prefixes.filter((prefix) => file.startsWith(prefix)).map(({ length }) => length),
  );
}

function isAcross({ from, file, isTypeOnly, isAddress }: Edge): boolean {
  const wall = wallOf(from);
  if (file === undefined || wall === undefined) return false;
  // The service starts its own program for long work, and a test whatever it likes.
  const maySelf =
    from.startsWith("test/") || (isAddress && from.startsWith("appliance/app/service/"));
  if (file === "appliance/main.ts" && !maySelf) return true;
  const may = [wall.of, ...(wall.may ?? []), ...((isTypeOnly && wall.types) || [])];
  return lengthOfFit(file, may) <= lengthOfFit(file, wall.not);
}

function isForeign({ from, specifier, file }: Edge): boolean {
  if (file !== undefined) return false;
  const knowers = PACKAGES[packageOf(specifier)];
  return knowers !== undefined && !beginsWith(from, knowers);
}

function isStartedImport({ from, file, isTypeOnly, isAddress }: Edge): boolean {
  return (
    file !== undefined &&
    STARTED.includes(file) &&
    !isTypeOnly &&
    !isAddress &&
    !from.startsWith("test/")
  );
}

/** Whether a file of `appliance/base/` uses Node, although browsers share these. Some rooms of it may. */
function isImpure({ from, specifier }: Edge): boolean {
  return from.startsWith("appliance/base/") && !beginsWith(from, OF_NODE) && isOfNode(specifier);
}

/** A test starts what it has just made, or what was. */
function unclear(files: ReadonlyMap<string, string>): string[] {
  return [...files]
    .filter(([file]) => !file.startsWith("test/"))
    .flatMap(([file, text]) =>
      unclearIn(text).map((way) => `${file} hands ${way} what is no text in quotes`),
    );
}

function nodeInBrowsers(files: ReadonlyMap<string, string>, edges: readonly Edge[]): string[] {
  const values = edges.filter(({ isTypeOnly }) => !isTypeOnly);
  const browsers = [...files.keys()].filter((file) => file.startsWith(BROWSERS));
  const reached = reachedFrom(browsers, values);
  return values
    .filter(({ from, specifier }) => reached.has(from) && isOfNode(specifier))
    .map(({ from, specifier }) => `browsers run ${from}, which knows ${specifier}`);
}

function isOfNode(specifier: string): boolean {
  return specifier.startsWith("node:") || builtinModules.includes(specifier);
}

function reachedFrom(entries: readonly string[], edges: readonly Edge[]): Set<string> {
  const byFile = Map.groupBy(edges, ({ from }) => from);
  const reached = new Set(entries);
  // A set is walked to its end, also where it grows on the way.
  for (const from of reached)
    for (const { file } of byFile.get(from) ?? []) if (file !== undefined) reached.add(file);
  return reached;
}

function cycles(files: ReadonlyMap<string, string>, edges: readonly Edge[]): string[][] {
  const byFile = Map.groupBy(edges, ({ from }) => from);
  const found: string[][] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) {
      found.push([...path.slice(path.indexOf(file)), file]);
      return;
    }
    if (done.has(file)) return;
    for (const known of byFile.get(file) ?? [])
      if (known.file !== undefined && !known.isAddress) visit(known.file, [...path, file]);
    done.add(file);
  };
  for (const file of files.keys()) visit(file, []);
  return found;
}

function unusedFiles(files: ReadonlyMap<string, string>, edges: readonly Edge[]): string[] {
  const builds = files.get("scripts/build-web.ts") ?? "";
  const isEntry = (file: string) =>
    STARTED.includes(file) ||
    USED_OTHERWISE.includes(file) ||
    /^(?:image\/(?!test\/)|scripts\/)/.test(file) ||
    file.endsWith(".test.ts") ||
    builds.includes(`"${file}"`);
  const used = reachedFrom([...files.keys()].filter(isEntry), edges);
  return [...files.keys()].filter((file) => !used.has(file));
}

/**
 * Names are unique within the store, where two engines do similar things, and outside of it: equal code exists once, and
 * different code has different names.
 */
const STORE = "appliance/store/";

function sharedNames(files: ReadonlyMap<string, string>): string[] {
  const isInside = (file: string) => file.startsWith(STORE);
  const isOutside = (file: string) => file.startsWith("appliance/") && !isInside(file);
  return [isInside, isOutside].flatMap((isMeant) => shared(files, isMeant));
}

function shared(files: ReadonlyMap<string, string>, isMeant: (file: string) => boolean): string[] {
  const named = [...files]
    .filter(([file]) => isMeant(file))
    .flatMap(([file, text]) => declaredIn(text).map((name) => ({ name, file })));
  return [...Map.groupBy(named, ({ name }) => name)]
    .map(([name, all]) => ({ name, in: [...new Set(all.map(({ file }) => file))] }))
    .filter((each) => each.in.length > 1)
    .map((each) => `${each.in.join(" and ")} export ${each.name}`);
}

function unusedExports(files: ReadonlyMap<string, string>, edges: readonly Edge[]): string[] {
  const byFile = Map.groupBy(edges, ({ file }) => file);
  return [...files].flatMap(([file, text]) => {
    if (USED_OTHERWISE.includes(file)) return [];
    const taken = new Set(
      (byFile.get(file) ?? []).flatMap(({ taken }) => taken.map(({ name }) => name)),
    );
    if (taken.has("*")) return [];
    return exportsOf(text)
      .filter((name) => !taken.has(name))
      .map((name) => `nobody uses ${name} of ${file}`);
  });
}

/** The most files side by side, in the service and in the pages. */
const MOST_SIDE_BY_SIDE = 20;

function crowdedFolders(files: ReadonlyMap<string, string>): string[] {
  const rooms = [...files.keys()]
    .map((file) => dirname(file))
    .filter((folder) => /^(?:appliance|web)\//.test(folder) && !CROWDED.includes(folder));
  return [...Map.groupBy(rooms, (folder) => folder)]
    .filter(([, all]) => all.length > MOST_SIDE_BY_SIDE)
    .map(([folder, all]) => `${folder} has ${all.length} files side by side`);
}
