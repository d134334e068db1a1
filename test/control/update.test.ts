import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "../../appliance/base/refusal.ts";
import { rootFolders } from "../../appliance/base/system/root-requests.ts";
import { FakeUpdater } from "../helpers/fake-updater.ts";
import { eachFolder } from "../helpers/folder.ts";
import { Minisign } from "../helpers/minisign.ts";
import { assertError, Owner } from "../helpers/owner.ts";
import { madeRelease } from "../helpers/release.ts";
import { AT_REST, FakeUpdates } from "../helpers/updates.ts";
import { eachWorld, sharedWorld, World } from "../helpers/world.ts";

describe("updates over the control API", () => {
  let updates: FakeUpdates;
  let world: World;
  let owner: Owner;
  beforeEach(async () => {
    updates = new FakeUpdates();
    world = new World({ updates });
    await world.start();
    owner = new Owner(world);
  });
  afterEach(() => world.end());

  const wish = (body: unknown) => owner.ask("POST", "/api/update", body);

  it("are shown to the owner", async () => {
    assert.deepEqual(await owner.get("/api/update"), AT_REST);
  });

  it("are what the owner wants them to be", async () => {
    const wishes = [
      { action: "check" },
      { action: "now", release: 12, untried: true },
      { action: "tonight", release: 12, untried: false },
      { action: "skip", release: 12 },
      ...["cancel", "back", "keep", "seen"].map((action) => ({ action })),
    ];
    for (const each of wishes) {
      const reply = await wish(each);
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(reply.json, AT_REST);
    }
    assert.deepEqual(updates.wishes, wishes);
  });

  for (const body of [
    {},
    { action: "go" },
    { action: "now" },
    { action: "skip", release: "12" },
    { action: "now", release: 0 },
    { action: "now", release: 12, untried: 1 },
    { action: "now", release: 12, path: "/etc" },
    [],
  ])
    it(`are not changed by ${JSON.stringify(body)}`, async () => {
      assertError(await wish(body), 400, "invalid_field");
      assert.deepEqual(updates.wishes, []);
    });

  it("say why something cannot be", async () => {
    updates.refusal = new Refusal("untried_board", "Keep a card reader near.");
    assertError(await wish({ action: "now", release: 12 }), 409, "untried_board");
  });

  it("come as a file, too", async () => {
    const put = () => owner.ask("PUT", "/api/update/file", Buffer.alloc(300_000, 7));
    assert.deepEqual((await put()).json, AT_REST);
    assert.deepEqual(updates.files, [Buffer.alloc(300_000, 7)]);
    updates.refusal = new Refusal("invalid_release", "This file is no release of Tallydeck.");
    assertError(await put(), 400, "invalid_release");
  });

  it("are told to pages that are open", async () => {
    const events = await owner.listen();
    assert.deepEqual(await events.next("update"), AT_REST);
    updates.show({ restartsAt: 7 });
    await events.next("update", ({ restartsAt }) => restartsAt === 7);
    events.close();
  });

  it("are in a diagnosis, and warned of where they came to nothing", async () => {
    updates.failed = true;
    const { update, warnings } = await owner.get("/api/diagnostics");
    const { running, other, mode } = AT_REST;
    assert.deepEqual(update, { running, other, mode, updates: "ask", last: null });
    assert.deepEqual(warnings, ["update_failed"]);
    assert.deepEqual((await world.stats()).warnings, ["update_failed"]);
  });
});

describe("the box's own updates", () => {
  const folder = eachFolder();
  let signer: Minisign;
  before(() => {
    signer = new Minisign();
  });
  after(() => signer.remove());
  const world = eachWorld(() => ({
    env: {
      ROOT_DIR: folder(),
      UPDATES_DIR: join(folder(), "data"),
      UPDATE_KEY: signer.file.split("\n")[1] ?? "",
    },
  }));
  const updater = () =>
    new FakeUpdater(rootFolders(folder()).update, join(folder(), "data/bundle"));
  const put = (file: Buffer) => new Owner(world()).ask("PUT", "/api/update/file", file);

  it("are there once root has told of them, and ask nobody whom nobody named", async () => {
    const owner = new Owner(world());
    assertError(await owner.ask("GET", "/api/update"), 404, "not_found");
    const { state: told } = updater();
    world().clock.advance(1_000);
    const { running, source, updates, ready } = await owner.get("/api/update");
    assert.deepEqual([running, source, updates, ready], [told.running, null, "ask", null]);
    const check = await owner.ask("POST", "/api/update", { action: "check" });
    assertError(check, 409, "no_release_source");
    assert.match(check.json.error, /UPDATE_URL/);
  });

  it("take a file in as it comes, and keep nothing of one that is not for them", async () => {
    updater();
    world().clock.advance(1_000);
    const { bundle } = madeRelease(signer, { boards: ["somebody,else"] });
    const reply = await put(bundle);
    assertError(reply, 400, "invalid_release");
    assert.match(reply.json.error, /not made for this board/);
    assertError(await put(Buffer.alloc(100_000)), 400, "invalid_release");
    assert.deepEqual(readdirSync(join(folder(), "data")), []);
  });

  it("are left out where their folder cannot be had, and counting goes on", async () => {
    writeFileSync(join(folder(), "file"), "");
    await world().restart({ UPDATES_DIR: join(folder(), "file/data") });
    updater();
    assertError(await new Owner(world()).ask("GET", "/api/update"), 404, "not_found");
    await world().stats();
    assert.match(world().said.join("\n"), /folder for releases cannot be used/);
  });
});

describe("a program that somebody installed", () => {
  const world = sharedWorld();

  it("is not updated by itself", async () => {
    const owner = new Owner(world());
    const replies = [
      await owner.ask("GET", "/api/update"),
      await owner.ask("POST", "/api/update", { action: "check" }),
      await owner.ask("PUT", "/api/update/file", "x"),
    ];
    for (const reply of replies) assertError(reply, 404, "not_found");
    assert.equal((await owner.get("/api/diagnostics")).update, undefined);
  });
});
