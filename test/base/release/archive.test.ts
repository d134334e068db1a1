import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type BootFile,
  BUNDLE_FILES,
  bootEntries,
  unpackBoot,
  unpackBundle,
} from "../../../appliance/base/release/archive.ts";
import { readManifest } from "../../../appliance/base/release/manifest.ts";
import { tarHeader, tarOf } from "../../../image/tar.ts";
import { Minisign } from "../../helpers/minisign.ts";
import { bootFiles, bundleOf, madeRelease, packed, packedBoot } from "../../helpers/release.ts";

const signer = new Minisign();
after(() => signer.remove());

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tallydeck-archive-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Bytes as they come in, in pieces of an odd length. */
async function* pieces(bytes: Uint8Array, length = 1_021): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

const judge = (manifest: Uint8Array, signature: Uint8Array) =>
  readManifest(manifest, signature, [signer.key]);
const unpack = (bytes: Uint8Array) => unpackBundle(pieces(bytes), folder, judge);

/** A header with something else in it, and the sum that fits. */
function header(name: string, size: number, change: (header: Buffer) => unknown): Buffer {
  const made = tarHeader(name, size);
  change(made);
  made.write("        ", 148);
  const sum = made.reduce((sum, byte) => sum + byte, 0);
  made.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return made;
}

