import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { slotOfConfig } from "../../../appliance/box/updater/boot-partition.ts";
import { keep } from "../../../appliance/box/updater/keep.ts";
import { prepare } from "../../../appliance/box/updater/prepare.ts";
import { Minisign } from "../../helpers/minisign.ts";
import { bootFiles, madeRelease, packedBoot } from "../../helpers/release.ts";
import { Card, made, NEXT, OLD, SERVICES, THIRD } from "./card.ts";

const signer = new Minisign();
after(() => signer.remove());

describe("an update", () => {
  let card: Card;
  beforeEach(async () => {
    card = new Card(signer.file);
    await card.powerOn();
  });
  afterEach(() => card.remove());

  describe("is refused, and nothing changes,", () => {
    /** The files of the card, without pending bundles. */
    const state = () =>
      JSON.stringify([
        readdirSync(join(card.root, "boot/firmware"), { recursive: true }),
        card.config(),
        card.journal(),
        card.isWhole("a", OLD),
      ]);

    const CASES: Readonly<Record<string, readonly [spoil: () => void, said: RegExp]>> = {
      "without a bundle": [() => {}, /Release 12 is not on this box/],
      "by another key": [
        () => {
          const other = new Minisign();
          card.putBundle(made(other, NEXT));
          other.remove();
        },
        /signed with the key/,
      ],
      "without a signature": [
        () => rmSync(join(card.root, SERVICES, "manifest.json.minisig")),
        /not on this box/,
      ],
      "with a manifest that was changed": [
        () =>
          card.write(
            `${SERVICES}/manifest.json`,
            card.read(`${SERVICES}/manifest.json`).replace("0.3.0", "0.3.9"),
          ),
        /does not fit/,
      ],
      "of another product": [
        () => card.putBundle(made(signer, NEXT, { product: "other" })),
        /a release of other/,
      ],
      "for other boards": [
        () => card.putBundle(made(signer, NEXT, { boards: ["raspberrypi,5-model-b"] })),
        /not made for this board/,
      ],
      "when it follows a later release only": [
        () => card.putBundle(made(signer, NEXT, { from: 12 })),
        /can only follow release 12/,
      ],
      "when its root is too large for the slot": [
        () => {
          card.slotBytes = 100_000;
        },
        /a slot of this card has 1 MB/,
      ],
      "when the boot partition is full": [
        () => {
          card.room.boot = 4 * 1_048_576;
        },
        /The boot partition lacks 1 MB/,
      ],
      "when its root is cut": [
        () => card.write(`${SERVICES}/root.img`, card.read(`${SERVICES}/root.img`).slice(1)),
        /not on this box/,
      ],
      "when its root is another": [
        () => card.write(`${SERVICES}/root.img`, Buffer.alloc(150_000)),
        /root\.img is not what its manifest says/,
      ],
      "when its boot files are others": [
        () =>
          card.write(
            `${SERVICES}/boot.tar.zst`,
            Buffer.alloc(card.read(`${SERVICES}/boot.tar.zst`).length),
          ),
        /boot\.tar\.zst is not what its manifest says/,
      ],
      "when a file of it is a link": [
        () => {
          const path = join(card.root, SERVICES, "root.img");
          card.write("elsewhere", card.read(`${SERVICES}/root.img`));
          rmSync(path);
          symlinkSync(join(card.root, "elsewhere"), path);
        },
        /not on this box|not what its manifest/,
      ],
    };
    for (const [what, [spoil, said]] of Object.entries(CASES))
      it(what, async () => {
        if (what !== "without a bundle") card.putBundle(made(signer, NEXT));
        spoil();
        const before = state();
        const told = await card.request("prepare", "12");
        assert.match(told.problem ?? "", said);
        assert.equal(told.prepared, undefined);
        assert.equal(state(), before);
        assert.deepEqual(readdirSync(join(card.root, "run/tallydeck-update/asked")), []);
      });

    it("when it is not newer than what the box once had", async () => {
      await card.update(signer, NEXT);
      await card.request("rollback");
      await card.powerOn();
      await keep(card.box());
      card.putBundle(made(signer, NEXT));
      assert.match((await card.request("prepare", "12")).problem ?? "", /not newer/);
    });

    it("in a trial and on a visit", async () => {
      card.putSlot("b", NEXT);
      await card.bootSlot("b");
      card.putBundle(made(signer, THIRD));
      for (const ask of ["prepare", "arm", "rollback"] as const) {
        const before = state();
        assert.match((await card.request(ask, "13")).problem ?? "", /visited|install it again/);
        assert.equal(state(), before);
      }
    });

    it("when config.txt does not say which slot is in use", async () => {
      card.putBundle(made(signer, NEXT));
      card.write("boot/firmware/config.txt", "arm_64bit=1\n");
      assert.match((await card.request("prepare", "12")).problem ?? "", /visited/);
      assert.equal(existsSync(join(card.root, "boot/firmware/b")), false);
    });
  });

  /** Changes a download as soon as the card is writable. */
  function changeMeanwhile(name: string, content: Uint8Array): void {
    const run = card.run.bind(card);
    card.run = (command) => {
      if (command.includes("remount,rw")) card.write(`${SERVICES}/${name}`, content);
      run(command);
    };
  }

  it("that is changed after it was verified ends before the slot is worth anything", async () => {
    card.putBundle(made(signer, NEXT));
    changeMeanwhile("root.img", Buffer.alloc(card.read(`${SERVICES}/root.img`).length));
    const told = await card.request("prepare", "12");
    assert.match(told.problem ?? "", /is damaged/);
    assert.equal(told.prepared, undefined);
    assert.equal(card.journal().attempt, undefined);
    assert.equal(slotOfConfig(card.config()), "a");
    assert.match((await card.request("arm", "12")).problem ?? "", /install it again/);
  });

  it("puts no kernel on the card that nobody signed, whatever becomes of the file meanwhile", async () => {
    // Large enough to be unpacked in part before its end is read.
    const tree = { name: "z.dtb", content: randomBytes(1_000_000) };
    const boot = packedBoot([...bootFiles(NEXT), tree]);
    const other = bootFiles({ release: 1 }).map(({ name, content }) =>
      name === "vmlinuz" ? { name, content: Buffer.from("another") } : { name, content },
    );
    card.putBundle(madeRelease(signer, NEXT, { boot }));
    const changed = Buffer.alloc(boot.length);
    packedBoot([...other, tree]).copy(changed);
    changeMeanwhile("boot.tar.zst", changed);
    assert.deepEqual((await card.request("prepare", "12")).prepared, NEXT);
    assert.match(card.read("boot/firmware/b/vmlinuz"), /^kernel/);
    assert.deepEqual(readdirSync(join(card.root, "data/system")), ["update.json"]);
  });

  it("that the card does not give back as it was written is none", async () => {
    card.putBundle(made(signer, NEXT));
    const box = card.box();
    const fromCard = async function* (path: string, bytes: number) {
      for await (const piece of box.fromCard(path, bytes)) {
        const worn = Buffer.from(piece);
        if (path.endsWith("initrd.img")) worn[5] = 0;
        yield worn;
      }
    };
    await assert.rejects(prepare({ ...box, fromCard }, 12), /worn out/);
    assert.equal(card.journal().attempt, undefined);
  });

  it("is not started once its folder on the card is not whole", async () => {
    card.putBundle(made(signer, NEXT));
    await card.request("prepare", "12");
    rmSync(join(card.root, "boot/firmware/b/vmlinuz"));
    assert.match((await card.request("arm", "12")).problem ?? "", /not whole/);
    assert.ok(!card.ran.includes("systemctl reboot"));
  });
});
