/** Makes files for browsers: bundles with esbuild, and compressed twins. */
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { BuildOptions } from "esbuild";

const ROOT = join(import.meta.dirname, "..");

/** Bytes that were made, and of which packages: folders relative to the project, like node_modules/preact. */
export interface Made {
  body: Uint8Array;
  modules: readonly string[];
}

/** A source with all it imports in one file; `source` from the project's folder, or absolute. */
export async function bundled(source: string, options: BuildOptions): Promise<Made> {
  const { outputFiles = [], metafile } = await bundle(source, options);
  const [file] = outputFiles;
  if (file === undefined) throw new Error(`esbuild made nothing of ${source}.`);
  const isScript = options.minify === true && options.platform !== "node" && !/css$/.test(source);
  const modules = Object.keys(metafile?.inputs ?? {}).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  );
  const body = isScript ? await smaller(file.text, options) : file.contents;
  return { body, modules: [...new Set(modules)] };
}

/** Terser names things so that they repeat, which saves some percent of what esbuild makes. */
async function smaller(script: string, { format, target }: BuildOptions): Promise<Uint8Array> {
  // Loaded here because it is slow to, and isBuilt() is to be quick.
  const { minify } = await import("terser");
  const ecma = target === "es2018" ? 2018 : 2020;
  const { code = "" } = await minify(script, {
    ecma,
    module: format === "esm",
    compress: { ecma, passes: 4 },
    format: { ecma, comments: false },
  });
  return Buffer.from(code);
}

/** The files from which a bundle of a source has any code, relative to the project. */
export async function filesIn(source: string, options: BuildOptions): Promise<readonly string[]> {
  const { metafile } = await bundle(source, options);
  const [output] = Object.values(metafile?.outputs ?? {});
  return Object.entries(output?.inputs ?? {}).flatMap(([path, { bytesInOutput }]) =>
    bytesInOutput > 0 ? [path] : [],
  );
}

async function bundle(source: string, options: BuildOptions) {
  // Loaded here because it is slow to, and isBuilt() is to be quick.
  const { build } = await import("esbuild");
  return build({
    absWorkingDir: ROOT,
    entryPoints: [source],
    bundle: true,
    metafile: true,
    write: false,
    logLevel: "silent",
    ...options,
  });
}

/** A file and its compressed twins, by their names. */
export async function withTwins(
  name: string,
  body: Uint8Array,
): Promise<Record<string, Uint8Array>> {
  const [br, gz] = await Promise.all([brotli(body), gzipped(body)]);
  return { [name]: body, [`${name}.br`]: br, [`${name}.gz`]: gz };
}

/** Dated by the start of the build, so that a source saved while it ran is seen as newer. */
export function writeAsset(path: string, content: Uint8Array, date: Date): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  utimesSync(path, date, date);
}

function brotli(body: Uint8Array): Promise<Buffer> {
  return promisify(brotliCompress)(body, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  });
}

function gzipped(body: Uint8Array): Promise<Buffer> {
  return promisify(gzip)(body, { level: constants.Z_BEST_COMPRESSION });
}
