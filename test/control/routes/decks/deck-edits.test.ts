import assert from "node:assert/strict";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { decode } from "../../../helpers/pictures.ts";
import { eachWorld } from "../../../helpers/world.ts";

const MK2 = "/api/decks/virtual-mk2";
const NEO = "/api/decks/virtual-neo";
const SECRET = "Bearer of-the-door";

describe("the editor of decks in the control API", () => {
  const world = eachWorld({ env: { VIRTUAL_DECK: "mk2,neo", SITES: "blog,shop" } });
  const owner = Owner.each(world);
  const deck = async (id = "virtual-mk2") =>
    (await owner.get("/api/decks")).decks.find((known: { id: string }) => known.id === id);
  const shown = async (slot: string, id?: string) =>
    (await deck(id)).slots.find((known: { slot: string }) => known.slot === slot);
  const text = async (slot: string, id?: string) => (await shown(slot, id)).widget.text ?? "";
  const write = async (slot: string, what: string, query = "", at = MK2) => {
    const widget = { type: "text", text: what };
    const reply = await owner.ask("PUT", `${at}/slots/${slot}${query}`, { widget });
    assert.equal(reply.status, 200, reply.text);
  };
  const move = (slot: string, to: object, at = MK2) =>
    owner.ask("POST", `${at}/slots/${slot}/move`, to);
  const done = async (reply: ReturnType<Owner["ask"]>) => {
    const { status, json, text: body } = await reply;
    assert.equal(status, 200, body);
    return json.done;
  };
  const undo = () => owner.ask("POST", "/api/decks/undo");
  const redo = () => owner.ask("POST", "/api/decks/redo");

  it("swaps two keys, and undoes and redoes it", async () => {
    await write("k3", "three");
    await write("k4", "four");
    const said = "Key 4 of Elgato Stream Deck MK.2 swapped with Key 5";
    assert.equal(await done(move("k3", { slot: "k4" })), `${said}.`);
    assert.deepEqual([await text("k3"), await text("k4")], ["four", "three"]);
    const { canUndo, canRedo } = await owner.get("/api/decks");
    assert.deepEqual([canUndo, canRedo], [said, null]);
    assert.equal(await done(undo()), `Undone: ${said}.`);
    assert.deepEqual([await text("k3"), await text("k4")], ["three", "four"]);
    assert.equal(await done(redo()), `Done again: ${said}.`);
    assert.deepEqual([await text("k3"), await text("k4")], ["four", "three"]);
  });

  it("copies a key to another deck with its actions, whose secrets nobody sees", async () => {
    await owner.ask("POST", "/api/origins", { origin: "http://192.168.1.20" });
    const press = {
      do: "request",
      method: "POST",
      url: "http://192.168.1.20/door",
      headers: { Authorization: SECRET },
    };
    const body = { widget: { type: "text", text: "door" }, press, button: true };
    assert.equal((await owner.ask("PUT", `${MK2}/slots/k3`, body)).status, 200);
    await done(move("k3", { deck: "virtual-neo", slot: "k7", copy: true }));
    assert.equal(await text("k3"), "door");
    const { widget, press: shownPress, button } = await shown("k7", "virtual-neo");
    assert.deepEqual(
      [widget.text, button, shownPress.headers],
      ["door", true, { Authorization: "…" }],
    );
    const settings = world().service.decks.setUp.settings();
    const kept = settings.find(({ id }) => id === "virtual-neo")?.pages[0]?.slots.k7?.press;
    assert.deepEqual(kept, press);
    await done(undo());
    assert.equal(await text("k7", "virtual-neo"), "");
  });

  it("swaps between pages and decks, all or nothing", async () => {
    await owner.ask("POST", `${MK2}/pages`, { name: "Second" });
    await write("k3", "first page");
    await write("k3", "second page", "?page=1");
    await done(move("k3", { slot: "k3", page: 1 }));
    const slots = (await deck()).pages.map((page: { slots: { k3: unknown } }) => page.slots.k3);
    assert.deepEqual(slots, [
      { widget: { type: "text", text: "second page" } },
      { widget: { type: "text", text: "first page" } },
    ]);
    await write("k0", "neo", "", NEO);
    await done(
      owner.ask("POST", `${MK2}/slots/k3/move?page=1`, { deck: "virtual-neo", slot: "k0" }),
    );
    assert.equal(await text("k0", "virtual-neo"), "first page");
    assert.equal((await deck()).pages[1].slots.k3.widget.text, "neo");
    await world().restart();
    assert.equal(await text("k0", "virtual-neo"), "first page");
  });

  it("keeps a key on all pages that was there, and puts one there that is to be", async () => {
    await owner.ask("POST", `${MK2}/pages`, {});
    await write("k3", "everywhere", "?fixed=1");
    await write("k4", "here");
    await done(move("k4", { slot: "k3" }));
    assert.equal((await deck()).fixed.k3.widget.text, "here");
    await done(move("k4", { slot: "k5", fixed: true, copy: true }));
    assert.equal((await deck()).fixed.k5.widget.text, "everywhere");
  });

  for (const [why, slot, to, code] of [
    ["itself", "k3", { slot: "k3" }, "invalid_field"],
    ["a slot that is not there", "k3", { slot: "k99" }, "not_found"],
    ["a deck that is not there", "k3", { deck: "none", slot: "k3" }, "not_found"],
    ["a page that is not there", "k3", { slot: "k4", page: 7 }, "not_found"],
    ["a place without a picture", "k3", { deck: "virtual-neo", slot: "t0" }, "invalid_field"],
    ["nowhere", "k3", {}, "invalid_field"],
    ["from a slot that is not there", "k99", { slot: "k3" }, "not_found"],
  ] as const)
    it(`refuses to move a key to ${why}`, async () => {
      const before = await deck();
      assertError(await move(slot, to), code === "not_found" ? 404 : 400, code);
      assert.deepEqual(await deck(), before);
    });

  it("makes one step of a text that is typed or a slider that is drawn", async () => {
    for (const typed of ["H", "He", "Hello"]) await write("k5", typed);
    for (const brightness of [60, 50, 40]) await owner.ask("PATCH", MK2, { brightness });
    await done(undo());
    assert.equal((await deck()).brightness, 70);
    await done(undo());
    assert.equal(await text("k5"), "H", "the first chose what kind of thing it shows");
    await done(undo());
    assert.equal(await text("k5"), "");
    assertError(await undo(), 409, "nothing_to_undo");
  });

  it("takes back pages with all that was on them", async () => {
    await owner.ask("POST", `${MK2}/pages`, { name: "Second" });
    await write("k3", "there", "?page=1");
    const before = (await deck()).pages;
    await owner.ask("DELETE", `${MK2}/pages/1`);
    assert.match(await done(undo()), /^Undone: A page deleted from /);
    assert.deepEqual((await deck()).pages, before);
  });

  it("remembers no change that changed nothing, nor one from before a restart", async () => {
    await owner.ask("PATCH", MK2, { brightness: 70 });
    assertError(await undo(), 409, "nothing_to_undo");
    await write("k3", "three");
    await world().restart();
    assertError(await undo(), 409, "nothing_to_undo");
    assertError(await redo(), 409, "nothing_to_redo");
  });

  it("fills a new deck by a starting point, undone by one click", async () => {
    const before = await deck();
    const said = await done(owner.ask("POST", `${MK2}/starting-point`, { name: "my sites" }));
    assert.match(said, /^The starting point “my sites” put on .*, Page 1\.$/);
    assert.deepEqual((await shown("k2")).widget, {
      type: "stat",
      site: "blog",
      metric: "uv",
      period: "day",
    });
    await done(undo());
    assert.deepEqual(await deck(), before);
    const wrong = await owner.ask("POST", `${MK2}/starting-point`, { name: "mine" });
    assertError(wrong, 400, "invalid_field");
  });

  it("shows the new page where a starting point found no room", async () => {
    for (let key = 0; key < 8; key += 1) await write(`k${key}`, "taken", "", NEO);
    await done(owner.ask("POST", `${NEO}/starting-point`, { name: "home" }));
    const { page, pages } = await deck("virtual-neo");
    assert.deepEqual([page, pages.length], [1, 2]);
  });

  it("paints a picture anew at twice its size", async () => {
    await write("k3", "fine");
    const at = (scale: string) => owner.ask("GET", `${MK2}/slots/k3/image.png?scale=${scale}`);
    const [once, twice] = [await at("1"), await at("2")];
    const small = (await decode(once.body)) ?? assert.fail();
    const large = (await decode(twice.body)) ?? assert.fail();
    assert.deepEqual([small.width, large.width, large.height], [72, 144, 144]);
    const red = (x: number, y: number) => large.data[4 * (y * 144 + x)] ?? 0;
    const fours = Array.from({ length: 72 * 72 }, (_, i) => {
      const [x, y] = [2 * (i % 72), 2 * Math.floor(i / 72)];
      return [red(x, y), red(x + 1, y), red(x, y + 1), red(x + 1, y + 1)];
    });
    const offBy = fours.map((four, i) =>
      Math.abs(four.reduce((a, b) => a + b) / 4 - (small.data[4 * i] ?? 0)),
    );
    assert.ok(offBy.reduce((a, b) => a + b) / offBy.length < 4, "it shows the same");
    assert.ok(fours.filter((four) => new Set(four).size > 1).length > 100, "it is not blown up");
    for (const scale of ["0", "5", "1.5", "02", "-1", "x"])
      assertError(await at(scale), 400, "invalid_field");
  });

  it("presses nothing that has no switch", async () => {
    assert.equal((await shown("z0", "virtual-neo")).canPress, false);
    assertError(await owner.ask("POST", `${NEO}/slots/z0/press`), 400, "invalid_field");
    assert.equal((await owner.ask("POST", `${NEO}/slots/t0/press`)).status, 204);
  });
});
