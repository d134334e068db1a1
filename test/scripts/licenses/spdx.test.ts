import assert from "node:assert/strict";
import { join } from "node:path";
import { licensesIn, parsedExpression } from "../../../scripts/licenses/expression.ts";
import { ownPart, shippedModules } from "../../../scripts/licenses/npm.ts";
import type { Part } from "../../../scripts/licenses/part.ts";
import { spdx } from "../../../scripts/licenses/spdx.ts";

const MODULES = join(import.meta.dirname, "../../../node_modules");

const LIBRARY: Part = {
  name: "libstdc++6",
  version: "14.2.0-19",
  kind: "deb",
  license: "LicenseRef-gcc-14-copyright AND MIT",
  notices: [],
  sources: [
    { name: "gcc-14", version: "14.2.0-19" },
    { name: "isl", version: "0.27-1" },
  ],
  file: "/usr/share/doc/libstdc++6/copyright",
  ownLicenses: { "LicenseRef-gcc-14-copyright": "The GPL, and an exception." },
};

const listed = (...parts: readonly Part[]) =>
  spdx({ name: "box", created: 1_772_582_400, architecture: "arm64" }, parts);

describe("the SPDX list", () => {
  let list: ReturnType<typeof spdx>;
  before(() => {
    list = listed(ownPart(), ...shippedModules(MODULES), LIBRARY);
  });

  it("has what version 2.3 demands of a document", () => {
    assert.equal(list.spdxVersion, "SPDX-2.3");
    assert.equal(list.dataLicense, "CC0-1.0");
    assert.equal(list.creationInfo.created, "2026-03-04T00:00:00Z");
    assert.match(list.documentNamespace, /^https:\/\/[^#]+$/);
  });

  it("names each package by an id of its own, in letters that ids may have", () => {
    const ids = list.packages.map(({ SPDXID }) => SPDXID);
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids) assert.match(id, /^SPDXRef-[A-Za-z0-9.-]+$/);
  });

  it("declares a license of each, and the text of those that are not SPDX’s", () => {
    const own = list.hasExtractedLicensingInfos.map(({ licenseId }) => licenseId);
    const used = list.packages.flatMap(({ licenseDeclared }) =>
      licensesIn(parsedExpression(licenseDeclared)).filter((id) => id.startsWith("LicenseRef-")),
    );
    assert.deepEqual(new Set(used), new Set(own));
    for (const { extractedText } of list.hasExtractedLicensingInfos) assert.ok(extractedText);
  });

  it("relates each package to the document, or to the packages that hold it", () => {
    const ids = new Set(list.packages.map(({ SPDXID }) => SPDXID));
    const related = new Set(list.relationships.map(({ relatedSpdxElement }) => relatedSpdxElement));
    assert.deepEqual(related, ids);
    for (const { spdxElementId, relationshipType } of list.relationships)
      if (relationshipType === "CONTAINS") assert.ok(ids.has(spdxElementId), spdxElementId);
      else assert.equal(spdxElementId, "SPDXRef-DOCUMENT");
    const holders = list.relationships
      .filter(({ relatedSpdxElement }) => /^SPDXRef-cargo-slab-/.test(relatedSpdxElement))
      .map(({ spdxElementId }) => spdxElementId.replace(/-linux.*$/, ""));
    assert.deepEqual(holders, ["SPDXRef-npm--napi-rs-canvas", "SPDXRef-npm--node-usb-usb"]);
  });

  it("has checksums in hexadecimal digits, as many as their algorithm makes", () => {
    const checksums = list.packages.flatMap(({ checksums = [] }) => checksums);
    assert.ok(checksums.length > 100);
    for (const { algorithm, checksumValue } of checksums)
      assert.match(checksumValue, algorithm === "SHA512" ? /^[0-9a-f]{128}$/ : /^[0-9a-f]{64}$/);
  });

  it("says of Debian’s packages what they were made of", () => {
    const [found] = list.packages.filter(({ name }) => name === "libstdc++6");
    assert.equal(found?.sourceInfo, "built from the source of gcc-14 14.2.0-19, isl 0.27-1");
    assert.equal(
      found?.externalRefs[0]?.referenceLocator,
      "pkg:deb/debian/libstdc%2B%2B6@14.2.0-19?arch=arm64&upstream=gcc-14%4014.2.0-19",
    );
  });

  it("is made without a part of Debian as well", () => {
    const { packages, hasExtractedLicensingInfos } = listed(ownPart());
    const found = packages.map(({ name, licenseDeclared }) => [name, licenseDeclared]);
    assert.deepEqual(found, [["tallydeck", "MIT"]]);
    assert.deepEqual(hasExtractedLicensingInfos, []);
  });

  it("is the same for the same parts, however often and in whatever order they come", () => {
    const parts = [LIBRARY, ownPart()];
    assert.deepEqual(listed(...parts, ...parts), listed(...parts.toReversed()));
  });
});
