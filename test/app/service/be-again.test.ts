import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { rootFolders } from "../../../appliance/base/system/root-requests.ts";
import type { FoundBackup } from "../../../appliance/links/backups/view.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { assertError, Owner } from "../../helpers/owner.ts";
import { ADMIN, World } from "../../helpers/world.ts";

/** A stick that is in a box, and what was of the box before. */
describe("a new box with the stick of another one", () => {
  const folder = eachFolder();
  const root = () => rootFolders(folder());
  const stick = () => join(root().stick, "fat/tallydeck-backups");
  const NEW = { SITES: "", VIRTUAL_DECK: "mini" };
  const worlds: World[] = [];
  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.end();
  });

  async function box(env: Record<string, string>): Promise<{ world: World; owner: Owner }> {
    mkdirSync(stick(), { recursive: true });
    const state = { plug: "1", folder: stick(), why: "" };
    writeFileSync(join(root().stick, "state.json"), JSON.stringify(state));
    const world = new World({ env: { ROOT_DIR: folder(), ...env } });
    worlds.push(world);
    await world.start();
    return { world, owner: new Owner(world) };
  }

  /** Root's part, on which the machine has this name. */
  function isCalled(hostname: string): void {
    mkdirSync(join(root().machine, "asked"), { recursive: true });
    const state = { hostname, timezone: "UTC", keys: [], before: {} };
    writeFileSync(join(root().machine, "state.json"), JSON.stringify(state));
  }
  /** Requests to root: the one that waits. */
  const asked = () => {
    const [file, ...others] = readdirSync(join(root().machine, "asked"));
    assert.deepEqual(others, []);
    return file && JSON.parse(readFileSync(join(root().machine, "asked", file), "utf8"));
  };

  /** A box that was called kitchen, made backups, and is gone, with what it left on the stick. */
  interface Former {
    readonly id: string;
    readonly token: string;
    readonly adminToken: string;
    readonly backups: readonly (readonly [name: string, bytes: Buffer])[];
  }

  async function liveBefore(): Promise<Former> {
    isCalled("Kitchen");
    const { world, owner } = await box({ ...NEW, STATS_TOKEN: "" });
    await owner.ask("POST", "/api/sites", { id: "blog" });
    await world.beacon({ p: "/" });
    const { token } = await owner.makePushToken();
    await owner.ask("POST", "/api/sites", { id: "shop" });
    await owner.ask("PUT", "/api/decks/virtual-mini/slots/k4", { widget: { type: "date" } });
    const mail = { host: "mail.example.org", from: "a@example.org", user: "a", password: "secret" };
    await owner.ask("PUT", "/api/mail", mail);
    const { token: adminToken } = (await owner.ask("POST", "/api/admin-token")).json;
    // The first one may have been made before all of this.
    await untilMade(owner, 0);
    world.clock.advance(5_000);
    assert.equal((await owner.ask("POST", "/api/backups")).status, 202);
    await untilMade(owner, world.clock.now() - 1_000);
    const { box: id } = await owner.get("/api/mqtt");
    await world.stop();
    assert.ok(readdirSync(stick()).every((name) => name.includes("Z-kitchen-")));
    assert.equal(asked(), undefined);
    const backups = readdirSync(stick()).map(
      (name) => [name, readFileSync(join(stick(), name))] as const,
    );
    return { id, token, adminToken, backups };
  }

  /** Its life takes seconds, and is the same for all tests. */
  let former: Former | undefined;
  async function formerBox(): Promise<Former> {
    former ??= await liveBefore();
    mkdirSync(stick(), { recursive: true });
    for (const [name, bytes] of former.backups) writeFileSync(join(stick(), name), bytes);
    return former;
  }

  async function untilMade(owner: Owner, since: number): Promise<void> {
    for (;;) {
      const [target] = (await owner.get("/api/backups")).targets;
      if (target?.isRunning === false && target.good?.at >= since) return;
      await setTimeout(100);
    }
  }

  /** Waits until a box has started as the one with this id. */
  async function untilIs(owner: Owner, id: string): Promise<void> {
    for (;;) {
      const reply = await owner.ask("GET", "/api/mqtt").catch(() => undefined);
      if (reply?.status === 200 && reply.json.box === id) return;
      await setTimeout(50);
    }
  }

  async function offered(owner: Owner): Promise<FoundBackup[]> {
    return (await owner.get("/api/found-backup")).found;
  }

  it("makes no backup of nothing, is offered the newest, and is that one again, by its name too", async () => {
    const was = await formerBox();
    const files = readdirSync(stick());
    isCalled("tallydeck");
    const { world, owner } = await box(NEW);
    const [found] = await offered(owner);
    assert.deepEqual([found?.file, found?.machine], [files.at(-1), "kitchen"]);
    assert.deepEqual((await owner.get("/api/backups")).targets, []);
    assertError(
      await owner.ask("POST", "/api/found-backup", { file: "other.db" }),
      404,
      "not_found",
    );
    const done = await owner.ask("POST", "/api/found-backup", { file: found?.file });
    assert.equal(done.status, 204, done.text);
    assert.deepEqual(asked(), { hostname: "kitchen" });
    await untilIs(owner, was.id);
    assert.equal((await world.stats({ site: "blog" })).pv?._, 1);
    const { tokens } = await owner.get("/api/push-tokens");
    assert.equal(tokens.length, 1);
    const pushed = await world.askControl("/api/push/door", {
      method: "POST",
      headers: { authorization: `Bearer ${was.token}`, "content-type": "application/json" },
      body: '{"text":"hello"}',
    });
    assert.equal(pushed.status, 200, pushed.text);
    assert.equal((await owner.get("/api/mail")).hasPassword, true);
    assert.equal((await owner.get("/api/decks")).decks[0].slots[4].widget.type, "date");
    // It goes on with the backups of the other one, and is offered nothing any more.
    assert.deepEqual(await offered(owner), []);
    await world.restart();
    assert.equal((await owner.get("/api/mqtt")).box, was.id);
  });

  for (const [what, hostname, isAsked] of [
    ["is called so already", "kitchen", true],
    ["cannot be called so", "tallydeck", false],
  ] as const)
    it(`is that one again also where it ${what}`, async () => {
      const was = await formerBox();
      isCalled(hostname);
      if (!isAsked) rmSync(join(root().machine, "asked"), { recursive: true });
      const { owner } = await box(NEW);
      const [found] = await offered(owner);
      const done = await owner.ask("POST", "/api/found-backup", { file: found?.file });
      assert.equal(done.status, 204, done.text);
      if (isAsked) assert.equal(asked(), undefined);
      await untilIs(owner, was.id);
    });

  it("is that one again by a file, too, and by its name where that of the file is one of ours", async () => {
    const was = await formerBox();
    const name = readdirSync(stick()).at(-1) ?? "";
    const file = readFileSync(join(stick(), name));
    rmSync(root().stick, { recursive: true });
    isCalled("tallydeck");
    const headers = { "content-type": "application/octet-stream" };
    for (const [query, wish] of [
      ["file=kitchen.db&file=../x", undefined],
      [`file=${name}`, { hostname: "kitchen" }],
    ] as const) {
      const { world, owner } = await box(NEW);
      const path = `/api/restore?whole=1&${query}`;
      const done = await owner.ask("POST", path, file, { headers });
      assert.equal(done.status, 204, done.text);
      assert.deepEqual(asked(), wish);
      await untilIs(owner, was.id);
      assert.equal((await owner.get("/api/push-tokens")).tokens.length, 1);
      await world.stop();
      rmSync(root().stick, { recursive: true });
    }
  });

  it("stays as it is where the backup is damaged", async () => {
    await formerBox();
    for (const name of readdirSync(stick())) writeFileSync(join(stick(), name), "no backup at all");
    const { world, owner } = await box(NEW);
    const [found] = await offered(owner);
    const refused = await owner.ask("POST", "/api/found-backup", { file: found?.file });
    assertError(refused, 400, "invalid_backup");
    assert.equal((await owner.ask("POST", "/api/sites", { id: "blog" })).status, 201);
    assert.equal((await world.ask("/", {})).status, 200);
    assert.deepEqual(await offered(owner), []);
  });

  it("is offered the newest of each machine, and those from the future last", async () => {
    await formerBox();
    const [newest = ""] = readdirSync(stick()).slice(-1);
    const own = readFileSync(join(stick(), newest));
    const other = (day: string, id: string) => `tallydeck-${day}-020000Z-attic-${id}.db`;
    const strangers = [
      ...["2026-02-01", "2026-02-02", "2026-02-03", "2026-02-04"].map((day) =>
        other(day, "11111111"),
      ),
      other("2099-01-01", "22222222"),
    ];
    for (const name of strangers) writeFileSync(join(stick(), name), "no backup at all");
    const { owner } = await box(NEW);
    const files = (await offered(owner)).map(({ file }) => file);
    assert.deepEqual(files, [newest, ...strangers.slice(1, 4).toReversed(), strangers[4]]);
    // And any of them may be taken.
    const taken = (file: string) => owner.ask("POST", "/api/found-backup", { file });
    assertError(await taken(strangers[4] ?? ""), 400, "invalid_backup");
    assertError(await taken(strangers[0] ?? ""), 404, "not_found");
    writeFileSync(join(stick(), strangers[3] ?? ""), own);
    assert.equal((await taken(strangers[3] ?? "")).status, 204);
  });

  it("keeps its owner signed in, who has the admin token of the one before again", async () => {
    const was = await formerBox();
    const { world, owner } = await box({ SITES: "", STATS_TOKEN: "", BIND: "0.0.0.0" });
    const [, code = ""] = /Setup code (\d{6})/.exec(world.console.join(" ")) ?? [];
    await owner.signIn({ code });
    const [found] = await offered(owner);
    const done = await owner.ask("POST", "/api/found-backup", { file: found?.file });
    assert.equal(done.status, 204, done.text);
    await untilIs(owner, was.id);
    await new Owner(world).signIn({ token: was.adminToken });
    await world.restart();
    assert.equal((await owner.get("/api/mqtt")).box, was.id);
  });

  it("asks for the sign-in first, as for all else", async () => {
    const { world } = await box({ ...NEW, BIND: "0.0.0.0", STATS_TOKEN: ADMIN });
    const stranger = new Owner(world);
    assert.equal((await stranger.ask("GET", "/api/found-backup")).status, 401);
    assert.equal((await stranger.ask("POST", "/api/found-backup", { file: "x" })).status, 401);
  });
});
