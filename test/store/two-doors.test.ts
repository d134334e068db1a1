import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { silentLog } from "../../appliance/base/log.ts";
import { sha256 } from "../../appliance/base/system/secrets.ts";
import { SESSIONS } from "../../appliance/control/sessions.ts";
import { AWAKE, DECKS } from "../../appliance/deck/settings/deck-settings.ts";
import { documentsChange, documentsOf } from "../../appliance/store/documents.ts";
import type { Engine, EngineAnswer, EngineEvents } from "../../appliance/store/engine.ts";
import { writerTo } from "../../appliance/store/engines.ts";
import { databaseFile } from "../../appliance/store/sqlite/database.ts";
import { SqliteEngine } from "../../appliance/store/sqlite/engine.ts";
import { Store } from "../../appliance/store/store.ts";
import type { WriteInput, WriteName } from "../../appliance/store/writes.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { eachFolder } from "../helpers/folder.ts";
import { UNHEARD } from "../helpers/memory-engine.ts";
import { reusedThreads } from "../helpers/threads.ts";
import { viewOf } from "../helpers/traffic.ts";

const DECK = {
  model: "mk2",
  serial: "",
  brightness: 70,
  pages: [{ name: "A", slots: {} }],
  fixed: {},
  ...AWAKE,
};
const HERE = sha256("here").toString("hex");
const ELSEWHERE = sha256("elsewhere").toString("hex");

