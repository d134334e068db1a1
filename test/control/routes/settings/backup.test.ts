import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openForReading } from "../../../../appliance/store/sqlite/database.ts";
import { tallydeck } from "../../../helpers/command-line.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { mangle } from "../../../helpers/mangle.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { ADMIN, eachWorld, type Reply, sharedWorld, World } from "../../../helpers/world.ts";

const FILE = { "content-type": "application/octet-stream" };

describe("a backup that its own box takes back over HTTP", () => {
  const MINI = "/api/decks/virtual-mini";
  const LABELS = { "1": { q: { name: "Was it good?" } } };
  const world = sharedWorld({ env: { VIRTUAL_DECK: "mini" } });
  const folder = eachFolder();
  let token: string;
  let sent: Reply;
  let restored: Reply;
  /** Answers to what is too large for a deck, by a hand and in a file of settings. */
  let tooLarge: Reply[];
  let keyBefore: number | undefined;
  const keyOf = (site: string) =>
    world().service.store.numbers.directory.sites.find(({ id }) => id === site)?.key;
  const views = async () => (await world().stats()).pv?._ ?? 0;
  const restore = (file: Buffer | string) =>
    owner.ask("POST", "/api/restore", file, { headers: FILE });

  const owner = new Owner(world);
  before(async () => {
    await owner.signIn({ token: ADMIN });
    for (const id of ["gone", "stays"])
      assert.equal((await owner.ask("POST", "/api/sites", { id })).status, 201);
    await owner.ask("PUT", "/api/sites/stays/survey-labels", LABELS);
    assert.equal((await owner.ask("DELETE", "/api/sites/gone?confirm=gone")).status, 204);
    await world().beacon({ p: "/" });
    ({ token } = await owner.makePushToken("kept-here"));
    await owner.ask("PUT", `${MINI}/slots/k4`, { widget: { type: "clock" } });
    tooLarge = await setAll();
    keyBefore = keyOf("stays");
    sent = await owner.ask("GET", "/api/backup");
    await world().beacon({ p: "/" });
    assert.equal(
      (await owner.ask("PUT", `${MINI}/slots/k4`, { widget: { type: "date" } })).status,
      200,
    );
    await owner.ask("POST", "/api/sites", { id: "later" });
    restored = await restore(sent.body);
  });

  /** Sets a deck and alarms to as much as they may be. @returns the answers to more than that */
  async function setAll(): Promise<Reply[]> {
    await owner.ask("POST", "/api/origins", { origin: "http://h.local" });
    const origin = "http://h.local/";
    const press = { do: "request", method: "POST", url: origin, body: "\u0001".repeat(4_096) };
    let reply = await owner.ask("PUT", `${MINI}/slots/k0`, { press });
    assert.equal(reply.status, 200, reply.text);
    const copy = (slot: string, page: number) =>
      owner.ask("POST", `${MINI}/slots/k0/move?page=0`, { slot, page, copy: true });
    for (let page = 1; reply.status < 300 && page < 10; page += 1) {
      await owner.ask("POST", `${MINI}/pages`, {});
      for (let key = 0; reply.status < 300 && key < 6; key += 1)
        reply = await copy(`k${key}`, page);
    }
    const exported = (await owner.ask("GET", "/api/settings/export")).json;
    exported.decks[0].fixed = Object.fromEntries(
      ["k0", "k1", "k2", "k3", "k4", "k5"].map((slot) => [
        slot,
        { widget: { type: "clock" }, press, hold: press },
      ]),
    );
    const webhook = origin + "\u{1f600}".repeat(2_048 - origin.length);
    const alarms = { silence: true, rush: false, webhook };
    assert.equal((await owner.ask("PUT", "/api/sites/blog/alarms", alarms)).status, 200);
    return [reply, await owner.ask("POST", "/api/settings/import", exported)];
  }

  it("is taken with as much as decks and alarms may be set to", () => {
    for (const reply of tooLarge) assertError(reply, 400, "invalid_field");
    assert.match(tooLarge[0]?.json.error, /more than 512 kB. Shorten/);
    assert.equal(restored.status, 204, restored.text);
  });

  it("is named by its day, tells its size, and leaves out who is signed in", () => {
    const { headers, body } = sent;
    assert.equal(headers["content-disposition"], 'attachment; filename="tallydeck-2026-03-04.db"');
    assert.equal(headers["content-length"], String(body.length));
    assert.equal(body.toString("latin1", 0, 15), "SQLite format 3");
    const file = join(folder(), "a.db");
    writeFileSync(file, body);
    const db = openForReading(file);
    assert.deepEqual(db.prepare("SELECT DISTINCT kind FROM document ORDER BY kind").pluck().all(), [
      "deck",
      "site",
      "site_alarms",
      "survey_labels",
    ]);
    db.close();
  });

  it("brings what is set of a site to it, whatever its number is then", async () => {
    assert.notEqual(keyOf("stays"), keyBefore);
    assert.deepEqual(await owner.get("/api/sites/stays/survey-labels"), LABELS);
  });

  it("leaves push tokens out of the file and with the box, and nothing behind", async () => {
    assert.ok(!sent.body.includes("kept-here"));
    await restore("no database");
    assert.deepEqual(
      readdirSync(world().dataDir).filter((name) => !/^(?:tallydeck\.db|service\.lock)/.test(name)),
      [],
    );
    assert.deepEqual(
      (await owner.get("/api/push-tokens")).tokens.map(({ name }: { name: string }) => name),
      ["kept-here"],
    );
    await world().restart();
    const headers = { authorization: `Bearer ${token}` };
    const reply = await owner.ask("POST", "/api/push/a", { text: "x" }, { headers });
    assert.equal(reply.status, 200);
  });

  it("brings back what was counted and set, and it goes on counting, durably", async () => {
    assert.equal(await views(), 1);
    assert.equal((await owner.get("/api/decks")).decks[0].slots[4].widget.type, "clock");
    const found = (await owner.get("/api/sites")).sites.map(({ id }: { id: string }) => id);
    assert.deepEqual(found, ["blog", "stays"]);
    await world().beacon({ p: "/" });
    assert.equal(await views(), 2);
    await world().restart();
    assert.equal(await views(), 2);
  });
});

