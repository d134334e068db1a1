import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fetchFile } from "../../../appliance/links/updates/fetch-file.ts";
import { ReleaseHost } from "../../../appliance/links/updates/release-host.ts";
import { RELEASES } from "../../helpers/release-host.ts";
import { until } from "../../helpers/until.ts";
import { eachBox } from "./box.ts";
import { onBrokenDisk } from "./broken-disk.ts";

describe("A release that is fetched", () => {
  const box = eachBox();
  beforeEach(() => box().check());

  const fetched = () => join(box().data, "fetched", "root.img");
  const whole = (name = "") => join(box().data, "bundle", name);
  /** Requests for the root since the last call. */
  const asked = () => box().host.asked.filter((each) => each.startsWith("root.img"));
  const isThere = () => until(() => box().updater.waiting.includes("prepare"));
  const failed = () => box().see(({ problem }) => problem !== null);
  const has = (bytes: number) =>
    until(() => existsSync(fetched()) && statSync(fetched()).size === bytes);
  const faulty = (fault: object) => {
    box().host.faults = [{ file: "root.img", ...fault }];
  };

  it("is handed over whole, with its papers", async () => {
    await box().now();
    assert.equal(await box().taken(), "prepare 12");
    const names = ["boot.tar.zst", "manifest.json", "manifest.json.minisig", "root.img"];
    assert.deepEqual(readdirSync(whole()).sort(), names);
    for (const name of names)
      assert.deepEqual(readFileSync(whole(name)), box().host.files.get(name), name);
    assert.equal(statSync(whole()).mode & 0o777, 0o700);
  });

  it("goes on where the connection broke", async () => {
    faulty({ stallAfter: 100_000 });
    await box().now();
    await has(100_000);
    box().host.hangUp();
    const { problem, ready, progress } = await failed();
    assert.match(problem ?? "", /^releases\.test could not be asked: the connection broke/);
    assert.equal(ready?.state, "downloading");
    assert.ok((progress?.done ?? 0) >= 100_000);
    box().clock.advance(10_000);
    await isThere();
    assert.deepEqual(asked(), ["root.img", "root.img bytes=100000-"]);
    assert.equal(box().view.problem, null);
  });

  it("goes on where the service ended", async () => {
    faulty({ stallAfter: 100_000 });
    await box().now();
    await has(100_000);
    await box().restart();
    await isThere();
    assert.deepEqual(asked(), ["root.img", "root.img bytes=100000-"]);
  });

  it("is not read to its end first when the service ends", async () => {
    const path = join(box().folder, "root.img");
    const bytes = box().host.files.get("root.img") ?? assert.fail();
    writeFileSync(path, bytes);
    const part = { size: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
    const { clock } = box();
    const host = new ReleaseHost({ url: RELEASES, open: box().host.open, clock, userAgent: "" });
    const to = { host, clock, freeBytes: async () => 0, progress: () => {} };
    await fetchFile("root.img", path, part, { ...to, signal: new AbortController().signal });
    const ended = fetchFile("root.img", path, part, { ...to, signal: AbortSignal.abort() });
    await assert.rejects(ended, { name: "AbortError" });
  });

  it("is whole all the same from a host that knows no parts of files", async () => {
    box().host.faults = [
      { file: "root.img", cutAfter: 100_000 },
      { file: "root.img", ignoresRange: true, isEndless: true },
    ];
    await box().now();
    await failed();
    box().clock.advance(10_000);
    await isThere();
    assert.equal(asked().length, 2);
  });

  for (const [what, stallAfter] of [
    ["nothing more comes", 50_000],
    ["it only drips", 100],
  ] as const)
    it(`is given up for now when ${what}`, async () => {
      faulty({ stallAfter });
      await box().now();
      await has(stallAfter);
      box().clock.advance(60_000);
      assert.match((await failed()).problem ?? "", /no answer in time/);
    });

  it("is deleted and fetched anew when it is not what was signed", async () => {
    faulty({ body: Buffer.alloc(300_000, "evil") });
    await box().now();
    assert.match((await failed()).problem ?? "", /not what its manifest says\. It was deleted/);
    assert.equal(existsSync(fetched()), false);
    box().clock.advance(10_000);
    await isThere();
  });

  it("is deleted when more comes than there is", async () => {
    faulty({ body: Buffer.alloc(900_000), isEndless: true });
    await box().now();
    assert.match((await failed()).problem ?? "", /more than the release has\. It was deleted/);
    assert.equal(existsSync(fetched()), false);
  });

  it("is not begun of a size that is not right", async () => {
    faulty({ body: Buffer.alloc(900_000) });
    await box().now();
    assert.match((await failed()).problem ?? "", /another root\.img than the one that was offered/);
  });

  it("is fetched anew where the host has no such part of it", async () => {
    faulty({ stallAfter: 100_000 });
    box().host.faults.push({ file: "root.img", status: 416 });
    await box().now();
    await has(100_000);
    box().host.hangUp();
    await until(() => box().record()?.wish?.failures === 1);
    box().clock.advance(10_000);
    await until(() => box().record()?.wish?.failures === 2);
    assert.match(box().view.problem ?? "", /another root\.img than the one that was offered/);
    box().clock.advance(60_000);
    await isThere();
    assert.deepEqual(asked(), ["root.img", "root.img bytes=100000-", "root.img"]);
  });

  it("is fetched anew where the card has lost some of it", async () => {
    faulty({ cutAfter: 100_000 });
    await box().now();
    await failed();
    writeFileSync(fetched(), Buffer.alloc(400_000));
    box().clock.advance(10_000);
    await isThere();
    assert.deepEqual(asked(), ["root.img", "root.img"]);
  });

  it("is another when the host has a newer one by then, and its owner is asked again", async () => {
    faulty({ status: 404 });
    box().host.faults.push({ file: "manifest.json", status: 500, times: 0 });
    await box().now();
    const before = box().host;
    box().release({ release: 13, version: "0.4.0" });
    before.faults = [{ file: "root.img", status: 404, times: 9 }];
    const { problem, ready } = await failed();
    assert.match(problem ?? "", /another release by now/);
    assert.deepEqual([ready?.release, ready?.state], [13, "offered"]);
  });

  it("is given up after some tries, and what came stays", async () => {
    faulty({ stallAfter: 1_000, times: 99 });
    await box().now();
    for (const [index, wait] of [10_000, 60_000, 300_000, 0].entries()) {
      await has((index + 1) * 1_000);
      box().host.hangUp();
      if (wait > 0) await until(() => box().record()?.wish?.failures === index + 1);
      box().clock.jump(wait);
    }
    await box().see(({ ready }) => ready?.state === "offered");
    assert.equal(statSync(fetched()).size, 4_000);
    assert.match(box().view.problem ?? "", /the connection broke/);
  });

  it("is not given up as long as enough of it comes each time", async () => {
    const part = 1_100_000;
    box().release({ release: 13, version: "0.4.0" }, Buffer.alloc(6 * part, "root"));
    await box().check();
    faulty({ stallAfter: part, times: 5 });
    await box().now(13);
    for (let broken = 1; broken <= 5; broken++) {
      await has(broken * part);
      box().host.hangUp();
      await until(() => (box().record()?.wish?.retryAt ?? 0) > box().clock.now());
      assert.equal(box().record()?.wish?.failures, 1);
      box().clock.jump(10_000);
      if (broken < 5) await until(() => asked().length > broken);
    }
    await isThere();
  });

  it("leaves room for counting", async () => {
    box().room = 200_000;
    await box().now();
    const { problem, ready } = await failed();
    assert.match(problem ?? "", /not enough free space .* counting comes first/);
    assert.equal(ready?.state, "offered");
    assert.deepEqual(box().host.asked, ["manifest.json", "manifest.json.minisig"]);
    assert.equal(existsSync(fetched()), false);
  });

  it("leaves room for counting that has less while it comes", async () => {
    faulty({ stallAfter: 100_000 });
    await box().now();
    await has(100_000);
    box().room = 100_000;
    box().host.hangUp();
    await until(() => box().record()?.wish?.failures === 1);
    box().clock.advance(10_000);
    const { problem } = await box().see(({ ready }) => ready?.state === "offered");
    assert.match(problem ?? "", /counting comes first/);
    assert.equal(existsSync(fetched()), false);
  });

  for (const [code, sentence, state] of [
    ["EIO", /kept on the card \(EIO\)\. Restart the box/, "downloading"],
    ["ENOSPC", /not enough free space/, "offered"],
  ] as const)
    it(`says so when the card answers ${code}`, () =>
      onBrokenDisk(code, async () => {
        await box().now();
        const { problem, ready } = await failed();
        assert.match(problem ?? "", sentence);
        assert.equal(ready?.state, state);
      }));

  it("leaves the one before where it is until it is whole, if there is room for both", async () => {
    await box().now();
    await isThere();
    await box().updates.act({ action: "cancel" });
    box().updater.forget("prepare");
    const begunIsLeft = async (release: number) => {
      box().release({ release });
      await box().check();
      faulty({ stallAfter: release });
      await box().now(release);
      await has(release);
      await box().updates.act({ action: "cancel" });
      return existsSync(whole());
    };
    assert.ok(await begunIsLeft(13));
    box().room = 500_000;
    assert.ok(!(await begunIsLeft(14)));
  });

  it("is not fetched again when it is here", async () => {
    await box().now();
    await isThere();
    await box().updates.act({ action: "cancel" });
    await box().restart();
    await box().now();
    await box().taken();
    assert.equal(asked().length, 1);
  });

  it("is fetched again when a file of it is not what it was", async () => {
    await box().now();
    await isThere();
    truncateSync(whole("root.img"), 5);
    box().updater.take();
    box().clock.advance(11_000);
    const { problem } = await box().see(({ ready }) => ready?.state === "offered");
    assert.match(problem ?? "", /not on this box any more/);
    await box().now();
    await isThere();
    assert.equal(asked().length, 2);
  });

  it("is called off in the middle, and goes on when it is wanted again", async () => {
    faulty({ stallAfter: 100_000 });
    await box().now();
    await has(100_000);
    await box().updates.act({ action: "cancel" });
    await box().see(({ ready, progress }) => ready?.state === "offered" && progress === null);
    await box().now();
    await isThere();
    assert.deepEqual(asked(), ["root.img", "root.img bytes=100000-"]);
  });

  it("in part is removed once nobody offers it, or nobody is asked any more", async () => {
    const begun = async () => {
      faulty({ stallAfter: 100_000 });
      await box().now();
      await until(() => existsSync(fetched()) && statSync(fetched()).size === 100_000);
      await box().updates.act({ action: "cancel" });
    };
    await begun();
    box().release({ release: 11 });
    await box().check();
    assert.equal(existsSync(fetched()), false);

    box().release();
    await box().check();
    await begun();
    box().mode = "off";
    await box().restart();
    assert.equal(existsSync(fetched()), false);
  });

  it("is removed once it runs", async () => {
    await box().now();
    await box().prepared();
    box().updater.restarted("updated", { release: 12, version: "0.3.0" });
    await box().reboot();
    await box().see(() => !existsSync(whole()));
  });
});