describe("A .tallydeck", () => {
  const made = madeRelease(signer);
  const { manifest, signature, boot, root, bundle } = made;

  it("is unpacked into its four files", async () => {
    assert.equal((await unpack(bundle)).release, 12);
    const contents = BUNDLE_FILES.map((name) => readFileSync(join(folder, name)));
    assert.deepEqual(contents, [manifest, signature, boot, root]);
    assert.equal(readdirSync(folder).length, 4);
  });

  it("may end in as many zeros as tar writes", async () => {
    const padded = Buffer.concat([bundle, Buffer.alloc(10_240 - (bundle.length % 10_240))]);
    assert.equal((await unpack(padded)).release, 12);
  });

  it("is judged before its large files are read", async () => {
    const others = new Minisign();
    const read: number[] = [];
    const foreign = bundleOf(manifest, others.sign(manifest), boot, root);
    others.remove();
    const source = async function* () {
      for await (const piece of pieces(foreign)) {
        read.push(piece.length);
        yield piece;
      }
    };
    await assert.rejects(unpackBundle(source(), folder, judge), { message: /signed with the key/ });
    assert.ok(read.length < 5, `${read.length} pieces were read`);
    assert.deepEqual(readdirSync(folder), []);
  });

  it("leaves a file alone that is there, also where a link points", async () => {
    writeFileSync(join(folder, "manifest.json"), "mine");
    await assert.rejects(unpack(bundle), { code: "EEXIST" });
    assert.equal(readFileSync(join(folder, "manifest.json"), "utf8"), "mine");
  });

  const file = (name: string, content: Uint8Array) => ({ name, content });
  const four = [
    file("manifest.json", manifest),
    file("manifest.json.minisig", signature),
    file("boot.tar.zst", boot),
    file("root.img", root),
  ];
  const OTHERS = /its files are others/;
  const DAMAGED = /no release, or is damaged/;
  const CUT = /is cut off/;
  const CHANGED = /is not what its manifest says/;
  const link = (type: string, target: string) =>
    Buffer.concat([
      header("manifest.json", 0, (block) => {
        block.write(type, 156);
        block.write(target, 157);
      }),
      Buffer.alloc(1_024),
    ]);
  for (const [what, bytes, said] of [
    ["of nothing", Buffer.alloc(0), CUT],
    ["of zeros", Buffer.alloc(2_048), /lacks a part/],
    ["that is a picture", Buffer.alloc(2_048, "PNG"), DAMAGED],
    ["without its root", tarOf(four.slice(0, 3)), /lacks a part/],
    ["without its signature", tarOf(four.toSpliced(1, 1)), OTHERS],
    ["in another order", tarOf(four.toReversed()), OTHERS],
    ["with a file more", tarOf([...four, file("more", root)]), OTHERS],
    ["with a file twice", tarOf([...four, file("root.img", root)]), OTHERS],
    ["with a file outside", tarOf([file("../manifest.json", manifest)]), OTHERS],
    ["with a name that is not UTF-8", tarOf([file("\u00ff", manifest)]), OTHERS],
    ["with a symbolic link", link("2", "/etc/shadow"), /links or folders/],
    ["with a hard link", link("1", "/etc/shadow"), /links or folders/],
    ["with a folder", link("5", ""), /links or folders/],
    ["with a name in two fields", header("b", 0, (b) => b.write("a", 345)), /links or folders/],
    ["with a long name", link("L", ""), /links or folders/],
    ["of GNU's own form", header("a", 0, (b) => b.write("ustar  \0", 257)), DAMAGED],
    ["with a sum that is wrong", tarHeader("manifest.json", 9).fill("1", 136, 140), DAMAGED],
    ["with a size in binary", header("manifest.json", 0, (b) => b.fill(0x80, 124, 125)), DAMAGED],
    ["with a huge manifest", tarHeader("manifest.json", 65_537), /larger than any/],
    ["with a huge signature", hugeSignature(), /larger than any/],
    ["with longer boot files, which are not waited for", longer(), CHANGED],
    ["with other boot files", tarOf(four.with(2, file("boot.tar.zst", root))), CHANGED],
    ["with another root", tarOf(four.with(3, file("root.img", root.toReversed()))), CHANGED],
    ["with more after its end", Buffer.concat([bundle, Buffer.from("more")]), DAMAGED],
    ["with zeros without end", Buffer.concat([bundle, Buffer.alloc(20_000)]), DAMAGED],
    ["with more than zeros beside a file", spoiled(bundle), DAMAGED],
  ] as const)
    it(`is refused ${what}`, async () => {
      await assert.rejects(unpack(bytes), { code: "invalid_release", message: said });
      assert.deepEqual(readdirSync(folder), []);
    });

  it("is refused cut anywhere", async () => {
    for (let length = 0; length < bundle.length; length += 211) {
      const cut = bundle.subarray(0, length);
      await assert.rejects(unpack(cut), { code: "invalid_release" }, `${length} bytes`);
      assert.deepEqual(readdirSync(folder), []);
    }
  });

  it("leaves nothing where its source breaks off", async () => {
    const source = async function* () {
      yield bundle.subarray(0, 5_000);
      throw Object.assign(new Error("read"), { code: "EIO" });
    };
    await assert.rejects(unpackBundle(source(), folder, judge), { code: "EIO" });
    assert.deepEqual(readdirSync(folder), []);
  });

  function longer(): Buffer {
    const first = tarOf(four.slice(0, 2)).subarray(0, -1_024);
    return Buffer.concat([first, tarHeader("boot.tar.zst", boot.length + 1)]);
  }

  function hugeSignature(): Buffer {
    const first = tarOf([file("manifest.json", manifest)]).subarray(0, -1_024);
    return Buffer.concat([first, tarHeader("manifest.json.minisig", 4_097)]);
  }

  /** Something in what fills up the manifest's last block. */
  function spoiled(bytes: Buffer): Buffer {
    const copy = Buffer.from(bytes);
    copy[512 + manifest.length] = 1;
    return copy;
  }
});

