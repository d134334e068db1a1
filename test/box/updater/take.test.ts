import assert from "node:assert/strict";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { UpdaterState } from "../../../appliance/base/release/updater-state.ts";
import { answerRequests, answerStick } from "../../../appliance/box/updater/requests.ts";
import { Minisign } from "../../helpers/minisign.ts";
import { Power } from "../../helpers/power.ts";
import { Card, made, NEXT, OLD } from "./card.ts";

const THIRD = { release: 13, version: "0.3.1" };
const FILE = "boot/firmware/tallydeck-0.3.0.tallydeck";
const signer = new Minisign();
const [next, third] = [made(signer, NEXT), made(signer, THIRD)];
after(() => signer.remove());

describe("a release on", () => {
  let card: Card;
  beforeEach(async () => {
    card = new Card(signer.file);
    await card.powerOn();
  });
  afterEach(() => card.remove());

  const isOnCard = (path = FILE) => existsSync(join(card.root, path));
  const offered = ({ offers }: UpdaterState) =>
    offers.map(({ release, source }) => [release, source]);

  describe("the card's boot partition", () => {
    async function start(): Promise<UpdaterState> {
      await card.powerOn();
      if (card.ran.at(-1) === "systemctl start --no-block tallydeck-update.service")
        await answerRequests(card.box());
      return card.state();
    }

    it("moves to the data partition, and is installed from there", async () => {
      card.write(FILE, next.bundle);
      const told = await start();
      assert.deepEqual(offered(told), [[12, "card"]]);
      assert.equal(told.problem, undefined);
      assert.equal(isOnCard(), false);
      await card.request("prepare", "12");
      assert.ok(card.isWhole("b", NEXT));
      assert.deepEqual(offered(await start()), [[12, "card"]]);
    });

    it("is taken newest first, and by nothing but its content", async () => {
      card.write("boot/firmware/A.TALLYDECK", third.bundle);
      card.write(FILE, next.bundle);
      card.write("boot/firmware/._tallydeck-0.3.0.tallydeck", "a Mac's");
      assert.deepEqual(offered(await start()), [[13, "card"]]);
      assert.equal(isOnCard("boot/firmware/A.TALLYDECK"), false);
      // The older one stays, and the newer one with it.
      const told = await start();
      assert.deepEqual(offered(told), [[13, "card"]]);
      assert.match(told.problem ?? "", /0\.3\.0 is older than 0\.3\.1/);
      assert.ok(isOnCard());
    });

    const BAD: readonly [string, () => Uint8Array, RegExp][] = [
      ["is cut", () => next.bundle.subarray(0, -2_000), /not taken: .*cut off/],
      ["is cut in its manifest", () => next.bundle.subarray(0, 700), /not taken: .*cut off/],
      ["is none", () => Buffer.from("hello"), /not taken/],
      ["is not newer", () => made(signer, OLD).bundle, /running already/],
      [
        "was changed",
        () => {
          const bundle = Buffer.from(next.bundle);
          bundle.write("R", bundle.length - 3_000);
          return bundle;
        },
        /not taken: .*damaged/,
      ],
      [
        "is for other boards",
        () => made(signer, NEXT, { boards: ["raspberrypi,5-model-b"] }).bundle,
        /not made for this board/,
      ],
    ];
    for (const [what, bundle, said] of BAD)
      it(`stays there when it ${what}, with a sentence`, async () => {
        card.write(FILE, bundle());
        const told = await start();
        assert.deepEqual(offered(told), []);
        assert.match(told.problem ?? "", said);
        assert.ok((told.problem ?? "").startsWith("tallydeck-0.3.0.tallydeck"), told.problem);
        assert.ok(isOnCard());
        assert.deepEqual(readdirSync(join(card.root, "data/system")), ["update.json"]);
      });

    it("stays there while the data partition has no room for it", async () => {
      card.write(FILE, next.bundle);
      card.room.data = 64 * 1_048_576 + 1_000;
      assert.match((await start()).problem ?? "", /on the data partition.*are free/);
      assert.ok(isOnCard());
      card.room.data = 1e9;
      assert.deepEqual(offered(await start()), [[12, "card"]]);
    });

    it("is on one of the two partitions, whenever the power goes", async () => {
      for (let moment = 0, wasCut = true; wasCut; moment++) {
        card.remove();
        card = new Card(signer.file);
        card.write(FILE, next.bundle);
        const power = new Power(moment);
        wasCut = await power.cutsFiles(async () => void (await start()));
        const told = await start();
        assert.deepEqual(offered(told), [[12, "card"]], `cut at step ${moment}`);
        assert.equal(isOnCard(), false, `cut at step ${moment}`);
        assert.deepEqual(
          readdirSync(join(card.root, "data/system")).sort(),
          ["update", "update.json"],
          `cut at step ${moment}`,
        );
      }
    });

    it("goes once it is installed, or is not wanted", async () => {
      card.write(FILE, next.bundle);
      await start();
      assert.deepEqual(offered(await card.request("discard", "12")), []);
      assert.equal(isOnCard("data/system/update"), false);
    });
  });

  describe("a USB stick", () => {
    const STICK = "run/tallydeck-update/stick";

    /** Mounts a stick with these files. */
    async function insert(files: Readonly<Record<string, Uint8Array>>): Promise<UpdaterState> {
      for (const [name, content] of Object.entries(files)) card.write(`${STICK}/${name}`, content);
      await answerStick(card.box(), "sda1");
      rmSync(join(card.root, STICK), { recursive: true, force: true });
      return card.state();
    }

    it("is copied, and the stick only read", async () => {
      const told = await insert({ "a.tallydeck": next.bundle, "b.tallydeck": third.bundle });
      assert.deepEqual(offered(told), [[13, "stick"]]);
      assert.deepEqual(card.ran, [
        `mount -t vfat,exfat -o ro,nosuid,nodev,noexec -- /dev/sda1 /${STICK}`,
      ]);
    });

    it("changes nothing when a second stick has the same, an older one or none", async () => {
      await insert({ "a.tallydeck": third.bundle });
      assert.equal((await insert({ "a.tallydeck": third.bundle })).problem, undefined);
      const older = await insert({ "a.tallydeck": next.bundle });
      assert.deepEqual(offered(older), [[13, "stick"]]);
      assert.match(older.problem ?? "", /0\.3\.0 is older than 0\.3\.1, which waits/);
      const none = await insert({ "picture.jpg": Buffer.from("x") });
      assert.deepEqual([offered(none), none.problem], [[[13, "stick"]], undefined]);
    });

    it("changes nothing when it is pulled out meanwhile", async () => {
      await insert({ "a.tallydeck": next.bundle });
      card.run = () => rmSync(join(card.root, STICK), { recursive: true });
      const told = await insert({ "a.tallydeck": third.bundle });
      assert.match(told.problem ?? "", /^The stick cannot be read, or was pulled out\. Put it in/);
      assert.deepEqual(offered(told), [[12, "stick"]]);
    });

    it("is not looked at while another release is tried", async () => {
      card.putBundle(next);
      await card.request("prepare", "12");
      await card.request("arm", "12");
      await card.powerOn();
      const told = await insert({ "a.tallydeck": third.bundle });
      assert.match(told.problem ?? "", /is being tried/);
      assert.deepEqual(offered(told), []);
    });

    it("is asked for by nothing but the name of a disk on USB", async () => {
      for (const name of ["../sda1", "mmcblk0p1", "", "sda1 /"]) {
        await answerStick(card.box(), name);
        assert.match(card.state().problem ?? "", /is no USB stick/);
      }
      assert.deepEqual(card.ran, []);
    });
  });
});
