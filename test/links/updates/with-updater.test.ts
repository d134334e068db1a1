import assert from "node:assert/strict";
import { join } from "node:path";
import { Readable } from "node:stream";
import { RootRequests } from "../../../appliance/base/system/root-requests.ts";
import { answerRequests, answerStick } from "../../../appliance/box/updater/requests.ts";
import { writeState } from "../../../appliance/box/updater/state.ts";
import { Bundles } from "../../../appliance/links/updates/bundles.ts";
import { UpdateRecordFile } from "../../../appliance/links/updates/record.ts";
import { Releases } from "../../../appliance/links/updates/releases.ts";
import { RootUpdater } from "../../../appliance/links/updates/root.ts";
import { Updates } from "../../../appliance/links/updates/updates.ts";
import { Card, made, NEXT, OLD } from "../../box/updater/card.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { Minisign } from "../../helpers/minisign.ts";
import { until } from "../../helpers/until.ts";

describe("The service and the updater", () => {
  let signer: Minisign;
  let card: Card;
  let updates: Updates;
  const clock = new FakeClock();
  const log = { warn: (what: unknown) => assert.fail(String(what)) };
  before(() => {
    signer = new Minisign();
  });
  after(() => signer.remove());
  beforeEach(async () => {
    card = new Card(signer.file);
    await card.bootSlot("a");
    await begin();
  });
  afterEach(async () => {
    await updates.close();
    card.remove();
  });

  async function begin(): Promise<void> {
    const folder = join(card.root, "data/tallydeck-updates");
    const board = { model: null, compatible: ["raspberrypi,4-model-b"], isTried: false };
    const record = new UpdateRecordFile(folder, log);
    const releases = await Releases.open({
      clock,
      record,
      board,
      bundles: new Bundles(folder, [signer.key]),
      host: undefined,
      freeBytes: async () => 1e9,
    });
    updates = new Updates({
      clock,
      log,
      settings: { mode: "ask", url: "", key: "" },
      board,
      record,
      releases,
      root: new RootUpdater(new RootRequests(join(card.root, "run/tallydeck-update"))),
      random: () => 0,
      timeZone: () => "UTC",
    });
  }

  /** A second passes until something was asked of the updater, and is done. */
  async function answered(box = card.box()): Promise<void> {
    const root = new RootUpdater(new RootRequests(join(card.root, "run/tallydeck-update")));
    await until(() => root.pending().length > 0);
    await answerRequests(box);
    clock.advance(1_000);
  }

  it("bring a release from a file into the other slot, and start it for a trial", async () => {
    await updates.takeIn(Readable.from([made(signer, NEXT).bundle]), undefined);
    assert.equal(updates.view()?.ready?.state, "downloaded");
    await updates.act({ action: "now", release: NEXT.release, untried: true });
    await answered();
    await until(() => updates.view()?.restartsAt !== null);
    assert.equal(updates.view()?.ready?.state, "prepared");
    assert.ok(card.isWhole("b", NEXT));
    clock.advance(60_000);
    await answered();
    assert.ok(card.ran.includes("systemctl reboot"));

    await updates.close();
    await card.powerOn();
    clock.boot = "another";
    await begin();
    assert.deepEqual(updates.view()?.running, { ...NEXT, slot: "b" });
    assert.equal(updates.view()?.mode, "trial");

    // The power is cut before it is kept.
    await updates.close();
    await card.powerOn({ wasCut: true });
    clock.boot = "a third";
    await begin();
    const { running, last, ready, restartsAt } = updates.view() ?? assert.fail();
    assert.deepEqual(running, { ...OLD, slot: "a" });
    assert.equal(last?.kind, "failed");
    assert.deepEqual([ready?.failedBefore, restartsAt], [true, null]);
    assert.deepEqual(updates.warnings(), ["update_failed"]);
  });

  it("take no answer of before for that to what is asked now", async () => {
    card.slotBytes = 100_000;
    await updates.takeIn(Readable.from([made(signer, NEXT).bundle]), undefined);
    const now = () => updates.act({ action: "now", release: NEXT.release, untried: true });
    await now();
    await answered();
    clock.advance(11_000);
    await until(() => updates.view()?.ready?.state === "downloaded");
    assert.match(updates.view()?.problem ?? "", /a slot of this card has/);

    card.slotBytes = 262_144;
    await now();
    let told: string | undefined = "nothing";
    const roomIn = () => {
      told = card.state().problem;
      return 1e9;
    };
    await answered({ ...card.box(), freeBytes: roomIn });
    assert.equal(told, undefined);
    await until(() => updates.view()?.ready?.state === "prepared");
  });

  it("let the owner put away what is wrong, until it goes wrong once more", async () => {
    const shown = async (work: () => Promise<void> | void) => {
      await work();
      clock.advance(1_000);
      return updates.view()?.problem ?? "";
    };
    const stick = () => answerStick(card.box(), "hda");
    assert.match(await shown(stick), /no USB stick/);
    assert.equal(await shown(() => updates.act({ action: "seen" })), "");
    assert.equal(await shown(() => writeState(card.box(), { offers: [] })), "");
    assert.match(await shown(stick), /no USB stick/);
  });

  it("say why a board cannot try a release", async () => {
    card.canTry = false;
    await updates.takeIn(Readable.from([made(signer, NEXT).bundle]), undefined);
    await updates.act({ action: "now", release: NEXT.release, untried: true });
    await answered();
    await until(() => updates.view()?.restartsAt !== null);
    clock.advance(60_000);
    await answered();
    clock.advance(11_000);
    const { problem, isUntriedBoard, couldNotTry, last } = updates.view() ?? assert.fail();
    assert.match(`${problem} ${last?.reason}`, /cannot try/);
    assert.ok(isUntriedBoard && couldNotTry);
    assert.ok(!card.ran.includes("systemctl reboot"));
  });
});
