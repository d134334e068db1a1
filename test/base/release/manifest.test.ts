import assert from "node:assert/strict";
import {
  type BoxFit,
  bundleBytes,
  type Manifest,
  MOST_BOOT_BYTES,
  MOST_ROOT_BYTES,
  misfits,
  parseManifest,
  readManifest,
} from "../../../appliance/base/release/manifest.ts";
import { Minisign } from "../../helpers/minisign.ts";
import { manifestOf } from "../../helpers/release.ts";

const signer = new Minisign();
after(() => signer.remove());

const MANIFEST = manifestOf(Buffer.from("root"), Buffer.from("boot"));
const json = (value: unknown) => Buffer.from(JSON.stringify(value));

describe("A manifest", () => {
  it("is read once its signature is sure", () => {
    const bytes = json(MANIFEST);
    assert.deepEqual(readManifest(bytes, signer.sign(bytes), [signer.key]), MANIFEST);
  });

  it("may say more than this release knows", () => {
    const more = { ...MANIFEST, delta: true, data: { ...MANIFEST.data, size: 1 } };
    assert.equal(parseManifest(json(more)).release, 12);
  });

  it("is refused where it was changed after it was signed, before it is looked at", () => {
    const signature = signer.sign(json(MANIFEST));
    for (const bytes of [json({ ...MANIFEST, release: 13 }), Buffer.from("{"), Buffer.alloc(0)])
      assert.throws(() => readManifest(bytes, signature, [signer.key]), {
        code: "invalid_release",
        message: /signature does not fit/,
      });
  });

  it("is refused where it is too large, before it is hashed", () => {
    const bytes = Buffer.alloc(65_537, " ");
    assert.throws(() => readManifest(bytes, Buffer.alloc(0), []), { message: /too large/ });
  });

  const { files } = MANIFEST;
  const root = files["root.img"];
  for (const [what, change, said] of [
    ["without a version", { version: undefined }, /"version" is missing/],
    ["with a version that is a path", { version: "../0.3.0" }, /"version" must be like/],
    ["of release 0", { release: 0 }, /"release" must be a whole number/],
    ["of half a release", { release: 1.5 }, /"release" must/],
    ["of too high a release", { release: 2 ** 31 }, /"release" must/],
    ["with a release in words", { release: "12" }, /"release" must/],
    ["from release 0", { from: 0 }, /"from" must/],
    ["of no day", { released: "soon" }, /"released" must/],
    ["for no board", { boards: [] }, /"boards" must/],
    ["for a board that is none", { boards: ["a board"] }, /"boards.0" must/],
    ["for too many boards", { boards: Array(65).fill("a") }, /"boards" must/],
    ["without a data format", { data: { format: 1 } }, /"data.readableBy" is missing/],
    ["with notes that ring", { notes: "\u0007" }, /"notes" must/],
    ["with a book of notes", { notes: "a".repeat(2_001) }, /"notes" must/],
    ["without a root", { files: { "boot.tar.zst": root } }, /"files.root.img" is missing/],
    [
      "with a root beyond any slot",
      { files: { ...files, "root.img": { ...root, size: MOST_ROOT_BYTES + 1 } } },
      /"files.root.img.size" must/,
    ],
    [
      "with boot files beyond any card",
      { files: { ...files, "boot.tar.zst": { ...root, size: MOST_BOOT_BYTES + 1 } } },
      /"files.boot.tar.zst.size" must/,
    ],
    [
      "with a cut hash",
      { files: { ...files, "root.img": { ...root, sha256: "ab" } } },
      /"files.root.img.sha256" must/,
    ],
  ] as const)
    it(`is refused ${what}`, () => {
      assert.throws(() => parseManifest(json({ ...MANIFEST, ...change })), {
        code: "invalid_release",
        message: said,
      });
    });

  for (const bytes of [Buffer.from([0xff, 0xfe]), Buffer.from("[1]"), Buffer.from("{"), json(null)])
    it(`is none in ${JSON.stringify(bytes.toString("latin1"))}`, () => {
      assert.throws(() => parseManifest(bytes), { code: "invalid_release" });
    });
});

describe("A release for a box", () => {
  const BOX: BoxFit = {
    running: { release: 11, version: "0.2.0" },
    highest: 11,
    boards: ["raspberrypi,3-model-b", "brcm,bcm2837"],
    slotBytes: 512,
    dataBytes: bundleBytes(MANIFEST),
  };

  it("fits", () => {
    assert.deepEqual(misfits(MANIFEST, BOX), []);
  });

  const running = (release: number) => ({ running: { release, version: "0.1.0" } });
  const release: [what: string, Partial<Manifest>, Partial<BoxFit>, RegExp][] = [
    ["of another product", { product: "toaster" }, {}, /a release of toaster/],
    ["for another board", { boards: ["raspberrypi,2"] }, {}, /\(raspberrypi,3-model-b\)/],
    ["for a box without a name", {}, { boards: [] }, /does not tell its name/],
    ["that runs", {}, running(12), /is running already/],
    ["that was there before", {}, { highest: 12 }, /not newer.*had release 12/],
    ["older than what runs", {}, running(13), /not newer.*had release 13/],
    ["that needs one in between", { from: 11 }, running(10), /only follow release 11/],
    ["larger than the slot", {}, { slotBytes: 3 }, /a slot of this card has/],
    ["larger than the room for it", {}, { dataBytes: 7 }, /on the data partition/],
  ];
  for (const [what, said, box, reason] of release)
    it(`does not fit ${what}`, () => {
      const reasons = misfits({ ...MANIFEST, ...said }, { ...BOX, ...box });
      assert.equal(reasons.length, 1, reasons.join("\n"));
      assert.match(reasons[0] ?? "", reason);
    });

  it("tells all that is wrong with it", () => {
    const wrong = { ...BOX, ...running(10), slotBytes: 1, boards: [] };
    assert.equal(misfits({ ...MANIFEST, from: 11 }, wrong).length, 3);
  });
});
