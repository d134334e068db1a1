/**
 * Builds the code for browsers into `web/dist/`: every asset of the table below, with a `.br` and a `.gz` twin, so that
 * the service compresses nothing itself.
 */
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, parse, relative } from "node:path";
import type { BuildOptions, Plugin } from "esbuild";
import { drawnAtlas, placedZones } from "./atlas.ts";
import { bundledMqtt } from "./bundle-mqtt.ts";
import { docsAssets } from "./docs.ts";
import { icons } from "./icons.ts";
import { LIST_FILES, listFiles } from "./licenses/list.ts";
import { bundledModules, ownPart, shippedModules } from "./licenses/npm.ts";
import { bundled, filesIn, type Made, withTwins, writeAsset } from "./web-assets.ts";

/** An asset that was built; sizes in bytes. */
interface Built {
  name: string;
  size: number;
  brotli: number;
  /** Folders of bundled packages, relative to the project, like node_modules/preact. */
  modules: readonly string[];
}

interface Asset {
  make(): Promise<Made>;
  /** The most bytes it may have after brotli. */
  maxBrotli?: number;
}

const ROOT = join(import.meta.dirname, "..");
const OUT_DIR = join(ROOT, "web/dist");

/** The module that all pages share. */
const COMMON = "web/shared/da-common.ts";

const COMMON_ASSET = "da-common.js";

/** A page's module, and its parts that load later: what both need stands in the first one, and they find it there. */
const DASHBOARD = {
  first: { asset: "dashboard.js", source: "web/dashboard/main.tsx" },
  later: ["below", "overview/overview", "sign-in", "surveys/surveys", "zone/map"].map(
    (name) => `web/dashboard/${name}.tsx`,
  ),
};

/** Targets for the owner's pages: browsers of the last three years. */
const OWNER_BROWSERS = ["chrome123", "firefox120", "safari17.5"];

/** Name below `outDir` → how it is made. */
export const ASSETS: Readonly<Record<string, Asset>> = {
  // Syntax that every browser since 2018 runs: Chrome 64, Firefox 60, Safari 12. Asking for newer
  // syntax makes it no smaller. With an offset of days it may have 2,000.
  "s.js": { make: script("web/beacon/beacon.ts", "es2018"), maxBrotli: 1_990 },
  "dashboard.html": { make: copy("web/dashboard/dashboard.html") },
  "dashboard.css": { make: style("web/dashboard/dashboard.css") },
  "below.css": { make: style("web/dashboard/below.css") },
  [DASHBOARD.first.asset]: { make: firstPart },
  ...Object.fromEntries(
    DASHBOARD.later.map((source) => [assetOf(source), { make: laterPart(source) }]),
  ),
  "help.html": { make: copy("web/help/help.html") },
  "help.js": { make: module("web/help/main.tsx") },
  "help.css": { make: style("web/help/help.css") },
  "control.html": { make: copy("web/control/control.html") },
  "control.css": { make: style("web/control/control.css") },
  "rescue.html": { make: copy("web/control/rescue.html") },
  "rescue.js": { make: module("web/control/rescue.tsx") },
  "control.js": { make: module("web/control/main.tsx") },
  [COMMON_ASSET]: { make: module(COMMON) },
  "icons.json": { make: icons, maxBrotli: 100_000 },
  "favicon.svg": { make: copy("web/shared/favicon.svg") },
  // The deck's keys are written in the same family.
  "plex-condensed-400.woff2": { make: font(400), maxBrotli: 20_000 },
  "plex-condensed-600.woff2": { make: font(600), maxBrotli: 20_000 },
  "vendor/frappe-charts.iife.min.js": {
    make: vendorScript("node_modules/frappe-charts/src/js/charts/AxisChart.js", "frappe"),
  },
  "vendor/frappe-charts.min.css": {
    make: style("node_modules/frappe-charts/src/css/charts.scss"),
  },
  "docs.css": { make: style("web/docs/docs.css") },
  ...Object.fromEntries(Object.entries(docsAssets()).map(([name, make]) => [name, { make }])),
};

/** The font of all pages in one weight, with Latin letters and figures. */
function font(weight: 400 | 600): Asset["make"] {
  const module = "node_modules/@fontsource/ibm-plex-sans-condensed";
  const file = `${module}/files/ibm-plex-sans-condensed-latin-${weight}-normal.woff2`;
  return async () => ({ body: await readFile(join(ROOT, file)), modules: [module] });
}

const FIRST_SCREEN = [
  "dashboard.html",
  "dashboard.css",
  "dashboard.js",
  COMMON_ASSET,
  "favicon.svg",
  "vendor/frappe-charts.iife.min.js",
  "vendor/frappe-charts.min.css",
];

