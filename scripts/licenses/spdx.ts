/** A list of parts as SPDX 2.3 has it: https://spdx.github.io/spdx-spec/v2.3/ */
import { distinct, type Part } from "./part.ts";

/** The words before names and versions of Debian's packages of source code. */
export const BUILT_FROM = "built from the source of ";

const DOCUMENT = "SPDXRef-DOCUMENT";

interface Subject {
  /** The name of the file that the list is of. */
  readonly name: string;
  /** Epoch seconds. */
  readonly created: number;
  /** Debian's name of the processor. */
  readonly architecture: "amd64" | "arm64";
}

/** The document, the same for the same parts. */
export function spdx({ name, created, architecture }: Subject, parts: readonly Part[]) {
  const sorted = distinct(parts).map((part) => ({ part, id: idOf(part) }));
  const idsByName = new Map(sorted.map(({ part, id }) => [part.name, id]));
  return {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: DOCUMENT,
    name,
    documentNamespace: `https://tallydeck.invalid/spdx/${name}-${created}`,
    creationInfo: {
      created: new Date(created * 1_000).toISOString().replace(/\.000Z$/, "Z"),
      creators: ["Tool: tallydeck-image-build"],
    },
    packages: sorted.map(({ part, id }) => ({
      SPDXID: id,
      name: part.name,
      versionInfo: part.version,
      downloadLocation: "NOASSERTION",
      filesAnalyzed: false,
      licenseConcluded: "NOASSERTION",
      licenseDeclared: part.license,
      copyrightText: "NOASSERTION",
      ...(part.sources && {
        sourceInfo: `${BUILT_FROM}${part.sources.map(({ name, version }) => `${name} ${version}`).join(", ")}`,
      }),
      ...(part.checksum && {
        checksums: [{ algorithm: part.checksum.algorithm, checksumValue: part.checksum.value }],
      }),
      externalRefs: [
        {
          referenceCategory: "PACKAGE-MANAGER",
          referenceType: "purl",
          referenceLocator: purlOf(part, architecture),
        },
      ],
    })),
    hasExtractedLicensingInfos: ownLicensesOf(parts),
    relationships: sorted.flatMap(({ part: { within = [] }, id }) => {
      const holders = within.flatMap((holder) => idsByName.get(holder) ?? []);
      if (holders.length === 0) return [relationship(DOCUMENT, "DESCRIBES", id)];
      return holders.map((holder) => relationship(holder, "CONTAINS", id));
    }),
  };
}

function relationship(from: string, relationshipType: "CONTAINS" | "DESCRIBES", to: string) {
  return { spdxElementId: from, relationshipType, relatedSpdxElement: to };
}

function idOf({ kind, name, version }: Part): string {
  return `SPDXRef-${kind}-${`${name}-${version}`.replace(/[^A-Za-z0-9.-]/g, "-")}`;
}

/** https://github.com/package-url/purl-spec/blob/main/PURL-TYPES.rst */
function purlOf(
  { kind, name, version, sources: [source] = [] }: Part,
  architecture: string,
): string {
  const at = `@${encodeURIComponent(version)}`;
  if (kind === "npm") return `pkg:npm/${name.replace("@", "%40")}${at}`;
  if (kind !== "deb") return `pkg:${kind}/${encodeURIComponent(name)}${at}`;
  const upstream =
    source === undefined || source.name === name
      ? ""
      : `&upstream=${encodeURIComponent(`${source.name}@${source.version}`)}`;
  return `pkg:deb/debian/${encodeURIComponent(name)}${at}?arch=${architecture}${upstream}`;
}

function ownLicensesOf(parts: readonly Part[]) {
  const texts = new Map(parts.flatMap(({ ownLicenses = {} }) => Object.entries(ownLicenses)));
  return [...texts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([licenseId, extractedText]) => ({ licenseId, extractedText }));
}
