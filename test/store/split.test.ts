import assert from "node:assert/strict";
import { join } from "node:path";
import { silentLog } from "../../appliance/base/log.ts";
import { sha256 } from "../../appliance/base/secrets.ts";
import { SESSIONS } from "../../appliance/control/sessions.ts";
import { AWAKE, DECKS } from "../../appliance/deck/settings/deck-settings.ts";
import { documentsChange, documentsOf } from "../../appliance/store/documents.ts";
import type { Engine, EngineAnswer, EngineEvents } from "../../appliance/store/engine.ts";
import type { BeforeImport } from "../../appliance/store/rows.ts";
import type { Directory } from "../../appliance/store/sites/directory.ts";
import { SplitEngine } from "../../appliance/store/split.ts";
import { SqliteEngine } from "../../appliance/store/sqlite/engine.ts";
import type { WriteInput, WriteName } from "../../appliance/store/writes.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { eachFolder } from "../helpers/folder.ts";
import { reusedThreads } from "../helpers/threads.ts";

const DECK = {
  ...{ model: "mk2", serial: "", brightness: 70 },
  ...{ pages: [{ name: "A", slots: {} }], fixed: {}, ...AWAKE },
};
const HERE = sha256("here").toString("hex");
const ELSEWHERE = sha256("elsewhere").toString("hex");

