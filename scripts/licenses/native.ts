/** Libraries and crates that are inside of the binaries of modules. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { licenseText, writtenNotice } from "./notices.ts";
import { LicenseUnknown, type Part } from "./part.ts";

const MODULES = join(import.meta.dirname, "../../node_modules");

/** A library in a binary, before its notice is written. */
interface Inside {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly kind?: Part["kind"];
  readonly checksum?: NonNullable<Part["checksum"]>;
  readonly notices?: readonly string[];
}

/** Name of a module → what is in its binary. A binary that is read anew by each release has to be looked into anew. */
const INSIDE: readonly [name: RegExp, inside: (folder: string) => readonly Inside[]][] = [
  [/^@napi-rs\/canvas-/, canvas],
  [/^@node-usb\/usb-/, usb],
  [/^better-sqlite3$/, sqlite],
  [/^node-hid$/, hidapi],
];

/** @throws {LicenseUnknown} that names a library whose terms are not known here, or a binary that nobody has looked into */
export function nativeParts(module: Part, folder: string): Part[] {
  const look = INSIDE.find(([name]) => name.test(module.name))?.[1];
  if (look === undefined && holdsBinary(folder))
    throw new LicenseUnknown(
      `${module.name} has a binary. Find out which libraries are inside of it, then name them in scripts/licenses/native.ts.`,
    );
  const inside = look?.(folder) ?? [];
  return inside.map(({ notices, kind = "generic", ...each }) => ({
    ...each,
    kind,
    notices: [...(notices ?? writtenNotice(each.name, each.license)), ...promisesOn(each.name)],
    within: [module.name],
  }));
}

function holdsBinary(folder: string): boolean {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).some((name) =>
    /\.(?:node|so|wasm)$/.test(name),
  );
}

/** The license on patents that has to be passed on with a codec. */
function promisesOn(name: string): string[] {
  return name === "libaom-sys" ? [licenseText(name, "AOM-Patent-1.0")] : [];
}

/** A list of parts as CycloneDX has it: https://cyclonedx.org/docs/1.6/json/ */
interface CycloneDx {
  readonly components: readonly {
    readonly type: string;
    readonly name: string;
    readonly version?: string;
    readonly purl?: string;
    readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
    readonly licenses?: readonly {
      readonly expression?: string;
      readonly license?: { readonly id?: string };
    }[];
  }[];
}

/** Programs that build it and are not in it, and parts of the canvas and of Skia themselves. */
const NOT_IN_CANVAS =
  /^(?:anstyle|canvas|cc|clap|clap_builder|clap_lex|cmake|cxx-build|cxxbridge-cmd|find-msvc-tools|scratch|shlex|skia-fontations|strsim|termcolor|winapi-util)$/;

/** The canvas brings its own list. It lacks Skia, the C of its allocator, and what Chromium's ICU is under. */
function canvas(folder: string): Inside[] {
  const { components } = JSON.parse(
    readFileSync(join(folder, "sbom.cdx.json"), "utf8"),
  ) as CycloneDx;
  const listed = components
    .filter(({ type, name }) => type === "library" && !NOT_IN_CANVAS.test(name))
    .map(({ name, version = "", purl = "", hashes = [], licenses = [] }): Inside => {
      const said = licenses[0]?.expression ?? licenses[0]?.license?.id;
      if (said === undefined)
        throw new LicenseUnknown(
          `${name} ${version} in ${folder} does not say what its license is: read its terms, then say it in scripts/licenses/native.ts.`,
        );
      const sha256 = hashes.find(({ alg }) => alg === "SHA-256")?.content;
      return {
        name,
        version,
        license: licenseOf(name, said),
        kind: purl.startsWith("pkg:cargo/") ? "cargo" : "generic",
        ...(sha256 && { checksum: { algorithm: "SHA256" as const, value: sha256 } }),
      };
    });
  const version = versionOf(folder);
  return [
    ...listed,
    { name: "skia", version: `in canvas ${version}`, license: "BSD-3-Clause" },
    { name: "mimalloc", version: `in canvas ${version}`, license: "MIT" },
    rustLibrary(`in canvas ${version}`),
  ];
}

/** The license of a part where its list says another, or says it in an older form. */
function licenseOf(name: string, said: string): string {
  if (name === "harfbuzz") return "MIT-Modern-Variant";
  return said.replaceAll(" / ", " OR ");
}

/** The library of Rust itself, which is in each binary of a Rust program. */
function rustLibrary(version: string): Inside {
  return { name: "rust-std", version, license: "MIT OR Apache-2.0" };
}

/** Crates in the binary of usb, which brings no list: those whose names are in it, and what they are made of. */
const IN_USB: Readonly<Record<string, readonly [version: string, license: string]>> = {
  bitflags: ["2", "MIT OR Apache-2.0"],
  ctor: ["1", "Apache-2.0 OR MIT"],
  errno: ["0.3", "MIT OR Apache-2.0"],
  fastrand: ["2", "Apache-2.0 OR MIT"],
  futures: ["0.3", "MIT OR Apache-2.0"],
  "futures-lite": ["2", "Apache-2.0 OR MIT"],
  libc: ["0.2", "MIT OR Apache-2.0"],
  libloading: ["0.9", "ISC"],
  "linux-raw-sys": ["0.12", "Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT"],
  log: ["0.4", "MIT OR Apache-2.0"],
  memchr: ["2", "Unlicense OR MIT"],
  napi: ["3", "MIT"],
  "napi-sys": ["3", "MIT"],
  "nohash-hasher": ["0.2", "Apache-2.0 OR MIT"],
  nusb: ["0.2", "Apache-2.0 OR MIT"],
  once_cell: ["1", "MIT OR Apache-2.0"],
  parking: ["2", "Apache-2.0 OR MIT"],
  "pin-project-lite": ["0.2", "Apache-2.0 OR MIT"],
  "rustc-hash": ["2", "Apache-2.0 OR MIT"],
  rustix: ["1", "Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT"],
  slab: ["0.4", "MIT"],
  tokio: ["1", "MIT"],
};

/** The crates of usb, in the versions that its binary names; else the series that it asks for. */
function usb(folder: string): Inside[] {
  const binary = binaryText(folder);
  const crates = Object.entries(IN_USB).map(([name, [series, license]]) => ({
    name,
    version: new RegExp(`/${name}-(\\d+\\.\\d+\\.\\d+)/src/`).exec(binary)?.[1] ?? series,
    license,
    kind: "cargo" as const,
  }));
  return [...crates, rustLibrary(`in usb ${versionOf(folder)}`)];
}

function binaryText(folder: string): string {
  const { main } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return readFileSync(join(folder, String(main)), "latin1");
}

function sqlite(): Inside[] {
  const header = readFileSync(join(MODULES, "better-sqlite3/deps/sqlite3/sqlite3.h"), "utf8");
  const version = /^#define SQLITE_VERSION\s+"([\d.]+)"/m.exec(header)?.[1];
  if (version === undefined) throw new LicenseUnknown("better-sqlite3 has another sqlite3.h.");
  return [{ name: "sqlite", version, license: "blessing" }];
}

/** The library in node-hid: of its three licenses, the one of the BSD. */
function hidapi(): Inside[] {
  const read = (file: string) =>
    readFileSync(join(MODULES, "node-hid/hidapi", file), "utf8").trim();
  return [
    {
      name: "hidapi",
      version: read("VERSION"),
      license: "BSD-3-Clause",
      notices: [read("LICENSE-bsd.txt")],
    },
  ];
}

function versionOf(folder: string): string {
  return String(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version);
}
