/**
 * Debian's packages with their licenses: of a root, from dpkg's status and the copyright files, whose form is
 * https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { spdxId } from "./expression.ts";
import { LicenseUnknown, type Part } from "./part.ts";

/** Debian's name of a license → SPDX's, where they differ by more than a version's form. */
const NAMES: Readonly<Record<string, string>> = {
  expat: "MIT",
  "mit/x11": "X11",
  artistic: "Artistic-1.0-Perl",
  "boost-1.0": "BSL-1.0",
  cc0: "CC0-1.0",
  "bsd-4-clause-uc": "BSD-4-Clause-UC",
  mpl: "MPL-2.0",
  ofl: "OFL-1.1",
  psf: "Python-2.0",
};

const EXCEPTION_NAMES: Readonly<Record<string, string>> = {
  "autoconf exception": "Autoconf-exception-2.0",
  "bison exception": "Bison-exception-2.2",
  "font exception": "Font-exception-2.0",
  "libtool exception": "Libtool-exception",
  "gcc exception": "GCC-exception-3.1",
  "linux-syscall-note exception": "Linux-syscall-note",
};

/** Programs that Debian names among what is built in, though they only build it. */
const COMPILERS: ReadonlySet<string> = new Set(["rustc"]);

interface Terms {
  readonly license: string;
  readonly ownLicenses?: Readonly<Record<string, string>>;
}

/**
 * The packages that are installed in a root.
 * @throws {LicenseUnknown} that names a package without a copyright file
 */
export function debianParts(root: string): Part[] {
  return statusEntries(readFileSync(join(root, "var/lib/dpkg/status"), "utf8")).map((entry) => {
    const file = `/usr/share/doc/${entry.name}/copyright`;
    if (!existsSync(join(root, file)))
      throw new LicenseUnknown(
        `Debian's package ${entry.name} has no ${file}: it cannot be passed on.`,
      );
    const [source = entry] = entry.sources;
    const terms = termsIn(readFileSync(join(root, file), "utf8"), source.name, file);
    return { ...entry, kind: "deb" as const, ...terms, notices: [], file };
  });
}

/**
 * The packages of a dpkg status file. Their source has their own name and version unless they say another; what was built
 * into them of others, like the kernel into its signed package, is a source, too.
 */
function statusEntries(status: string): Required<Pick<Part, "name" | "sources" | "version">>[] {
  return status.split(/\n\n+/).flatMap((paragraph) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(paragraph)?.[1];
    const [name, version] = [field("Package"), field("Version")];
    if (name === undefined || version === undefined) return [];
    const [, from = name, itsVersion = version] =
      /^(\S+)(?: \((.+)\))?$/.exec(field("Source") ?? "") ?? [];
    const used = `${field("Built-Using") ?? ""}, ${field("Static-Built-Using") ?? ""}`;
    const others = [...used.matchAll(/(\S+) \(= ([^)]+)\)/g)]
      .map(([, name = "", version = ""]) => ({ name, version }))
      .filter(({ name }) => !COMPILERS.has(name));
    return [{ name, version, sources: [{ name: from, version: itsVersion }, ...others] }];
  });
}

/**
 * The firmware on the boot partition: its package is unpacked for the build, not installed.
 * @param root the root in which it is unpacked
 */
export function firmwarePart(root: string): Part {
  const docs = join(root, "usr/share/doc/raspi-firmware");
  const changelog = gunzipSync(readFileSync(join(docs, "changelog.Debian.gz"))).toString("utf8");
  const version = /^raspi-firmware \(([^)]+)\)/.exec(changelog)?.[1];
  if (version === undefined)
    throw new LicenseUnknown("The changelog of raspi-firmware names no version.");
  const copyright = readFileSync(join(docs, "copyright"), "utf8");
  return {
    name: "raspi-firmware",
    version,
    kind: "deb",
    ...termsIn(copyright, "raspi-firmware", "its copyright file"),
    notices: [copyright.trim()],
    sources: [{ name: "raspi-firmware", version }],
  };
}