/** Both halves are files here; what stands in for the fleet's need not know that it is not alone. */
describe("a box beside a fleet", () => {
  const folder = eachFolder();
  let split: SplitEngine;
  let fleet: Engine;
  let directory: Directory;
  /** The fleet's engine stores nothing, or the box's. */
  let fleetRefuses: boolean;
  let boxRefuses: boolean;
  /** The fleet's engine tells nothing, as while its database is away. */
  let isSilent: boolean;

  const open = (name: string) => (events: EngineEvents) =>
    SqliteEngine.open(
      {
        dataDir: join(folder(), name),
        clock: new FakeClock(),
        log: silentLog(),
        threads: reusedThreads,
      },
      events,
    );

  async function start(): Promise<void> {
    const nothing = () => {};
    split = await SplitEngine.open(
      {
        async openFleet(events) {
          const heard = isSilent ? EVENTS : events;
          fleet = refusing(await open("fleet")(heard), () => fleetRefuses);
          return fleet;
        },
        openBox: async (events) => refusing(await open("box")(events), () => boxRefuses),
      },
      {
        directory: (now) => {
          directory = now;
        },
        opened: nothing,
        refused: nothing,
        counted: nothing,
        live: nothing,
        damaged: nothing,
        room: nothing,
        views: () => new Map(),
        asked: () => [],
      },
    );
  }

  beforeEach(async () => {
    fleetRefuses = false;
    boxRefuses = false;
    isSilent = false;
    await start();
  });
  afterEach(() => split.close());

  const send = <W extends WriteName>(name: W, input: WriteInput<W>, to: Engine = split) =>
    to.send({ kind: "write", name, input });
  const write = async <W extends WriteName>(name: W, input: WriteInput<W>, to?: Engine) => {
    const answer = await send(name, input, to);
    assert.ok(answer.ok, JSON.stringify(answer));
    return answer.result;
  };
  const ids = () => directory.sites.map(({ id }) => id);
  const sessions = async () =>
    (await split.read("documents", { kind: SESSIONS.name })).map(({ id }) => id);
  const signIn = (id: string) =>
    write("changeDocuments", documentsChange(SESSIONS, { put: [{ id, body: { expiresAt: 1 } }] }));
  const save = (name: string) =>
    documentsChange(DECKS, { put: [{ id: "mk2-1", body: { ...DECK, name } }] });
  const decks = async () =>
    (await documentsOf(split, DECKS)).map(({ id, body }) => [id, body.name]);
  it("has the fleet's sites, and decks of its own", async () => {
    await write("createSite", { id: "blog" });
    await write("changeDocuments", save("Kitchen"));
    assert.deepEqual(ids(), ["blog"]);
    assert.deepEqual(await decks(), [["mk2-1", "Kitchen"]]);
    assert.deepEqual(await documentsOf(fleet, DECKS), []);
  });

  it("knows the admin token, and no site, before the fleet was heard", async () => {
    await write("setAdminToken", { hash: sha256("one"), kept: null });
    await write("createSite", { id: "blog" });
    await split.close();
    isSilent = true;
    await start();
    assert.deepEqual([split.ready, ids()], [false, []]);
    assert.deepEqual(Buffer.from(directory.adminHash ?? []), sha256("one"));
  });

  it("signs others out with a new admin token, and not who made it", async () => {
    await write("setAdminToken", { hash: sha256("one"), kept: null });
    for (const session of [HERE, ELSEWHERE]) await signIn(session);
    await write("setAdminToken", { hash: sha256("two"), kept: HERE });
    assert.deepEqual(await sessions(), [HERE]);
    assert.deepEqual(Buffer.from(directory.adminHash ?? []), sha256("two"));
  });

  it("signs everybody out when the fleet got another admin token elsewhere", async () => {
    await write("setAdminToken", { hash: sha256("one"), kept: null });
    await signIn(HERE);
    await write("setAdminToken", { hash: sha256("two"), kept: null }, fleet);
    // In its turn, after what the fleet told.
    await write("createSite", { id: "blog" });
    assert.deepEqual(await sessions(), []);
  });

  it("does so at its start where that was while it was off", async () => {
    await write("setAdminToken", { hash: sha256("one"), kept: null });
    await signIn(HERE);
    await split.close();
    const alone = await open("fleet")({ ...EVENTS });
    await write("setAdminToken", { hash: sha256("two"), kept: null }, alone);
    await alone.close();
    await start();
    assert.deepEqual(await sessions(), []);
  });

  it("leaves the admin token as it is where one of both cannot store it", async () => {
    await write("setAdminToken", { hash: sha256("one"), kept: null });
    await signIn(HERE);
    const another = { hash: sha256("two"), kept: null };
    fleetRefuses = true;
    assert.equal((await send("setAdminToken", another)).ok, false);
    fleetRefuses = false;
    boxRefuses = true;
    assert.equal((await send("setAdminToken", another)).ok, false);
    assert.deepEqual(Buffer.from(directory.adminHash ?? []), sha256("one"));
    boxRefuses = false;
    assert.deepEqual(await sessions(), [HERE]);
  });

  it("takes settings in on both sides, and puts both back", async () => {
    await write("changeDocuments", save("Kitchen"));
    const imported = {
      sites: [{ id: "shop", host: "s.example" }],
      documents: [save("Hall")],
    };
    const before = await write("importSettings", imported);
    assert.deepEqual(ids(), ["shop"]);
    assert.deepEqual(await decks(), [["mk2-1", "Hall"]]);
    assert.deepEqual(await write("undoImport", before as BeforeImport), []);
    assert.deepEqual(ids(), []);
    assert.deepEqual(await decks(), [["mk2-1", "Kitchen"]]);
  });

  it("takes settings in on neither side where one cannot, and undoes them on neither", async () => {
    const imported = { sites: [{ id: "shop", host: "s.example" }], documents: [save("Kitchen")] };
    boxRefuses = true;
    assert.equal((await send("importSettings", imported)).ok, false);
    assert.deepEqual(ids(), []);
    boxRefuses = false;
    fleetRefuses = true;
    assert.equal((await send("importSettings", imported)).ok, false);
    assert.deepEqual(await decks(), []);
    fleetRefuses = false;
    const before = (await write("importSettings", imported)) as BeforeImport;
    boxRefuses = true;
    assert.equal((await send("undoImport", before)).ok, false);
    assert.deepEqual(
      directory.sites.map(({ id, host }) => [id, host]),
      [["shop", "s.example"]],
    );
  });

  it("takes decks in while the fleet is away", async () => {
    fleetRefuses = true;
    await write("importSettings", { sites: [], documents: [save("Kitchen")] });
    assert.deepEqual(await decks(), [["mk2-1", "Kitchen"]]);
  });
});

const EVENTS: EngineEvents = {
  directory() {},
  opened() {},
  refused() {},
  counted() {},
  live() {},
  damaged() {},
  room() {},
  views: () => new Map(),
  asked: () => [],
};

const NO: EngineAnswer = { ok: false, busy: false, message: "no room" };

/** The same engine, which changes nothing while `refuses`. */
function refusing<E extends Engine>(engine: E, refuses: () => boolean): E {
  return new Proxy(engine, {
    get(target, name) {
      if (name === "send" && refuses()) return async () => NO;
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
