import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { textOf } from "../../../../appliance/base/system/files.ts";
import { rootFolders } from "../../../../appliance/base/system/root-requests.ts";
import { FakeMini } from "../../../helpers/fake-hid-elgato.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { until } from "../../../helpers/until.ts";
import { eachWorld } from "../../../helpers/world.ts";

const QUIET = { pending: false, confirmWithin: null };
const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAx7Kq9d anna@desk";

describe("the machine's own settings in the Web UI's API", () => {
  const folder = eachFolder();
  const root = () => rootFolders(folder()).machine;
  const world = eachWorld(() => {
    mkdirSync(join(root(), "asked"), { recursive: true });
    return { env: { ROOT_DIR: folder() } };
  });
  const asked = () => join(root(), "asked/change.json");
  const put = (body: unknown) => new Owner(world()).ask("PUT", "/api/machine", body);

  it("are root's word, and a change is a request to it", async () => {
    const owner = new Owner(world());
    assert.deepEqual(await owner.get("/api/machine"), { settings: null, ...QUIET });
    const settings = { hostname: "attic", timezone: "UTC", keys: [], before: {} };
    writeFileSync(join(root(), "state.json"), JSON.stringify(settings));
    assert.deepEqual(await owner.get("/api/machine"), { settings, ...QUIET });
    const wish = { hostname: "cellar", removeKey: "AAAA" };
    assert.deepEqual((await put(wish)).json, { settings, ...QUIET, pending: true });
    assert.deepEqual(JSON.parse(readFileSync(asked(), "utf8")), wish);
    assert.equal(statSync(asked()).mode & 0o777, 0o640);
  });

  it("take no name and no zone that no machine could have", async () => {
    for (const body of [
      { hostname: "a b" },
      { hostname: "localhost" },
      { hostname: "x".repeat(64) },
      { timezone: "Atlantis" },
      { addKey: `ssh-ed25519 ${"x".repeat(5_000)}` },
      { addKey: "\u001b[2J" },
      { code: "123456" },
      { removeKey: 7 },
      { password: "x" },
    ])
      assertError(await put(body), 400, "invalid_field");
    rmSync(join(root(), "asked"), { recursive: true });
    assertError(await put({ hostname: "cellar" }), 503, "machine_failed");
  });
});

describe("an ssh key that is added in the Web UI", () => {
  const folder = eachFolder();
  const root = () => rootFolders(folder()).machine;
  const world = eachWorld(() => {
    mkdirSync(join(root(), "asked"), { recursive: true });
    return { env: { ROOT_DIR: folder(), VIRTUAL_DECK: "mini" } };
  });
  const put = (body: unknown) => new Owner(world()).ask("PUT", "/api/machine", body);
  const add = () => put({ addKey: KEY });
  const asked = () => textOf(join(root(), "asked/change.json"));
  const isAdded = () => asked() === JSON.stringify({ addKey: KEY });
  const screen = () => world().screen.at(-1) ?? "";
  const codeOnScreen = () => /Type (\d{4}) (\d{4}) there/.exec(screen())?.slice(1).join("") ?? "";
  const confirmWithin = async () => (await new Owner(world()).get("/api/machine")).confirmWithin;

  it("waits a minute for somebody at the box, and then for nobody", async () => {
    assert.equal((await add()).json.confirmWithin, 60);
    assert.match(screen(), /ssh key …x7Kq9d/);
    world().clock.advance(59_000);
    assert.equal(await confirmWithin(), 1);
    const code = codeOnScreen();
    world().clock.advance(1_000);
    assert.equal(await confirmWithin(), null);
    assert.doesNotMatch(screen(), /ssh/);
    assertError(await put({ code }), 401, "unauthorized");
    assert.equal(asked(), undefined);
  });

  it("is let in by a press of the deck's key that asks for it, and by no other", async () => {
    const deck = new FakeMini();
    const { decks } = world().service;
    const pressed: string[] = [];
    decks.gestures.on(({ slot }) => pressed.push(slot));
    world().usb.plug(deck);
    const plugged = () => decks.list().find(({ connected, virtual }) => connected && !virtual);
    await until(() => plugged() !== undefined);
    const { id = "", slots = [] } = plugged() ?? {};
    const shots = () => slots.map(({ slot }) => Buffer.from(decks.png(id, slot)).toString("hex"));
    const before = shots();
    await add();
    const now = shots();
    const asking = slots.filter((_, at) => now[at] !== before[at]);
    assert.equal(asking.length, 1);
    for (const at of slots.filter((slot) => !asking.includes(slot))) {
      deck.press(at.slot);
      await until(() => pressed.includes(at.slot));
    }
    assert.equal(asked(), undefined);
    // A finger that was on its way to what the key showed before.
    deck.press(asking[0]?.slot ?? "");
    deck.press(slots.at(-1)?.slot ?? "");
    await until(() => pressed.length === slots.length);
    assert.equal(asked(), undefined);
    world().clock.advance(1_000);
    deck.press(asking[0]?.slot ?? "");
    await until(isAdded);
    assert.equal(await confirmWithin(), null);
    assert.equal(pressed.length, slots.length);
  });

  it("is let in by no key of a deck that is only in the Web UI", async () => {
    await add();
    const owner = new Owner(world());
    const [{ id, slots }] = (await owner.get("/api/decks")).decks;
    for (const { slot } of slots)
      assert.equal((await owner.ask("POST", `/api/decks/${id}/slots/${slot}/press`)).status, 204);
    assert.equal(asked(), undefined);
    assert.equal(await confirmWithin(), 60);
  });

  it("is let in by the code on the screen, which stands nowhere else", async () => {
    await add();
    const code = codeOnScreen();
    const answers = await Promise.all(
      ["/api/machine", "/api/diagnostics", "/api/decks", "/api/box"].map((path) =>
        new Owner(world()).ask("GET", path),
      ),
    );
    const shown = new RegExp(`${code.slice(0, 4)} ?${code.slice(4)}`);
    for (const text of [...answers.map(({ text }) => text), ...world().console, ...world().said])
      assert.doesNotMatch(text, shown);
    assert.equal((await put({ code })).json.pending, true);
    assert.ok(isAdded());
    assertError(await put({ code }), 401, "unauthorized");
  });

  it("has three tries for the code, and another code the next time", async () => {
    await add();
    const code = codeOnScreen();
    const wrong = code === "00000000" ? "00000001" : "00000000";
    for (let count = 0; count < 3; count += 1)
      assertError(await put({ code: wrong }), 401, "unauthorized");
    assertError(await put({ code }), 401, "unauthorized");
    await add();
    assert.notEqual(codeOnScreen(), code);
    assert.equal(asked(), undefined);
  });
});

describe("the settings of a machine that is not ours", () => {
  const world = eachWorld();

  it("are not to be changed here", async () => {
    const answer = await new Owner(world()).ask("PUT", "/api/machine", { hostname: "cellar" });
    assertError(answer, 409, "not_a_box");
  });
});