describe("The boot files of a release", () => {
  const files = bootFiles();
  const boot = packedBoot(files);

  it("are written as the slot needs them", async () => {
    const written: BootFile[] = await unpackBoot(pieces(boot), folder, "b");
    assert.deepEqual(
      written.map(({ name }) => name),
      files.map(({ name }) => name),
    );
    for (const { name, size } of written)
      assert.equal(readFileSync(join(folder, name)).length, size);
    assert.equal(
      readFileSync(join(folder, "cmdline.txt"), "utf8"),
      "console=tty1 root=PARTUUID=7a11dec4-03 ro quiet\n",
    );
    assert.deepEqual(readFileSync(join(folder, "vmlinuz")), files[0]?.content);
  });

  it("are known by their hash as they stand on the card", async () => {
    for (const { name, sha256 } of await unpackBoot(pieces(boot), folder, "a"))
      assert.equal(
        createHash("sha256")
          .update(readFileSync(join(folder, name)))
          .digest("hex"),
        sha256,
      );
  });

  const file = (name: string, content: string | Uint8Array) => ({
    name,
    content: Buffer.from(content),
  });
  const without = (name: string) => files.filter((each) => each.name !== name);
  const bomb = packed(Buffer.concat([tarHeader("vmlinuz", 2 ** 32), Buffer.alloc(20_000_000)]));
  const linked = header("vmlinuz", 0, (block) => block.write("2", 156));
  for (const [what, bytes, said] of [
    ["of nothing", Buffer.alloc(0), /is damaged/],
    ["that are not packed", tarOf(files), /is damaged/],
    ["with a kernel that unpacks for ever", bomb, /larger than any/],
    ["that need much memory to unpack", wide(), /is damaged/],
    ["with more after their end", Buffer.concat([boot, Buffer.from("more")]), /is damaged/],
    ["with others after their end", Buffer.concat([boot, boot]), /is damaged/],
    ["with more in the tar", packed(Buffer.concat([tarOf(files), file("", "x").content])), /dam/],
    ["with a link", packed(linked), /links or folders/],
    ["with another name", packedBoot([...files, file("config.txt", "x")]), /no name of a boot/],
    ["with a path", packedBoot([...files, file("../x.dtb", "x")]), /no name of a boot/],
    ["with a folder in a name", packedBoot([...files, file("o/x.dtb", "x")]), /no name of a boot/],
    ["with a name that FAT knows twice", packedBoot([file("VMLINUZ", "x")]), /no name of a boot/],
    ["with a file twice", packedBoot([...files, file("vmlinuz", "x")]), /vmlinuz twice/],
    ["with an empty kernel", packedBoot([file("vmlinuz", "")]), /cannot have 0 bytes/],
    ["with a long line", packedBoot([file("cmdline.txt", "x".repeat(5_000))]), /5000 bytes/],
    ["with many trees", packedBoot(trees(65)), /larger than any/],
    ["without a kernel", packedBoot(without("vmlinuz")), /lacks vmlinuz/],
    ["without a tree", packedBoot(without("bcm2837-rpi-3-b.dtb")), /lacks a device tree/],
    ["without all", packedBoot([]), /lacks vmlinuz and .* and a device tree/],
    ["without a root", changedLine("quiet\n"), /names no root/],
    [
      "with two roots",
      changedLine("root=PARTUUID=7a11dec4-02 root=PARTUUID=7a11dec4-03"),
      /no roo/,
    ],
    ["with another disk's root", changedLine("root=PARTUUID=deadbeef-02"), /names no root/],
    ["with a line that is not UTF-8", changedLine(Buffer.from([0xff])), /names no root/],
  ] as const)
    it(`are refused ${what}`, async () => {
      await assert.rejects(unpackBoot(pieces(bytes), folder, "a"), {
        code: "invalid_release",
        message: said,
      });
    });

  it("are refused cut anywhere", async () => {
    for (let length = 0; length < boot.length; length += 7) {
      const read = async () => {
        for await (const _ of bootEntries(pieces(boot.subarray(0, length))));
      };
      await assert.rejects(read, { code: "invalid_release" }, `${length} of ${boot.length} bytes`);
    }
  });

  it("say what release they are once all others are on the card", async () => {
    const before = files.findIndex(({ name }) => name === "release");
    const first = [...files.slice(before), ...files.slice(0, before)];
    const written = await unpackBoot(pieces(packedBoot(first)), folder, "a");
    assert.equal(written.at(-1)?.name, "release");
  });

  it("go where nothing is in the way", async () => {
    writeFileSync(join(folder, "vmlinuz"), "");
    await assert.rejects(unpackBoot(pieces(boot), folder, "a"), { code: "EEXIST" });
    assert.ok(!existsSync(join(folder, "release")));
  });

  function changedLine(line: string | Uint8Array): Buffer {
    return packedBoot([...without("cmdline.txt"), file("cmdline.txt", line)]);
  }

  /** A frame that says it looks back over 128 MiB, with one block that is not packed (RFC 8878). */
  function wide(): Buffer {
    const tar = tarOf(files);
    const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, (27 - 10) << 3, 0, 0, 0]);
    head.writeUIntLE((tar.length << 3) | 1, 6, 3);
    return Buffer.concat([head, tar]);
  }

  function trees(count: number) {
    return Array.from({ length: count }, (_, at) => file(`${at}.dtb`, "tree"));
  }
});
