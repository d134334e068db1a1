import { dirname } from "node:path/posix";
import { importsOf } from "./source.ts";

/**
 * Files that put everything together, for which every test of the service would be reached: a change is not followed
 * through them. Tests that go through the service's door are found beside the changed room instead.
 */
const HUBS: readonly string[] = [
  "appliance/main.ts",
  "appliance/app/service/",
  "appliance/app/commands/command-line.ts",
  "scripts/abuses/",
  "test/helpers/",
];

/** The same within the store, but for its door: a change behind that is followed past it into the store's tests only. */
const STORE_HUB =
  /^appliance\/store\/(desk|engines|(sqlite|postgres)\/(engine|documents|reader))\.ts$/;
const STORE_DOOR = "appliance/store/store.ts";
const STORE_TESTS = "test/store/";

/** A folder → the one with its tests. */
const MIRRORS: Readonly<Record<string, string>> = {
  appliance: "test",
  "firmware-config": "test/image",
  image: "test/image",
  scripts: "test/scripts",
  web: "test/web",
};

/** Pages whose browser tests have another name than their folder. */
const NAMED_OTHERWISE: Readonly<Record<string, string>> = {
  "dashboard-overview": "overview",
};

/** Changes of them reach every test. */
const EVERYTHING: readonly string[] = [".mocharc.json", "package.json", "package-lock.json"];

/** The tests that have to run always: of the sources as a whole. */
const ALWAYS: readonly string[] = ["test/structure.test.ts"];

/**
 * Finds the tests that a change can reach: those that import what changed, those beside its room, and those in a browser
 * of its page.
 * @param changed paths from the root, with those that are gone
 * @param files path from the root → text, of all sources
 */
export function testsReachedBy(
  changed: readonly string[],
  files: ReadonlyMap<string, string>,
): string[] {
  const tests = [...files.keys()].filter((file) => file.endsWith(".test.ts"));
  if (changed.some((file) => EVERYTHING.includes(file))) return tests.sort();
  const users = usersIn(files);
  const reached = new Set(ALWAYS);
  for (const file of changed.flatMap((path) => readersOf(path, files))) {
    const using = usersOf(file, users);
    const found = [
      ...tests.filter((test) => using.has(test)),
      ...beside(file, tests, files),
      ...partsOf(file, users).flatMap((part) => inBrowser(part, tests)),
    ];
    for (const test of found) reached.add(test);
  }
  return [...reached].filter((test) => files.has(test)).sort();
}

/** @returns the sources that read from a folder of `test/fixtures`, for what is in it; any other file itself */
function readersOf(changed: string, files: ReadonlyMap<string, string>): string[] {
  const [, folder] = /^test\/(fixtures\/\w[\w-]*)\//.exec(changed) ?? [];
  if (folder === undefined) return [changed];
  return [...files].filter(([, text]) => text.includes(folder)).map(([file]) => file);
}

/** File → the files that use what it does, not only its types. */
function usersIn(files: ReadonlyMap<string, string>): Map<string, string[]> {
  const users = new Map<string, string[]>();
  for (const [from, text] of files)
    for (const { file, isTypeOnly } of importsOf(from, text)) {
      if (file === undefined || isTypeOnly) continue;
      users.set(file, [...(users.get(file) ?? []), from]);
    }
  return users;
}

const isHub = (file: string) => HUBS.some((hub) => file.startsWith(hub));

/** @returns the file, and all that use it by whatever way */
function usersOf(changed: string, users: ReadonlyMap<string, string[]>): Set<string> {
  const found = new Set([changed]);
  for (const file of found) {
    const beyond = file === STORE_DOOR && file !== changed ? STORE_TESTS : "";
    for (const user of users.get(file) ?? []) {
      if (isHub(user) && !isHub(changed)) continue;
      if (user.startsWith(beyond) && !STORE_HUB.test(user)) found.add(user);
    }
  }
  return found;
}

/**
 * @returns the tests beside a file: in the folder that mirrors its own, or the next one above that has some. Of scripts
 * and the image, which are many programs in a folder, those of its name and those that name it, where there are any.
 */
function beside(
  file: string,
  tests: readonly string[],
  files: ReadonlyMap<string, string>,
): string[] {
  if (file.endsWith(".md")) return tests.filter((test) => test.startsWith("test/docs/"));
  const [top = ""] = file.split("/");
  const mirror = MIRRORS[top];
  const own = `${mirror}${file.slice(top.length).replace(/\.\w+$/, "")}.test.ts`;
  const named = tests.filter(
    (test) => test === own || (top !== "appliance" && files.get(test)?.includes(`"${file}"`)),
  );
  if (mirror === undefined || (named.length > 0 && top !== "appliance")) return named;
  for (let folder = dirname(own); folder.startsWith("test/"); folder = dirname(folder)) {
    const found = tests.filter((test) => dirname(test) === folder);
    if (found.length > 0) return found;
  }
  return named;
}

const SHARED = "web/shared/";

/** @returns the files of pages whose look a changed file is part of: itself, or those that use what pages share */
function partsOf(changed: string, users: ReadonlyMap<string, string[]>): string[] {
  if (!changed.startsWith(SHARED)) return changed.startsWith("web/") ? [changed] : [];
  const shared = new Set([changed]);
  for (const file of shared)
    for (const user of users.get(file) ?? []) if (user.startsWith(SHARED)) shared.add(user);
  const parts = [...shared].flatMap((file) => users.get(file) ?? []);
  return parts.filter((file) => file.startsWith("web/") && !shared.has(file));
}

/** @param file of a page @returns its tests in a browser: of its part of the page, where that has its own */
function inBrowser(file: string, tests: readonly string[]): string[] {
  const [, page = "", part = ""] = file.replace(/\.\w+$/, "").split("/");
  const begin = (name: string) =>
    tests.filter((test) => test.startsWith(`test/browser/${NAMED_OTHERWISE[name] ?? name}`));
  const own = begin(`${page}-${part}`);
  return own.length > 0 ? own : begin(page);
}
