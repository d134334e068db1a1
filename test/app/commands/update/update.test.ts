import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { CommandFailed, type Terminal } from "../../../../appliance/app/commands/command.ts";
import { updateWith } from "../../../../appliance/app/commands/update/update.ts";
import { Refusal } from "../../../../appliance/base/refusal.ts";
import { answerRequests } from "../../../../appliance/box/updater/requests.ts";
import { Bundles } from "../../../../appliance/links/updates/bundles.ts";
import { UpdateRecordFile } from "../../../../appliance/links/updates/record.ts";
import { Card, made, NEXT, OLD } from "../../../box/updater/card.ts";
import { tallydeck } from "../../../helpers/command-line.ts";
import { Minisign } from "../../../helpers/minisign.ts";
import { RELEASES, ReleaseHostFake } from "../../../helpers/release-host.ts";

describe("tallydeck update", () => {
  let signer: Minisign;
  let card: Card;
  let host: ReleaseHostFake;
  before(async () => {
    signer = new Minisign();
    host = new ReleaseHostFake();
    await host.start();
  });
  after(async () => {
    signer.remove();
    await host.stop();
  });
  beforeEach(async () => {
    card = new Card(signer.file);
    await card.bootSlot("a");
  });
  afterEach(() => card.remove());

  /** Its output. @param typed the input; empty without a terminal */
  async function update(args: string, typed = "", env: Record<string, string> = {}) {
    const lines: string[] = [];
    const terminal: Terminal = {
      env: {
        ROOT_DIR: join(card.root, "run"),
        UPDATES_DIR: join(card.root, "data/tallydeck-updates"),
        UPDATE_KEY: signer.file.split("\n")[1],
        TZ: "UTC",
        ...env,
      },
      program: "tallydeck",
      columns: 80,
      now: () => 0,
      timeZone: () => "UTC",
      out: (line) => lines.push(line),
      err: (line) => lines.push(line),
      output: process.stdout,
      yieldToOthers: () => {},
      isPiped: () => false,
      onStop: () => () => {},
      input: async () => typed,
    };
    const command = updateWith({
      box: () => card.box(),
      board: () => ({ model: null, compatible: ["raspberrypi,4-model-b"], isTried: false }),
      // Root's path unit starts it whenever something is asked.
      sleep: () => answerRequests(card.box()),
      open: host.open,
    });
    await command.run(args.split(" ").filter(Boolean), terminal);
    return lines.join("\n");
  }
  const says = async (sentence: RegExp, ...asked: Parameters<typeof update>) =>
    assert.match(await update(...asked), sentence);
  const failing = (sentence: RegExp) => (error: unknown) =>
    (error instanceof CommandFailed || error instanceof Refusal) && sentence.test(error.message);
  const file = (bytes: Buffer = made(signer, NEXT).bundle) => {
    const path = join(card.root, "new.tallydeck");
    writeFileSync(path, bytes);
    return path;
  };

  it("says what runs, and that nobody is asked", async () => {
    assert.equal(
      await update("status"),
      `Runs        0.2.0 (release 11) in slot a
Looks       for no release: nobody said where they are (UPDATE_URL)`,
    );
    assert.equal(await update(""), await update("status"));
    await says(/^Looks {7}for no release \(UPDATES=off\)$/m, "", "", { UPDATES: "off" });
  });

  it("says what was uploaded or found, and what became of it", async () => {
    const { manifest, signature, bundle } = made(signer, NEXT);
    const papers = { manifest: String(manifest), signature: String(signature) };
    const folder = join(card.root, "data/tallydeck-updates");
    const record = new UpdateRecordFile(folder, { warn: assert.fail });
    await record.change({ found: papers, problem: "The connection broke." });
    const env = { UPDATE_URL: RELEASES };
    await says(
      /^Ready {7}0\.3\.0 \(release 12\): .*, not downloaded yet\n(?:.*\n)*Problem {5}The connection broke\.$/m,
      "status",
      "",
      env,
    );
    await says(/^Looks .*; installs it at night once one was installed by hand$/m, "status", "", {
      ...env,
      UPDATES: "auto",
    });
    // The offer is gone.
    assert.doesNotMatch(await update("status"), /^Ready/m);
    const bundles = new Bundles(folder, [signer.key]);
    await bundles.takeIn(Readable.from([bundle]), async () => {});
    await record.change({ uploaded: NEXT.release });
    await says(/^Ready .*, on this box, uploaded$/m, "status");
  });

  it("installs a file, and waits where nobody agrees to a restart", async () => {
    const said = await update(`apply ${file()}`);
    assert.match(said, /^0\.3\.0 \(release 12\) is signed, whole, and made for this board\.$/m);
    assert.match(said, /^It is written beside the running system, and read back\.$/m);
    assert.match(said, /never tried: keep a card reader near/);
    assert.match(said, /\nIt waits\./);
    assert.deepEqual(card.state().prepared, NEXT);
    await says(/^Ready {7}0\.3\.0 \(release 12\).*written to the other slot/m, "status");
    assert.ok(!card.ran.includes("systemctl reboot"));
  });

  for (const [what, flag, typed] of [
    ["who agrees", "", "y"],
    ["who said so before", " --yes", ""],
  ] as const)
    it(`restarts for ${what}, and tells the next time how it went`, async () => {
      const said = await update(`apply ${file()}${flag}`, typed);
      assert.match(said, /The box restarts, and is back in about two minutes/);
      assert.ok(card.ran.includes("systemctl reboot"));
      await card.powerOn({ wasCut: true });
      await says(/^Last .*The update to 0\.3\.0 was interrupted\./m, "status");
    });

  it("says why a file cannot be installed, and changes nothing", async () => {
    const apply = (bytes: Buffer) => update(`apply ${file(bytes)} --yes`);
    const whole = made(signer, NEXT).bundle;
    await assert.rejects(apply(Buffer.alloc(5_000)), failing(/cannot be installed\. .*\.$/));
    await assert.rejects(apply(whole.subarray(0, 90_000)), failing(/cannot be installed\. .*\.$/));
    await assert.rejects(apply(made(signer, OLD).bundle), failing(/is running already/));
    await assert.rejects(update("apply /nowhere"), failing(/^There is no file \/nowhere\.$/));
    assert.equal(card.state().prepared, undefined);
    assert.deepEqual(card.ran, []);
  });

  it("lets a release be copied to its end that comes in by another way", async () => {
    const copied = "data/system/update.new/root.img";
    const path = file();
    card.write(copied, "half of it");
    card.lock = async () => undefined;
    await assert.rejects(update(`apply ${path} --yes`), failing(/The box is busy .* try again/));
    assert.equal(card.read(copied), "half of it");
    let isFree = false;
    card.lock = async () => () => {
      isFree = true;
    };
    await update(`apply ${path}`);
    assert.ok(isFree);
    assert.deepEqual(card.state().prepared, NEXT);
  });

  it("goes back where there is something, and its owner agrees", async () => {
    await assert.rejects(update("back"), failing(/no other release/));
    card.putSlot("b", { release: 10, version: "0.1.0" });
    await card.bootSlot("a");
    await says(/^Other slot {2}0\.1\.0 \(release 10\): `tallydeck update back`/m, "status");
    await says(/Nothing was changed\.$/, "back", "n");
    await says(/The box restarts/, "back", "y");
    assert.ok(card.ran.includes("systemctl reboot"));
  });

  it("looks for a newer release where it is told to", async () => {
    await assert.rejects(update("check"), failing(/UPDATE_URL/));
    const env = { UPDATE_URL: RELEASES };
    await assert.rejects(update("check", "", { ...env, UPDATES: "off" }), failing(/UPDATES=off/));
    assert.equal(host.opened, 0);
    const put = (release = NEXT, said = {}) => {
      const { manifest, signature } = made(signer, release, said);
      host.files.set("manifest.json", manifest);
      host.files.set("manifest.json.minisig", signature);
    };
    put();
    await says(/^0\.3\.0 \(release 12\), \d.* kB, is at releases\.test\.$/m, "check", "", env);
    await says(/\nInstall it in the Web UI/, "check", "", env);
    put(NEXT, { from: 12 });
    await says(/\n.* Install one in between first\.$/, "check", "", env);
    put();
    card.putSlot("b", NEXT);
    card.write("data/system/update.json", JSON.stringify({ ...card.journal(), highest: 12 }));
    await card.bootSlot("a");
    await says(/in the other slot .* `tallydeck update back`/, "check", "", env);
    put(OLD);
    await says(/nothing newer than 0\.2\.0/, "check", "", env);
    host.faults = [{ file: "manifest.json", status: 500 }];
    await assert.rejects(update("check", "", env), failing(/answered 500/));
  });

  it("is of the box alone, and says how it is used", async () => {
    const [off, wrong, nothing] = await Promise.all([
      tallydeck(["update"]),
      tallydeck(["update", "aply"]),
      tallydeck(["update", "apply"]),
    ]);
    assert.equal(off.code, 1);
    assert.match(off.err, /^Tallydeck is a program on this machine/);
    assert.equal(wrong.code, 2);
    assert.match(wrong.err, /not understood\. Did you mean apply\?/);
    assert.match(nothing.err, /^Name one file: `\.\/scripts\/tallydeck update apply FILE`\./);
  });
});