/** Assets that are loaded together, and their limit in bytes after brotli; fonts have limits of their own. */
const PAGE_BUDGETS: Readonly<Record<string, { assets: readonly string[]; maxBrotli: number }>> = {
  "The dashboard's first screen": { assets: FIRST_SCREEN, maxBrotli: 50_000 },
  "The whole dashboard": {
    assets: [...FIRST_SCREEN, "below.css", ...DASHBOARD.later.map(assetOf)],
    maxBrotli: 90_000,
  },
};

function assetOf(source: string): string {
  return `${parse(source).name}.js`;
}

/** A script for browsers, bundled with all it imports into one file without exports. */
function script(source: string, target: string): Asset["make"] {
  // tsconfig.json is ignored, since its `strict` would add a "use strict".
  return () => bundled(source, { format: "iife", target, minify: true, tsconfigRaw: {} });
}

/** A library as a script that sets one global. */
function vendorScript(source: string, globalName: string): Asset["make"] {
  return () =>
    bundled(source, { format: "iife", target: OWNER_BROWSERS, minify: true, globalName });
}

/**
 * A module of the pages. Shared code stays in da-common.js, and code that is imported dynamically in the asset named like
 * its source.
 */
function module(source: string): Asset["make"] {
  return () => bundled(source, { ...MODULE, plugins: source === COMMON ? [] : [shared, atlas] });
}

const MODULE = {
  format: "esm",
  target: OWNER_BROWSERS,
  minify: true,
  jsx: "automatic",
  jsxImportSource: "preact",
  charset: "utf8",
} as const satisfies BuildOptions;

async function firstPart(): Promise<Made> {
  const { first } = DASHBOARD;
  const names = [...(await ofBothParts())].map((path) => `export * from "./${path}";`);
  const contents = [`import "./${first.source}";`, ...names].join("\n");
  const stdin = { contents, resolveDir: ROOT, sourcefile: first.asset };
  return bundled(first.source, { ...MODULE, plugins: [shared], entryPoints: [], stdin });
}

function laterPart(source: string): Asset["make"] {
  return async () => {
    const ofBoth = await ofBothParts();
    const inFirst: Plugin = {
      name: "in-first",
      setup({ onResolve }) {
        onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir }) =>
          ofBoth.has(relative(ROOT, join(resolveDir, path)))
            ? { path: `./${DASHBOARD.first.asset}`, external: true }
            : undefined,
        );
      },
    };
    return bundled(source, { ...MODULE, plugins: [shared, inFirst, atlas] });
  };
}

let both: Promise<ReadonlySet<string>> | undefined;

/** The files that the first part has, and a later one needs, too; from the project's folder. */
function ofBothParts(): Promise<ReadonlySet<string>> {
  both ??= (async () => {
    const { first, later } = DASHBOARD;
    const [ofFirst, ...ofLater] = await Promise.all(
      [first.source, ...later].map((source) =>
        filesIn(source, { ...MODULE, plugins: [shared, atlas] }),
      ),
    );
    return new Set(ofLater.flat().filter((path) => ofFirst?.includes(path)));
  })();
  return both;
}

const shared: Plugin = {
  name: "shared",
  setup({ onResolve }) {
    const common = { path: `./${COMMON_ASSET}`, external: true };
    const named = readFileSync(join(ROOT, COMMON), "utf8").matchAll(/ from "\.\/([^"]+)"/g);
    const files = new Set([...named].map(([, file]) => join(ROOT, dirname(COMMON), file ?? "")));
    onResolve({ filter: /^preact(\/|$)/ }, () => common);
    onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir }) =>
      files.has(join(resolveDir, path)) ? common : undefined,
    );
    onResolve({ filter: /^\.\.?\// }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path: `./${parse(path).name}.js`, external: true } : undefined,
    );
  },
};

const atlas: Plugin = {
  name: "atlas",
  setup({ onLoad }) {
    const json = (drawn: unknown) => ({ contents: JSON.stringify(drawn), loader: "json" as const });
    onLoad({ filter: /\/world-atlas\/countries-[^/]+\.json$/ }, async ({ path }) =>
      json(await drawnAtlas(path)),
    );
    onLoad({ filter: /\/moment-timezone\/data\/meta\/latest\.json$/ }, async ({ path }) =>
      json(await placedZones(path)),
    );
  },
};

function style(source: string): Asset["make"] {
  return () =>
    bundled(source, {
      target: OWNER_BROWSERS,
      minify: true,
      loader: { ".scss": "css" },
      external: ["*.woff2"],
    });
}

function copy(source: string): Asset["make"] {
  return async () => ({ body: await readFile(join(ROOT, source)), modules: [] });
}

