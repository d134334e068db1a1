/**
 * Lists the image's Debian packages and npm modules, those inside the pages' scripts too, as SPDX 2.3.
 * Run: node image/package-list.ts ROOT TOOL-ROOT NAME
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { buildWeb } from "../scripts/build-web.ts";
import { bundledMqtt } from "../scripts/bundle-mqtt.ts";

const PROJECT = join(import.meta.dirname, "..");

interface Part {
  readonly name: string;
  readonly version: string;
  readonly kind: "deb" | "npm";
  readonly license: string | undefined;
}

/** Packages of a dpkg status file. */
export function debianParts(status: string): Part[] {
  return status.split(/\n\n+/).flatMap((paragraph) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(paragraph)?.[1];
    const [name, version] = [field("Package"), field("Version")];
    return name === undefined || version === undefined
      ? []
      : [{ name, version, kind: "deb" as const, license: undefined }];
  });
}

/** Modules below a node_modules folder, nested ones too. */
export function npmParts(folder: string): Part[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /(?:^|\/node_modules\/)(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(path))
    .flatMap((path) => npmPart(join(folder, path)));
}

function npmPart(file: string): Part[] {
  const { name, version, license } = JSON.parse(readFileSync(file, "utf8"));
  return typeof name === "string" && typeof version === "string"
    ? [{ name, version, kind: "npm" as const, license: String(license ?? "") || undefined }]
    : [];
}

/** The packages that are bundled into the pages' scripts and styles, and into the MQTT client. */
async function bundledParts(): Promise<Part[]> {
  const outDir = mkdtempSync(join(tmpdir(), "tallydeck-web-"));
  try {
    const built = [...(await buildWeb({ outDir })), await bundledMqtt()];
    return [...new Set(built.flatMap(({ modules }) => modules))].flatMap((module) =>
      npmPart(join(PROJECT, module, "package.json")),
    );
  } finally {
    rmSync(outDir, { recursive: true });
  }
}

/** The firmware on the boot partition: its package is unpacked for the build, not installed. */
export function firmwarePart(changelog: string): Part {
  const version = /^raspi-firmware \(([^)]+)\)/.exec(changelog)?.[1];
  if (version === undefined) throw new Error("The changelog of raspi-firmware names no version.");
  return { name: "raspi-firmware", version, kind: "deb", license: undefined };
}

/** The SPDX document, the same for the same parts; `created` in epoch seconds. */
export function spdx(name: string, created: number, parts: readonly Part[]) {
  const sorted = [...new Map(parts.map((part) => [keyOf(part), part])).values()].sort((a, b) =>
    keyOf(a) < keyOf(b) ? -1 : 1,
  );
  return {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name,
    documentNamespace: `https://tallydeck.invalid/spdx/${name}-${created}`,
    creationInfo: {
      created: new Date(created * 1_000).toISOString().replace(/\.000Z$/, "Z"),
      creators: ["Tool: tallydeck-image-build"],
    },
    packages: sorted.map(({ name, version, kind, license }) => ({
      SPDXID: `SPDXRef-${kind}-${`${name}-${version}`.replace(/[^A-Za-z0-9.-]/g, "-")}`,
      name,
      versionInfo: version,
      downloadLocation: "NOASSERTION",
      filesAnalyzed: false,
      licenseConcluded: "NOASSERTION",
      licenseDeclared: license && /^[A-Za-z0-9.+() -]+$/.test(license) ? license : "NOASSERTION",
      copyrightText: "NOASSERTION",
      externalRefs: [
        {
          referenceCategory: "PACKAGE-MANAGER",
          referenceType: "purl",
          referenceLocator:
            kind === "deb"
              ? `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=arm64`
              : `pkg:npm/${name.replace("@", "%40")}@${version}`,
        },
      ],
    })),
    relationships: sorted.map(({ name, version, kind }) => ({
      spdxElementId: "SPDXRef-DOCUMENT",
      relationshipType: "DESCRIBES",
      relatedSpdxElement: `SPDXRef-${kind}-${`${name}-${version}`.replace(/[^A-Za-z0-9.-]/g, "-")}`,
    })),
  };
}

function keyOf({ kind, name, version }: Part): string {
  return `${kind} ${name} ${version}`;
}

async function main([root, tools, name]: readonly string[]): Promise<number> {
  if (root === undefined || tools === undefined || name === undefined) {
    console.error("Usage: node image/package-list.ts ROOT TOOL-ROOT NAME");
    return 2;
  }
  const changelog = join(tools, "usr/share/doc/raspi-firmware/changelog.Debian.gz");
  const parts = [
    ...debianParts(readFileSync(join(root, "var/lib/dpkg/status"), "utf8")),
    firmwarePart(gunzipSync(readFileSync(changelog)).toString("utf8")),
    ...npmPart(join(PROJECT, "package.json")),
    ...npmParts(join(root, "opt/tallydeck/node_modules")),
    ...(await bundledParts()),
  ];
  console.log(
    JSON.stringify(spdx(name, Number(process.env.SOURCE_DATE_EPOCH ?? 0), parts), null, 1),
  );
  return 0;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
