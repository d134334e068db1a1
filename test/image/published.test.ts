import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { manifest, sublist } from "../../image/manifest.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

describe("the manifest for Raspberry Pi Imager", () => {
  let folder = "";
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "tallydeck-manifest-"));
    writeFileSync(join(folder, "box.img"), "raw");
    writeFileSync(join(folder, "box.img.xz"), "packed");
  });
  after(() => rmSync(folder, { recursive: true }));

  // biome-ignore lint/suspicious/noExplicitAny: JSON as Imager reads it.
  const made = async (url?: string): Promise<any> =>
    JSON.parse(
      JSON.stringify(await manifest({ folder, name: "box", url, released: 1_772_582_400 })),
    );

  it("has the hashes and sizes of both files", async () => {
    const [os] = (await made()).os_list;
    assert.equal(os.extract_sha256, sha256("raw"));
    assert.equal(os.extract_size, 3);
    assert.equal(os.image_download_sha256, sha256("packed"));
    assert.equal(os.image_download_size, 6);
    assert.equal(os.release_date, "2026-03-04");
  });

  // The properties that its schema requires of an image: doc/json-schema/os-list-schema.json of rpi-imager.
  it("has what Imager requires of each image, in its types", async () => {
    for (const os of (await made("https://a.example/b")).os_list) {
      for (const name of ["name", "description", "icon", "url"]) assert.match(os[name], /\S/, name);
      for (const name of ["extract_size", "image_download_size"])
        assert.ok(Number.isSafeInteger(os[name]) && os[name] > 0, name);
      for (const name of ["extract_sha256", "image_download_sha256"])
        assert.match(os[name], /^[0-9a-f]{64}$/, name);
      assert.match(os.release_date, /^\d{4}-\d\d-\d\d$/);
      assert.ok(Array.isArray(os.devices));
    }
  });

  it("takes the image from this folder, or from where it is published", async () => {
    assert.equal((await made()).os_list[0].url, `file://${folder}/box.img.xz`);
    assert.equal((await made("https://a.example/b")).os_list[0].url, "https://a.example/b");
  });

  it("lets people choose a board, and shows the image for each", async () => {
    const { imager, os_list } = await made();
    for (const { tags } of imager.devices) assert.ok(os_list[0].devices.includes(tags[0]), tags[0]);
    assert.equal(imager.devices.length, 3);
  });
});

describe("the list for Raspberry Pi Imager", () => {
  const made = { imager: { latest_version: "2.0.11" }, os_list: [{ name: "Tallydeck" }] };

  it("has nothing about Imager itself where another list links to it", () => {
    assert.deepEqual(sublist(made), { os_list: made.os_list });
  });
});

describe("a release's room on the card", () => {
  const MIB = 1024 ** 2;
  const STEPS = join(import.meta.dirname, "../../image/steps");
  let file = "";
  beforeEach(() => {
    file = join(mkdtempSync(join(tmpdir(), "tallydeck-room-")), "root.img");
    writeFileSync(file, "");
  });
  afterEach(() => rmSync(dirname(file), { recursive: true }));

  const holds = (...files: readonly string[]) =>
    spawnSync(
      "bash",
      [
        "-euc",
        `${["../../scripts/help", "common", "disk"].map((part) => `. "$0/${part}"; `).join("")} with_room 10 "a root" "$@"`,
        STEPS,
        ...files,
      ],
      { encoding: "utf8" },
    );

  it("leaves a fifth for those to come", () => {
    truncateSync(file, 8 * MIB);
    assert.equal(holds(file).status, 0);
    truncateSync(file, 8 * MIB + 1);
    const { status, stderr } = holds(file);
    assert.equal(status, 1);
    assert.match(stderr, /a root would have 8388609 bytes: more than four fifths of its 10 MiB\./);
  });

  it("counts the boot files of both systems", () => {
    truncateSync(file, 4 * MIB);
    assert.equal(holds(file, file).status, 0);
    truncateSync(file, 4 * MIB + 1);
    assert.equal(holds(file, file).status, 1);
  });
});
