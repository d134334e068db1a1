import assert from "node:assert/strict";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { writeJournal } from "../../../appliance/box/updater/journal.ts";
import { checkSlot } from "../../../appliance/box/updater/slot.ts";
import { Minisign } from "../../helpers/minisign.ts";
import { Card, NEXT } from "./card.ts";

const BLOCKS = 20;
const signer = new Minisign();
after(() => signer.remove());

describe("the monthly check of the slot", () => {
  let card: Card;
  let now: number;
  beforeEach(async () => {
    card = new Card();
    now = card.box().now();
    await card.powerOn();
    change(1_024, [0xe2, 0xe1, 0xf5, 0xe0]);
    change(1_036, [12]);
    change(1_060, [BLOCKS, 0, 0, 0]);
  });
  afterEach(() => card.remove());

  function change(at: number, bytes: readonly number[]): void {
    const file = openSync(join(card.root, "dev/slot-a"), "r+");
    writeSync(file, Buffer.from(bytes), 0, bytes.length, at);
    closeSync(file);
  }

  /** A month later each time. */
  async function check(): Promise<string | undefined> {
    now += 28 * 86_400;
    await checkSlot(box());
    return card.state().problem;
  }
  const box = () => ({ ...card.box(), now: () => now });

  it("finds nothing as long as the card gives back what it gave the first time", async () => {
    assert.equal(await check(), undefined);
    assert.equal(card.journal().images?.a?.size, BLOCKS * 4_096);
    change(BLOCKS * 4_096, [1]);
    assert.equal(await check(), undefined);
  });

  it("says what to do once a byte is another, until it is what it was", async () => {
    await check();
    change(50_000, [1]);
    assert.match((await check()) ?? "", /Make a backup, and write the image to another card/);
    assert.match((await card.powerOn()).problem ?? "", /another card/);
    change(50_000, [...Buffer.from("root of 11, ")].slice(50_000 % 12, (50_000 % 12) + 1));
    assert.equal(await check(), undefined);
  });

  it("reads the card anew after a month, or once the clock was set back, and each day while something is wrong", async () => {
    await check();
    change(50_000, [1]);
    const later = async (seconds: number) => {
      now += seconds;
      await checkSlot(box());
      return card.state().problem;
    };
    assert.equal(await later(27 * 86_400), undefined);
    assert.match((await later(-28 * 86_400)) ?? "", /another card/);
    change(50_000, [...Buffer.from("root of 11, ")].slice(50_000 % 12, (50_000 % 12) + 1));
    assert.equal(await later(86_400), undefined);
    change(50_000, [1]);
    assert.match((await later(28 * 86_400)) ?? "", /another card/);
  });

  it("says nothing any more of a slot that another release was written to since", async () => {
    card.write("usr/share/tallydeck/keys/1.pub", signer.file);
    writeJournal(card.box(), { ...card.journal(), rotten: "b" });
    await card.update(signer, NEXT);
    const { running, problem } = await card.powerOn();
    assert.deepEqual([running.slot, problem], ["b", undefined]);
  });

  it("holds an update to what its manifest said", async () => {
    const image = { release: 11, size: 8_192, sha256: "0".repeat(64) };
    writeJournal(card.box(), { ...card.journal(), images: { a: image } });
    assert.match((await check()) ?? "", /another card/);
  });

  it("says so too when the card cannot be read", async () => {
    const fromCard = () => {
      throw new Error("EIO");
    };
    await checkSlot({ ...box(), fromCard });
    assert.match(card.state().problem ?? "", /another card/);
    assert.equal(await check(), undefined);
  });

  it("says so too when not even the head of the file system can be read", async () => {
    // Reading a folder is an error, as of a card that is worn out.
    await checkSlot({ ...box(), slotAt: () => ({ path: card.root, bytes: 0 }) });
    assert.match(card.state().problem ?? "", /another card/);
  });

  it("says so too when there is no file system", async () => {
    change(1_024, [0, 0, 0, 0]);
    assert.match((await check()) ?? "", /another card/);
  });
});
