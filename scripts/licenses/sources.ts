/** The source code that a list of parts names, and which of it licenses ask to be passed on. */
import { isAsked, parsedExpression } from "./expression.ts";
import { BUILT_FROM, type spdx } from "./spdx.ts";

export type SpdxList = Pick<ReturnType<typeof spdx>, "hasExtractedLicensingInfos" | "packages">;

/** A package of source code. */
export interface Source {
  readonly kind: "cargo" | "deb" | "npm";
  readonly name: string;
  readonly version: string;
  /** Whether a license asks for it. */
  readonly isOwed: boolean;
  /** Its checksum, in hexadecimal digits, where the list of parts has it. */
  readonly checksum?: string;
}

/** A file in an index of Debian's sources. */
interface IndexedFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
}

/** An entry of an index of Debian's sources. */
export interface IndexedSource {
  readonly name: string;
  readonly version: string;
  /** Its folder in the archive: `pool/main/b/bash`. */
  readonly folder: string;
  readonly files: readonly IndexedFile[];
}

/** Licenses that ask for source, and words that those texts have which SPDX has no name of. */
const COPYLEFT = /^(?:A?GPL|LGPL|MPL|OLDAP|EPL|CDDL|EUPL|CC-BY-SA)-/;
const COPYLEFT_WORDS = /General\s+Public\s+Licen[cs]e|Mozilla\s+Public\s+Licen[cs]e|\bL?GPL\b/i;

/** The source of each part, once, in the order of names. */
export function sourcesOf(lists: readonly SpdxList[]): Source[] {
  return [
    ...Map.groupBy(
      lists.flatMap(sourcesIn),
      ({ kind, name, version }) => `${kind} ${name} ${version}`,
    ),
  ]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, same]) =>
      same.slice(0, 1).map((source) => ({ ...source, isOwed: same.some(({ isOwed }) => isOwed) })),
    );
}

function sourcesIn({ packages, hasExtractedLicensingInfos }: SpdxList): Source[] {
  const texts = new Map(
    hasExtractedLicensingInfos.map(({ licenseId, extractedText }) => [licenseId, extractedText]),
  );
  const asks = (license: string) =>
    COPYLEFT.test(license) || COPYLEFT_WORDS.test(texts.get(license) ?? "");
  return packages.flatMap((part): Source[] => {
    const isOwed = isAsked(parsedExpression(part.licenseDeclared), asks);
    const kind = /^pkg:(\w+)\//.exec(part.externalRefs[0]?.referenceLocator ?? "")?.[1];
    if (kind === "deb")
      return builtFrom(part.sourceInfo ?? "").map((source) => ({ kind, ...source, isOwed }));
    if (kind !== "cargo" && kind !== "npm") return [];
    const checksum = part.checksums?.[0]?.checksumValue;
    const { name, versionInfo: version } = part;
    return [{ kind, name, version, isOwed, ...(checksum !== undefined && { checksum }) }];
  });
}

function builtFrom(sourceInfo: string): { name: string; version: string }[] {
  if (!sourceInfo.startsWith(BUILT_FROM)) return [];
  return sourceInfo
    .slice(BUILT_FROM.length)
    .split(", ")
    .map((each) => {
      const [name = "", version = ""] = each.split(" ");
      return { name, version };
    });
}

/** The entries of an index of sources: https://wiki.debian.org/DebianRepository/Format#A.22Sources.22_Indices */
export function indexedSources(index: string): IndexedSource[] {
  return index.split(/\n\n+/).flatMap((paragraph) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(paragraph)?.[1];
    const [name, version, folder] = [field("Package"), field("Version"), field("Directory")];
    if (name === undefined || version === undefined || folder === undefined) return [];
    const [, lines = ""] = /^Checksums-Sha256:\n((?: .*\n?)+)/m.exec(paragraph) ?? [];
    const files = [...lines.matchAll(/^ ([0-9a-f]{64}) (\d+) (\S+)$/gm)].map(
      ([, sha256 = "", size, file = ""]) => ({ sha256, size: Number(size), name: file }),
    );
    return [{ name, version, folder, files }];
  });
}

/** Firmware comes without source, so nothing can be owed. */
export function isFirmware(indexed: IndexedSource | undefined): boolean {
  return indexed?.folder.startsWith("pool/non-free-firmware/") === true;
}

/** The place in the world of a source's files. */
export function placeOf({ kind, name, version }: Source): string {
  switch (kind) {
    case "deb":
      return `https://snapshot.debian.org/package/${name}/${encodeURIComponent(version)}/`;
    case "cargo":
      // Only the series is known of what a binary without a list of its own holds.
      if (!/^\d+\.\d+\.\d+/.test(version)) return `https://crates.io/crates/${name}`;
      return `https://static.crates.io/crates/${name}/${name}-${version}.crate`;
    case "npm":
      return `https://registry.npmjs.org/${name}/-/${name.replace(/^.*\//, "")}-${version}.tgz`;
  }
}

/** The lines of sources.txt: kind, name, version, whether sources.tar has it, checksum of its description or archive, place. */
export function sourceLines(
  sources: readonly Source[],
  indexedOf: (source: Source) => IndexedSource | undefined,
): string[] {
  return sources.map((source) => {
    const indexed = indexedOf(source);
    const dsc = indexed?.files.find(({ name }) => name.endsWith(".dsc"));
    const isIn = source.isOwed && !isFirmware(indexed) ? "in-tar" : "-";
    const checksum = source.checksum ?? dsc?.sha256 ?? "-";
    return [source.kind, source.name, source.version, isIn, checksum, placeOf(source)].join(" ");
  });
}