/** Both places are files here; what stands in for the fleet's need not know that it is not alone. */
describe("a box beside a fleet", () => {
  const folder = eachFolder();
  let store: Store;
  let fleet: Engine;
  /** The fleet's engine stores nothing, or the box's. */
  let fleetRefuses: boolean;
  let boxRefuses: boolean;
  /** The fleet's engine tells nothing, as while its database is away. */
  let isSilent: boolean;

  const open = (name: string, events: EngineEvents) =>
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
    store = await Store.open(
      {
        dataDir: folder(),
        databaseUrl: "postgres://fleet.example/",
        retentionDays: 100,
        detailDays: 0,
        clock: new FakeClock(),
        log: silentLog(),
      },
      {
        file: async (_, events) => refusing(await open("box", events), () => boxRefuses),
        async shared({ clock }, events) {
          if (!isSilent) clock.hear(clock.now());
          fleet = refusing(await open("fleet", isSilent ? UNHEARD : events), () => fleetRefuses);
          return fleet;
        },
      },
    );
  }

  beforeEach(async () => {
    fleetRefuses = false;
    boxRefuses = false;
    isSilent = false;
    await start();
  });
  afterEach(() => store.close());

  const write = <W extends WriteName>(name: W, input: WriteInput<W>, to: Engine = fleet) =>
    writerTo(to, silentLog())(name, input);
  const addSite = (id: string) => store.numbers.write("createSite", { id });
  const makeToken = (token: string, kept: string | null = null) =>
    store.write("setAdminToken", { hash: sha256(token), kept });
  const ids = () => store.numbers.directory.sites.map(({ id }) => id);
  const adminHash = () => Buffer.from(store.numbers.directory.adminHash ?? []);
  const sessions = async () => (await documentsOf(store.local, SESSIONS)).map(({ id }) => id);
  const session = (id: string) =>
    documentsChange(SESSIONS, { put: [{ id, body: { expiresAt: 1 } }] });
  const signIn = (id: string) => store.local.write("changeDocuments", session(id));
  const save = (name: string) =>
    documentsChange(DECKS, { put: [{ id: "mk2-1", body: { ...DECK, name } }] });
  const decks = async () =>
    (await documentsOf(store.local, DECKS)).map(({ id, body }) => [id, body.name]);
  const isRefused = { code: "storage_unavailable" };

  it("has the fleet's sites, and decks of its own", async () => {
    await addSite("blog");
    await store.local.write("changeDocuments", save("Kitchen"));
    assert.deepEqual(ids(), ["blog"]);
    assert.deepEqual(await decks(), [["mk2-1", "Kitchen"]]);
    assert.deepEqual(await fleet.reads.read("documents", { kind: DECKS.name }), []);
  });

  it("knows the admin token, and no site, before the fleet was heard", async () => {
    await makeToken("one");
    await addSite("blog");
    await store.close();
    isSilent = true;
    await start();
    assert.deepEqual(ids(), []);
    assert.deepEqual(adminHash(), sha256("one"));
  });

  it("signs others out with a new admin token, and not who made it", async () => {
    await makeToken("one");
    for (const session of [HERE, ELSEWHERE]) await signIn(session);
    await makeToken("two", HERE);
    assert.deepEqual(await sessions(), [HERE]);
    assert.deepEqual(adminHash(), sha256("two"));
  });

  it("signs everybody out when the fleet got another admin token elsewhere", async () => {
    await makeToken("one");
    await signIn(HERE);
    await write("setAdminToken", { hash: sha256("two"), kept: null });
    assert.deepEqual(await sessions(), []);
  });

  it("does so at its start where that was while it was off", async () => {
    await makeToken("one");
    await signIn(HERE);
    await store.close();
    const alone = await open("fleet", UNHEARD);
    await write("setAdminToken", { hash: sha256("two"), kept: null }, alone);
    await alone.close();
    await start();
    // In its turn, after what the fleet told.
    await addSite("blog");
    assert.deepEqual(await sessions(), []);
  });

  it("does so when a file with another one takes the place of its own", async () => {
    await makeToken("one");
    const other = await open("other", UNHEARD);
    await write("setAdminToken", { hash: sha256("two"), kept: null }, other);
    await write("changeDocuments", session(HERE), other);
    await other.close();
    const file = databaseFile(join(folder(), "other"));
    await store.local.replaceFile(async (box) => copyFileSync(file, box));
    assert.deepEqual(await sessions(), []);
    assert.deepEqual(adminHash(), sha256("one"));
  });

  it("leaves the admin token as it is where one of both cannot store it", async () => {
    await makeToken("one");
    await signIn(HERE);
    fleetRefuses = true;
    await assert.rejects(makeToken("two"), isRefused);
    fleetRefuses = false;
    boxRefuses = true;
    await assert.rejects(makeToken("two"), isRefused);
    assert.deepEqual(adminHash(), sha256("one"));
    boxRefuses = false;
    assert.deepEqual(await sessions(), [HERE]);
  });

  it("takes settings in on both sides, and puts both back", async () => {
    await store.local.write("changeDocuments", save("Kitchen"));
    const imported = {
      sites: [{ id: "shop", host: "s.example" }],
      documents: [save("Hall")],
    };
    const before = await store.write("importSettings", imported);
    assert.deepEqual(ids(), ["shop"]);
    assert.deepEqual(await decks(), [["mk2-1", "Hall"]]);
    assert.deepEqual(await store.write("undoImport", before), []);
    assert.deepEqual(ids(), []);
    assert.deepEqual(await decks(), [["mk2-1", "Kitchen"]]);
  });

  it("takes settings in on neither side where one cannot, and undoes them on neither", async () => {
    const imported = { sites: [{ id: "shop", host: "s.example" }], documents: [save("Kitchen")] };
    boxRefuses = true;
    await assert.rejects(store.write("importSettings", imported), isRefused);
    assert.deepEqual(ids(), []);
    boxRefuses = false;
    fleetRefuses = true;
    await assert.rejects(store.write("importSettings", imported), isRefused);
    assert.deepEqual(await decks(), []);
    fleetRefuses = false;
    const before = await store.write("importSettings", imported);
    boxRefuses = true;
    await assert.rejects(store.write("undoImport", before), isRefused);
    const found = store.numbers.directory.sites.map(({ id, host }) => [id, host]);
    assert.deepEqual(found, [["shop", "s.example"]]);
  });

  it("takes decks in while the fleet is away", async () => {
    fleetRefuses = true;
    await store.write("importSettings", { sites: [], documents: [save("Kitchen")] });
    assert.deepEqual(await decks(), [["mk2-1", "Kitchen"]]);
  });

  it("counts and answers while another file takes the place of its own", async () => {
    await addSite("blog");
    const { local, numbers } = store;
    const site = numbers.directory.sites[0]?.key ?? 0;
    const today = numbers.zone.today(new FakeClock().now());
    await local.replaceFile(async () => {
      await numbers.count(site, viewOf({ path: "/" }));
      const days = { site, from: today, to: today };
      const { total } = await numbers.read("viewCounts", days, { lane: "public" });
      assert.equal(total, 1);
    });
  });

  for (const away of ["fleet", "box"] as const)
    it(`does the upkeep of one place while nothing can be done in the ${away}`, async () => {
      const refuse = (refuses: boolean) => {
        if (away === "fleet") fleetRefuses = refuses;
        else boxRefuses = refuses;
      };
      refuse(true);
      const { numbers, local } = store;
      const [ofFleet, ofBox] = await Promise.all([numbers.upkeep.anew(), local.upkeep.anew()]);
      assert.deepEqual([ofFleet, ofBox], [away !== "fleet", away !== "box"]);
      refuse(false);
      assert.ok(await (away === "fleet" ? numbers : local).upkeep.anew());
    });
});

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
