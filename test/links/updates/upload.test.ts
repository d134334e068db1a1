import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { isRefusal, type RefusalCode } from "../../../appliance/base/refusal.ts";
import { Minisign } from "../../helpers/minisign.ts";
import { madeRelease } from "../../helpers/release.ts";
import { eachBox } from "./box.ts";
import { onBrokenDisk } from "./broken-disk.ts";

describe("A release that its owner uploads", () => {
  const box = eachBox((each) => {
    each.mode = "off";
  });
  const put = (file: Buffer, declared?: number) =>
    box().updates.takeIn(Readable.from([file.subarray(0, 9_000), file.subarray(9_000)]), declared);

  const nothingOf = async (file: Buffer, code: RefusalCode, sentence: RegExp) => {
    await assert.rejects(put(file), (error) => {
      assert.ok(isRefusal(error, code), String(error));
      assert.match(error.message, sentence);
      return true;
    });
    assert.equal(box().view.ready, null);
    const left = existsSync(box().data) ? readdirSync(box().data) : [];
    const found = left.filter((name) => name !== "record.json");
    assert.deepEqual(found, []);
  };

  it("is offered, over a restart, and installed when he says so", async () => {
    await put(box().release());
    await box().restart();
    const { ready } = box().view;
    assert.deepEqual([ready?.release, ready?.source, ready?.state], [12, "upload", "downloaded"]);
    assert.deepEqual(box().updater.waiting, []);
    await box().now();
    assert.equal(await box().taken(), "prepare 12");
    assert.deepEqual(box().host.asked, []);
  });

  it("takes the place of the one before", async () => {
    await put(box().release());
    await put(box().release({ release: 13 }));
    assert.equal(box().view.ready?.release, 13);
    assert.deepEqual(readdirSync(box().data).sort(), ["bundle", "record.json"]);
  });

  it("leaves nothing when it is cut", async () => {
    const file = box().release();
    await nothingOf(file.subarray(0, file.length / 2), "invalid_release", /\.$/);
  });

  it("leaves nothing when the connection breaks", async () => {
    const file = box().release();
    const broken = Readable.from(
      (function* () {
        yield file.subarray(0, 20_000);
        throw Object.assign(new Error("aborted"), { code: "ECONNRESET" });
      })(),
    );
    await assert.rejects(box().updates.takeIn(broken, undefined), /ended before it was complete/);
    assert.deepEqual(readdirSync(box().data), []);
  });

  for (const [code, refusal, sentence] of [
    ["EIO", "storage_unavailable", /kept on the card \(EIO\)\. Restart the box/],
    ["EROFS", "storage_unavailable", /kept on the card \(EROFS\)\. Restart the box/],
    ["ENOSPC", "no_space", /not enough space/],
  ] as const)
    it(`leaves nothing when the card answers ${code}, and says so`, () =>
      onBrokenDisk(code, () => nothingOf(box().release(), refusal, sentence)));

  it("leaves nothing when the service ended meanwhile", async () => {
    const incoming = join(box().data, "incoming");
    mkdirSync(incoming);
    writeFileSync(join(incoming, "boot.tar.zst"), "half of it");
    await box().restart();
    assert.deepEqual(readdirSync(box().data), []);
    await put(box().release());
    assert.equal(box().view.ready?.release, 12);
  });

  it("leads back all the same where the card lets nothing be removed", async () => {
    mkdirSync(join(box().data, "incoming"));
    box().updater.tell({ other: { release: 10, version: "0.1.0" } });
    await onBrokenDisk("EROFS", async () => {
      await box().restart();
      await box().updates.act({ action: "back" });
    });
    assert.deepEqual(box().updater.waiting, ["rollback"]);
  });

  it("is the only one until it is here", async () => {
    const file = box().release();
    const slow = new PassThrough();
    slow.write(file.subarray(0, 9_000));
    const first = box().updates.takeIn(slow, undefined);
    await assert.rejects(put(file), (error) => isRefusal(error, "not_now"));
    const offer = { release: 13, version: "0.4.0", bytes: 7, notes: "", source: "stick" as const };
    box().updater.tell({ offers: [offer] });
    await box().see(({ ready }) => ready?.release === 13);
    await assert.rejects(box().now(13), (error) => isRefusal(error, "not_now"));
    box().updater.tell({ offers: [] });
    slow.end(file.subarray(9_000));
    await first;
    assert.equal(box().view.ready?.state, "downloaded");
  });

  it("leaves nothing when it was changed on its way", async () => {
    const file = Buffer.from(box().release());
    file.fill(1, file.length / 2, file.length / 2 + 9);
    await nothingOf(file, "invalid_release", /damaged|not what its manifest says/);
  });

  it("leaves nothing when somebody else signed it", async () => {
    const signer = new Minisign();
    await nothingOf(madeRelease(signer).bundle, "invalid_release", /signed with the key/);
    signer.remove();
  });

  it("leaves nothing when it is no release", async () => {
    await nothingOf(Buffer.alloc(20_000, "x"), "invalid_release", /\.$/);
    await nothingOf(Buffer.alloc(0), "invalid_release", /\.$/);
  });

  it("leaves nothing when it is not newer, or for another board", async () => {
    await nothingOf(box().release({ release: 11 }), "invalid_release", /is running already/);
    await nothingOf(box().release({ release: 10 }), "invalid_release", /not newer/);
    await nothingOf(
      box().release({ boards: ["raspberrypi,3-model-b"] }),
      "invalid_release",
      /not made for this board/,
    );
  });

  it("leaves room for counting", async () => {
    box().room = 100_000;
    await nothingOf(box().release(), "no_space", /counting comes first/);
  });

  it("needs no room for the one whose place it takes", async () => {
    await put(box().release());
    box().room = 500_000;
    await put(box().release({ release: 13 }));
    assert.equal(box().view.ready?.release, 13);
  });

  it("costs the one before nothing where it breaks off, unless both have no room", async () => {
    await put(box().release());
    const next = box().release({ release: 13 });
    const isLeft = async () => {
      await assert.rejects(put(next.subarray(0, next.length / 2)));
      return box().view.ready?.release === 12;
    };
    assert.ok(await isLeft());
    // It would not even fit without it.
    box().room = 100_000;
    assert.ok(await isLeft());
    box().room = 500_000;
    assert.ok(!(await isLeft()));
    assert.deepEqual(readdirSync(box().data), ["record.json"]);
  });

  it("is not begun when it is larger than any", async () => {
    await assert.rejects(put(Buffer.alloc(9), 2 ** 31), (error) => isRefusal(error, "too_large"));
  });

  it("waits until one before is installed, and until a trial is over", async () => {
    await put(box().release());
    await box().now();
    await assert.rejects(put(box().release()), (error) => isRefusal(error, "not_now"));
    await box().updates.act({ action: "cancel" });
    box().updater.tell({ mode: "trial" });
    await assert.rejects(put(box().release()), (error) => isRefusal(error, "not_now"));
  });
});