/** The terms that a copyright file says; `file` is its name for people. */
export function termsIn(copyright: string, source: string, file: string): Terms {
  const paragraphs = copyright.split(/\n\s*\n/).map(fieldsOf);
  const isReadable = /copyright-format|dep5|dep\.debian\.net/i.test(paragraphs[0]?.format ?? "");
  const own = new Map<string, string>();
  const texts = new Map(
    paragraphs.flatMap(({ license }) => {
      const [name = "", ...text] = (license ?? "").split("\n");
      return text.length > 0 ? [[name.trim().toLowerCase(), unfolded(text)] as const] : [];
    }),
  );
  const ref = (name: string, text: string) => {
    const id = `LicenseRef-${`${source}-${name}`.replaceAll(/[^A-Za-z0-9.-]+/g, "-").replace(/-$/, "")}`;
    own.set(id, text);
    return id;
  };
  const atom = (name: string) =>
    spdxNameOf(name) ?? ref(name, texts.get(name.toLowerCase()) ?? `${name}: see ${file}.`);
  const said = isReadable
    ? paragraphs
        .filter(({ files }) => files !== undefined && !isPackaging(files))
        .flatMap(({ license }) => license?.split("\n", 1)[0]?.trim() || [])
    : [];
  const terms = [
    ...new Set(
      said
        .map((each) => expressionOf(each, atom))
        .flatMap((each) => (/ OR /.test(each) ? [each] : each.split(" AND "))),
    ),
  ];
  if (terms.length === 0) terms.push(ref("copyright", copyright.trim()));
  return {
    license: terms
      .map((each) => (terms.length > 1 && / OR /.test(each) ? `(${each})` : each))
      .join(" AND "),
    ...(own.size > 0 && { ownLicenses: Object.fromEntries(own) }),
  };
}

/** Whether files are of Debian's own packaging, which no package holds. */
function isPackaging(files: string): boolean {
  return files.split(/\s+/).every((file) => file === "" || file.startsWith("debian/"));
}

/** `a, and b or c`: "and" binds stronger than "or", unless a comma stands before it. */
function expressionOf(said: string, atom: (name: string) => string): string {
  const groups = said.split(/,\s*and\s+/i).map((group) => {
    const ways = group.split(/\s*,?\s+(?:and\/)?or\s+|\s*\|\s*/i).map((way) =>
      way
        .split(/\s+and\s+|\s*,\s*|\s*&\s*/i)
        .filter(Boolean)
        .map((name) => atom(name.trim()))
        .join(" AND "),
    );
    return [...new Set(ways)].join(" OR ");
  });
  return groups
    .map((each) => (groups.length > 1 && / OR /.test(each) ? `(${each})` : each))
    .join(" AND ");
}

function spdxNameOf(name: string): string | undefined {
  const [, license = "", exception] = /^(\S+)(?:\s+with\s+(.+))?$/i.exec(name) ?? [];
  const id = plainName(license.toLowerCase());
  if (id === undefined || exception === undefined) return id;
  const known = EXCEPTION_NAMES[exception.toLowerCase()];
  return known && `${id} WITH ${known}`;
}

function plainName(name: string): string | undefined {
  const [, family, version = "", later] =
    /^([al]?gpl|gfdl)-v?(\d(?:\.\d)?)(?:\.0)?(\+?)$/.exec(name) ?? [];
  if (family === undefined) return NAMES[name] ?? spdxId(name);
  const number = version.includes(".") ? version : `${version}.0`;
  return spdxId(`${family}-${number}-${later ? "or-later" : "only"}`);
}

/** The fields of a paragraph by their names in lower case; lines that go on begin with a space. */
function fieldsOf(paragraph: string): Readonly<Record<string, string>> {
  const fields = paragraph.matchAll(/^([A-Za-z-]+):[ \t]*(.*(?:\n[ \t].*)*)/gm);
  return Object.fromEntries(
    [...fields].map(([, name = "", text = ""]) => [name.toLowerCase(), text]),
  );
}

function unfolded(lines: readonly string[]): string {
  return lines.map((line) => (line.trim() === "." ? "" : line.slice(1))).join("\n");
}