/**
 * Builds assets into a folder, and the list of licenses of all that is passed on. Nothing is written unless all could be made and keep their size.
 * @param names those to build; all unless given, and then the list of licenses, too
 * @throws {Error} that says which source does not build, or which asset is too large
 */
export async function buildWeb(outDir = OUT_DIR, names?: readonly string[]): Promise<Built[]> {
  mkdirSync(outDir, { recursive: true });
  const started = new Date();
  const made = await Promise.all(
    Object.entries(ASSETS)
      .filter(([name]) => names?.includes(name) ?? true)
      .map(async ([name, { make, maxBrotli }]) => built(name, await make(), maxBrotli)),
  );
  keepBudgets(made.map(({ built }) => built));
  if (names === undefined) made.push(...(await licenses(made)));
  for (const { files } of made)
    for (const [name, content] of Object.entries(files))
      writeAsset(join(outDir, name), content, started);
  return made.map(({ built }) => built);
}

/** The list of licenses of all that is in these assets, and of all that is passed on besides. */
async function licenses(made: readonly { built: Built }[]) {
  const modules = [...made.flatMap(({ built }) => built.modules), ...(await bundledMqtt()).modules];
  const parts = [
    ownPart(),
    ...bundledModules(modules),
    ...shippedModules(join(ROOT, "node_modules")),
  ];
  const lists = Object.entries(listFiles(parts));
  return Promise.all(lists.map(([name, body]) => built(name, { body, modules: [] })));
}

/** An asset with its twins. @throws {Error} for one that became too large */
async function built(name: string, { body, modules }: Made, maxBrotli = Infinity) {
  const files = await withTwins(name, body);
  const brotli = files[`${name}.br`]?.length ?? 0;
  if (brotli > maxBrotli)
    throw new Error(
      `${name} has ${brotli} bytes after brotli and may have ${maxBrotli}. Make its source smaller.`,
    );
  return { files, built: { name, size: body.length, brotli, modules } };
}

/** The sizes of the pages that have a budget, in bytes after brotli. */
function pageSizes(built: readonly Built[]): [page: string, size: number, most: number][] {
  return Object.entries(PAGE_BUDGETS).map(([page, { assets, maxBrotli }]) => {
    const parts = built.filter(({ name }) => assets.includes(name));
    return [page, parts.reduce((sum, { brotli }) => sum + brotli, 0), maxBrotli];
  });
}

/** @throws {Error} that names the page that became too large */
function keepBudgets(built: readonly Built[]): void {
  for (const [page, size, most] of pageSizes(built))
    if (size > most)
      throw new Error(
        `${page} loads ${size} bytes after brotli and may load ${most}. Make its sources smaller, or load a part of it later.`,
      );
}

/** Whether every asset is there and no older than any source. Takes a few milliseconds. */
export function isBuilt(outDir = OUT_DIR): boolean {
  const sources = [
    join(ROOT, "package-lock.json"),
    import.meta.filename,
    join(ROOT, "scripts/atlas.ts"),
    join(ROOT, "scripts/docs.ts"),
    join(ROOT, "scripts/icons.ts"),
    ...treeOf(join(ROOT, "scripts/licenses")),
    ...treeOf(join(ROOT, "docs")),
    ...treeOf(join(ROOT, "scripts/examples")),
    ...treeOf(join(ROOT, "image/pictures")),
    ...treeOf(join(ROOT, "appliance/base")),
    ...treeOf(join(ROOT, "web")),
  ];
  const newest = Math.max(...sources.map(modified));
  return [...Object.keys(ASSETS), ...LIST_FILES]
    .flatMap((name) => [name, `${name}.br`, `${name}.gz`])
    .every((name) => modified(join(outDir, name)) >= newest);
}

/** A directory and everything in it. Removing a file changes its directory. */
function treeOf(dir: string): string[] {
  return [
    dir,
    ...readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
      const path = join(dir, entry.name);
      if (path === OUT_DIR) return [];
      return entry.isDirectory() ? treeOf(path) : [path];
    }),
  ];
}

/** The time of a file's change, in epoch milliseconds; 0 when there is none. */
function modified(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

async function main(args: string[]): Promise<number> {
  const unknown = args.find((arg) => arg !== "--if-changed");
  if (unknown !== undefined) {
    console.error(`${unknown} is not known. Usage: scripts/build-web [--if-changed]`);
    return 2;
  }
  if (args.length > 0 && isBuilt()) return 0;
  try {
    const built = await buildWeb();
    const sizes = pageSizes(built).map(([page, size, most]) => `${page} ${size} of ${most}`);
    console.error(
      `Built ${built.length} files in web/dist. Bytes after brotli: ${sizes.join(", ")}.`,
    );
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  }
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