describe("backup and restore over HTTP", () => {
  const world = eachWorld({ env: { VIRTUAL_DECK: "mini" } });
  const folder = eachFolder();
  const owner = Owner.each(world);
  const backup = async (): Promise<Buffer> => {
    const reply = await owner.ask("GET", "/api/backup");
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  const restore = (file: Buffer | string, by = owner) =>
    by.ask("POST", "/api/restore", file, { headers: FILE });
  const views = async (of = world()) => (await of.stats()).pv?._ ?? 0;

  it("take a deck in of which parts cannot be, and leave those out", async () => {
    const request = { do: "request", method: "GET", url: 5 };
    const slots = {
      k0: { widget: { type: "text", text: "stays" }, press: request, hold: { do: "sleep" } },
      k1: { widget: { type: "clock" }, press: "x" },
      k2: { widget: { type: "worldclock", timeZone: "Mars/X" }, press: { do: "sleep" } },
    };
    const pages = [{ name: "next", slots }];
    const sleep = { afterMinutes: 2 ** 40, night: { from: "aa", to: "bb" } };
    const settings = { pages, fixed: {}, sleep, homeAfterSeconds: 2 ** 40 };
    // Only a deck that somebody has set up is in the file.
    await owner.ask("PATCH", "/api/decks/virtual-mini", { name: "Desk" });
    const file = mangle(await backup(), folder(), (db) =>
      db
        .prepare("UPDATE document SET body = json_patch(body, ?) WHERE kind = 'deck'")
        .run(JSON.stringify(settings)),
    );
    const reply = await restore(file);
    assert.equal(reply.status, 204, reply.text);
    for (const restart of [false, true]) {
      if (restart) await world().restart();
      const [deck] = (await owner.get("/api/decks")).decks;
      const found = deck.pages.map(({ name }: { name: string }) => name);
      assert.deepEqual(found, ["Page 1"]);
      assert.deepEqual(
        [deck.sleep, deck.homeAfterSeconds],
        [{ afterMinutes: null, night: null }, null],
      );
      const [k0, k1, k2] = deck.slots;
      assert.deepEqual([k0.widget.text, k0.press, k0.hold], ["stays", undefined, { do: "sleep" }]);
      assert.deepEqual([k1.widget.type, k1.press], ["clock", undefined]);
      assert.deepEqual([k2.widget.type, k2.press], ["empty", { do: "sleep" }]);
    }
  });

  it("take back all that a box keeps, which takes no more decks than that", async () => {
    const press = {
      do: "request",
      method: "POST",
      url: "http://h.local/",
      body: "x".repeat(4_096),
    };
    const slot = { widget: { type: "clock" }, press, hold: press, turn: press };
    const slots = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, key) => [`k${key}`, slot]));
    const deck = (n: number, pages: object[]) => ({
      id: `xl-${n}`,
      model: "xl",
      serial: "",
      name: `Deck ${n}`,
      brightness: 50,
      pages,
    });
    const large = (n: number) =>
      deck(n, [
        { name: "A", slots: slots(32) },
        { name: "B", slots: slots(9) },
      ]);
    const take = (decks: object[], query = "") =>
      owner.ask("POST", `/api/settings/import${query}`, { decks });
    for (const decks of [
      [0, 1, 2, 3],
      [4, 5, 6, 7],
    ])
      assert.equal((await take(decks.map(large))).status, 204);
    for (const query of ["?preview=1", ""]) {
      const reply = await take([large(8)], query);
      assertError(reply, 409, "deck_limit");
      assert.match(reply.json.error, /keeps 100 decks, and 4 MB of what they are set to/);
    }
    await owner.ask("POST", "/api/origins", { origin: "http://h.local" });
    let reply = await owner.ask("PUT", "/api/decks/virtual-mini/slots/k0", slot);
    for (let key = 1; reply.status === 200 && key < 32; key += 1)
      reply = await owner.ask("PUT", `/api/decks/xl-7/slots/k${key}?page=1`, slot);
    assertError(reply, 400, "invalid_field");
    await owner.ask("POST", "/api/decks/virtual-mini/pages", {});
    for (let at = 1; reply.status !== 409 && at < 12; at += 1)
      reply = await owner.ask(
        "PUT",
        `/api/decks/virtual-mini/slots/k${at % 6}?page=${Math.floor(at / 6)}`,
        slot,
      );
    assertError(reply, 409, "deck_limit");
    assert.equal((await restore(await backup())).status, 204);
    await world().restart();
    assert.equal((await owner.get("/api/decks")).decks.length, 9);
  });

  it("move a box's data to another, whose push tokens stay", async () => {
    await owner.ask("POST", "/api/sites", { id: "notes" });
    await world().beacon({ p: "/" });
    await world().beacon({ p: "/" }, { s: "notes" });
    const file = await backup();
    const there = new World({ env: { SITES: "notes" } });
    await there.start();
    try {
      const other = new Owner(there);
      const { token } = await other.makePushToken();
      assert.equal((await restore(file, other)).status, 204);
      assert.equal((await there.stats({ site: "notes" })).pv._, 1);
      await there.beacon({ p: "/" }, { s: "notes" });
      assert.equal((await there.stats({ site: "notes" })).pv._, 2);
      // A site that only the other box's configuration declares is retired here, with its numbers.
      assert.equal((await there.readRaw("/stats")).status, 401);
      const headers = { authorization: `Bearer ${token}` };
      const reply = await other.ask("POST", "/api/push/a", { text: "x" }, { headers });
      assert.equal(reply.status, 200);
    } finally {
      await there.end();
    }
  });

  it("count hits that come in the middle for the site they were meant for", async () => {
    await owner.ask("POST", "/api/sites", { id: "notes" });
    const file = await backup();
    // The same site has another number now than in the backup.
    await owner.ask("DELETE", "/api/sites/notes?confirm=notes");
    await owner.ask("POST", "/api/sites", { id: "gone" });
    await owner.ask("POST", "/api/sites", { id: "notes" });
    const sent: Promise<unknown>[] = [];
    let over = false;
    const restored = restore(file).finally(() => {
      over = true;
    });
    while (!over) {
      for (const s of ["notes", "gone", "blog"]) sent.push(world().beacon({ p: `/${s}` }, { s }));
      await sent.at(-1);
    }
    await Promise.all([restored, ...sent]);
    for (const site of ["notes", "blog"]) {
      const { path = {} } = await world().stats({ site });
      const left = Object.keys(path).filter((counted) => counted !== `/${site}`);
      assert.deepEqual(left, []);
    }
    await world().beacon({ p: "/notes" }, { s: "notes" });
    assert.ok((await world().stats({ site: "notes" })).pv._ >= 1);
  });

  for (const [what, file] of [
    ["an empty file", ""],
    ["no database", "x".repeat(10_000)],
  ] as const)
    it(`take ${what} for what it is, and change nothing`, async () => {
      await world().beacon({ p: "/" });
      const reply = await restore(file);
      assertError(reply, 400, "invalid_backup");
      assert.ok(!reply.json.error.includes(world().dataDir), reply.json.error);
      assert.equal(await views(), 1);
    });

  it("refuse a damaged backup, and change nothing", async () => {
    for (let page = 0; page < 40; page += 1) await world().beacon({ p: `/${page}` });
    const file = await backup();
    file.fill(0x5a, file.length / 2, file.length / 2 + 8_192);
    assertError(await restore(file), 400, "invalid_backup");
    assertError(await restore(file.subarray(0, file.length / 2)), 400, "invalid_backup");
    assert.equal(await views(), 40);
  });

  it("are understood by the command line, and the other way round", async () => {
    await world().beacon({ p: "/" });
    await owner.makePushToken("kept-here");
    const file = join(folder(), "a.db");
    writeFileSync(file, await backup());
    const refused = await tallydeck(["restore", file, "--data-dir", world().dataDir]);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /running/);
    await world().beacon({ p: "/" });
    await world().stop();
    assert.equal((await tallydeck(["restore", file, "--data-dir", world().dataDir])).code, 0);
    await world().start();
    assert.equal(await views(), 1);
    assert.equal((await owner.get("/api/push-tokens")).tokens.length, 1);
  });
});

describe("a backup of which the sender does not tell the size", () => {
  const ROOM = 100_000;
  const world = eachWorld({
    space: async () => ({ free: 128 * 1024 * 1024 + 2 * ROOM, total: 2_000_000_000 }),
  });

  it("is given up as soon as it is too large, and leaves nothing", async () => {
    const owner = new Owner(world());
    const headers = { ...FILE, "transfer-encoding": "chunked" };
    const reply = await owner.ask("POST", "/api/restore", Buffer.alloc(2 * ROOM), { headers });
    assertError(reply, 413, "too_large");
    const left = readdirSync(world().dataDir).filter((name) => name.startsWith("exchange-"));
    assert.deepEqual(left, []);
  });
});

describe("a backup where space is short", () => {
  const world = eachWorld({ space: async () => ({ free: 1_000_000, total: 10_000_000_000 }) });

  it("is refused rather than that counting suffers", async () => {
    const owner = new Owner(world());
    assertError(await owner.ask("GET", "/api/backup"), 507, "no_space");
    const reply = await owner.ask("POST", "/api/restore", "x", { headers: FILE });
    assertError(reply, 413, "too_large");
  });
});
