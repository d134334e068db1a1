/** Modules of npm with their licenses: those of a tree, and those in the files for browsers. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { licensesIn, parsedExpression } from "./expression.ts";
import { nativeParts } from "./native.ts";
import { nodeLibraries } from "./node-libraries.ts";
import { writtenNotice } from "./notices.ts";
import { LicenseUnknown, type Part } from "./part.ts";

const PROJECT = join(import.meta.dirname, "../..");

const NOTICE = /^(?:licen[cs]e|copying|notice|unlicense)/i;

/** Modules that compilers use alone. */
const NOT_SHIPPED = /^(?:@types\/|node-addon-api$)/;

/** Modules whose notice is in another: platforms' binaries of a module, and icons whose notice we keep. */
const NOTICE_ELSEWHERE: readonly [name: RegExp, file: string][] = [
  [/^@napi-rs\/canvas-/, "node_modules/@napi-rs/canvas/LICENSE"],
  [/^@node-usb\/usb-/, "node_modules/usb/LICENSE.md"],
  [/^@iconify-json\/lucide$/, "web/icons/LICENSE"],
];

/** A file that looks like a module's notice and is of a library in its binary. */
const NOTICE_OF_ANOTHER: Readonly<Record<string, string>> = { "node-hid": "LICENSE-bsd.txt" };

const IN_MODULES = "node_modules/";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: unknown;
}

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly dev?: boolean; readonly integrity?: string }>
  >;
}

/**
 * The modules that are passed on with the service, with what is inside of their binaries: those of the lock file that
 * are in a tree, but for those that only develop it.
 * @param modules a node_modules folder, as npm made it
 * @throws {LicenseUnknown} that names the module
 */
export function shippedModules(modules: string, { packages }: Lock = lock()): Part[] {
  return Object.entries(packages)
    .filter(([place, { dev }]) => place.startsWith(IN_MODULES) && dev !== true)
    .map(([place, { integrity }]) => ({ place: place.slice(IN_MODULES.length), integrity }))
    .filter(({ place }) => !NOT_SHIPPED.test(place) && existsSync(join(modules, place)))
    .flatMap(({ place, integrity }) => {
      const folder = join(modules, place);
      const part = npmPart(folder, integrity);
      return [part, ...nativeParts(part, folder), ...nodeLibraries(part, folder)];
    });
}

/** The modules in the files for browsers and in the MQTT client; their folders are relative to the project. */
export function bundledModules(folders: readonly string[]): Part[] {
  const { packages } = lock();
  return [...new Set(folders)].map((folder) => ({
    ...npmPart(join(PROJECT, folder), packages[folder]?.integrity),
    isBundled: true,
  }));
}

/** Tallydeck itself. */
export function ownPart(): Part {
  return npmPart(PROJECT, undefined);
}

/** The part of a module's folder. @throws {LicenseUnknown} when it does not say on which terms it comes */
function npmPart(folder: string, integrity: string | undefined): Part {
  const { name, version, license } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  ) as Manifest;
  const expression = checked(`${name} ${version}`, license);
  const checksum = checksumOf(integrity);
  return {
    name,
    version,
    kind: "npm",
    license: expression,
    notices: noticesOf(name, folder, expression),
    ...(checksum && { checksum }),
  };
}

/** @throws {LicenseUnknown} for what is no license expression */
function checked(name: string, license: unknown): string {
  if (typeof license !== "string" || license === "")
    throw new LicenseUnknown(`${name} does not say what its license is: it cannot be passed on.`);
  try {
    licensesIn(parsedExpression(license));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new LicenseUnknown(
      `${name} says ${license} of its license. ${error.message} Read its terms, then add it to scripts/licenses/expression.ts.`,
    );
  }
  return license;
}

/** The files of a module that say on which terms it comes, or the section of its README. */
function noticesOf(name: string, folder: string, license: string): string[] {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  const own = files
    .filter((file) => NOTICE.test(file.name) && NOTICE_OF_ANOTHER[name] !== file.name)
    .map((file) => readFileSync(join(folder, file.name), "utf8").trim());
  const elsewhere = NOTICE_ELSEWHERE.find(([pattern]) => pattern.test(name))?.[1];
  if (elsewhere !== undefined) own.push(readFileSync(join(PROJECT, elsewhere), "utf8").trim());
  if (own.length > 0) return own;
  const readme = files.find((file) => /^readme/i.test(file.name));
  const section = readme && licenseSection(readFileSync(join(folder, readme.name), "utf8"));
  return section === undefined ? writtenNotice(name, license) : [section];
}

/** The section on its license of a README; undefined when that only names it. */
export function licenseSection(readme: string): string | undefined {
  const [, section = ""] =
    /^#+ *licen[cs]e\b[^\n]*\n([\s\S]*?)(?=^#|(?![\s\S]))/im.exec(readme) ?? [];
  return /copyright/i.test(section) && section.length > 400 ? section.trim() : undefined;
}

/** A checksum as SPDX has it, of npm's: https://w3c.github.io/webappsec-subresource-integrity/ */
function checksumOf(integrity: string | undefined): Part["checksum"] {
  const [, base64] = /^sha512-(\S+)$/.exec(integrity ?? "") ?? [];
  return base64 === undefined
    ? undefined
    : { algorithm: "SHA512", value: Buffer.from(base64, "base64").toString("hex") };
}

let known: Lock | undefined;

function lock(): Lock {
  known ??= JSON.parse(readFileSync(join(PROJECT, "package-lock.json"), "utf8")) as Lock;
  return known;
}
