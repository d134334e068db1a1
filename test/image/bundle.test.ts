import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeBundle } from "../../image/bundle.ts";
import { compatibleOf } from "../../image/device-tree.ts";
import { lintKeys } from "../../image/keys.ts";
import { deviceTree, madeBuilt } from "../helpers/built.ts";
import { eachFolder } from "../helpers/folder.ts";
import { Minisign } from "../helpers/minisign.ts";

describe("A release that was built", () => {
  const folder = eachFolder();
  const bundle = (out = "out") => {
    mkdirSync(join(folder(), out), { recursive: true });
    return makeBundle(
      {
        root: join(folder(), "root.img"),
        boot: join(folder(), "boot"),
        from: 1,
        notes: "Counts twice as fast.",
        data: { format: 18, readableBy: 17 },
        released: Date.UTC(2026, 10, 23) / 1_000,
      },
      join(folder(), out),
    );
  };

  it("says what it is, for which boards", async () => {
    madeBuilt(folder());
    const { files, ...said } = await bundle();
    assert.deepEqual(said, {
      product: "tallydeck",
      version: "0.2.0",
      release: 2,
      from: 1,
      released: "2026-11-23",
      boards: [
        "bcm2837-rpi-zero-2-w",
        "bcm2837-rpi-3-b",
        "bcm2837-rpi-3-b-plus",
        "bcm2837-rpi-3-a-plus",
        "bcm2711-rpi-4-b",
        "bcm2711-rpi-400",
        "bcm2712-rpi-5-b",
      ].map((name) => `raspberrypi,${name}`),
      data: { format: 18, readableBy: 17 },
      notes: "Counts twice as fast.",
    });
    assert.equal(files["root.img"].size, readFileSync(join(folder(), "root.img")).length);
  });

  it("is the same to the byte whenever it is made, and nothing of an older one stays", async () => {
    madeBuilt(folder());
    await bundle("one");
    for (const name of readdirSync(join(folder(), "boot/a")))
      utimesSync(join(folder(), "boot/a", name), 1, 1);
    mkdirSync(join(folder(), "two"));
    for (const name of ["manifest.json", "manifest.json.minisig", "tallydeck-0.1.0.tallydeck"])
      writeFileSync(join(folder(), "two", name), "old");
    await bundle("two");
    const files = (out: string) =>
      readdirSync(join(folder(), out)).map((name) => [
        name,
        readFileSync(join(folder(), out, name), "base64"),
      ]);
    assert.deepEqual(files("two"), files("one"));
    assert.equal(files("one").length, 3);
  });

  for (const [what, spoil, said] of [
    ["a kernel", (boot: string) => rmSync(join(boot, "vmlinuz")), /lacks vmlinuz/],
    ["a board's tree", (boot: string) => rmSync(join(boot, "bcm2711-rpi-400.dtb")), /Pi 400/],
    ["a root", (boot: string) => writeFileSync(join(boot, "cmdline.txt"), "ro"), /names no root/],
    ["a number", (boot: string) => writeFileSync(join(boot, "release"), "VERSION=1"), /no release/],
  ] as const)
    it(`is none without ${what}`, async () => {
      madeBuilt(folder());
      spoil(join(folder(), "boot/a"));
      await assert.rejects(bundle(), { message: said });
      const left = readdirSync(join(folder(), "out")).filter((name) => name === "manifest.json");
      assert.deepEqual(left, []);
    });
});

describe("A device tree", () => {
  it("names its board, the exact name first", () => {
    const tree = deviceTree("raspberrypi,400", "brcm,bcm2711");
    assert.deepEqual(compatibleOf(tree), ["raspberrypi,400", "brcm,bcm2711"]);
  });

  for (const bytes of [Buffer.alloc(0), Buffer.alloc(100), deviceTree().fill(9, 40, 44)])
    it(`is none in ${bytes.length} other bytes`, () => {
      assert.throws(() => compatibleOf(bytes), { message: /no device tree/ });
    });
});

describe("The keys of an image", () => {
  const keys = [1, 2, 3].map(() => {
    const signer = new Minisign();
    signer.remove();
    return signer.file;
  });
  const lint = (...texts: readonly (string | undefined)[]) =>
    lintKeys(new Map(texts.map((text, at) => [`${at + 1}.pub`, text ?? ""])));

  it("are none, one or two", () => {
    for (const count of [0, 1, 2]) assert.deepEqual(lint(...keys.slice(0, count)), []);
  });

  it("are not three, not one twice, and nothing else", () => {
    assert.match(lint(...keys).join(), /has 3 keys.*Remove the older/);
    assert.match(lint(keys[0], keys[0]).join(), /one key twice/);
    assert.match(lint(keys[0], "a key").join(), /2\.pub is no public key/);
  });
});
