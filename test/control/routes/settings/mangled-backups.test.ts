import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tallydeck } from "../../../helpers/command-line.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { drawn, isLong } from "../../../helpers/long.ts";
import { MANGLINGS, mangle } from "../../../helpers/mangle.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { seeded, TEST_SEED } from "../../../helpers/seeded.ts";
import { World } from "../../../helpers/world.ts";

const FILE = { "content-type": "application/octet-stream" };
/** Rounds of flipped bytes. */
const ROUNDS = isLong ? 12 : 3;

describe("a backup with one thing changed", () => {
  const folder = eachFolder();
  const world = new World({ env: { VIRTUAL_DECK: "mini" } });
  const owner = new Owner(world);
  let file: Buffer;
  let counted = 0;

  before(async () => {
    await world.start();
    await world.survey({ sv: 1, dv: "a", a: { q: "x" }, c: "fine" });
    await owner.ask("PUT", "/api/decks/virtual-mini/slots/k4", { widget: { type: "date" } });
    await count();
    file = (await owner.ask("GET", "/api/backup")).body;
    // A view that a wrong restore would lose.
    await count();
  });
  after(() => world.end());

  async function count(): Promise<void> {
    await world.beacon({ p: "/" });
    counted += 1;
  }
  const views = async () => (await world.stats()).pv?._ ?? 0;
  const restore = (body: Buffer) => owner.ask("POST", "/api/restore", body, { headers: FILE });

  for (const [what, change] of drawn(MANGLINGS))
    it(`is refused: ${what}`, async () => {
      const reply = await restore(mangle(file, folder(), change));
      assertError(reply, 400, "invalid_backup");
      assert.match(reply.json.error, /^This file /);
      assert.equal(await views(), counted);
      await count();
      assert.equal(await views(), counted);
    });

  it("is refused: a format that SQLite does not know", async () => {
    const changed = Buffer.from(file);
    changed.writeUInt32BE(99, 44);
    assertError(await restore(changed), 400, "invalid_backup");
  });

  it("leaves data that a start takes", async () => {
    await world.restart();
    assert.equal(await views(), counted);
    assert.equal((await world.read("/surveys")).total, 1);
    assert.equal((await owner.get("/api/decks")).decks[0].slots[4].widget.type, "date");
  });

  for (const what of [
    "no table document",
    "a version below zero",
    "a block that ends in the middle",
  ])
    it(`is refused on the command line: ${what}`, async () => {
      const path = join(folder(), "mangled.db");
      mangle(file, folder(), MANGLINGS[what] ?? assert.fail());
      await world.stop();
      const { code, out, err } = await tallydeck(["restore", path, "--data-dir", world.dataDir]);
      assert.deepEqual([code, out], [1, ""]);
      assert.ok(err.startsWith(path) && err.trimEnd().endsWith("."), err);
      await world.start();
      assert.equal(await views(), counted);
    });

  it("is refused or holds good, whatever bytes are flipped", async () => {
    const { below } = seeded(TEST_SEED);
    for (let round = 0; round < ROUNDS; round += 1) {
      const said = `TEST_SEED=${TEST_SEED}, round ${round}`;
      const flipped = Buffer.from(file);
      for (let n = below(8); n >= 0; n -= 1) {
        // Half of them where the file says what is in it.
        const at = below(n % 2 === 0 ? flipped.length : 4_096);
        flipped[at] = below(256);
      }
      const before = await views();
      const reply = await restore(flipped);
      assert.ok([204, 400].includes(reply.status), `${said}: ${reply.status} ${reply.text}`);
      const held = await views();
      if (reply.status === 400) assert.equal(held, before, said);
      await world.beacon({ p: "/flipped" });
      assert.equal(await views(), held + 1, said);
      if (reply.status === 204) await world.restart();
      assert.equal(await views(), held + 1, said);
    }
  });
});

describe("a file that pretends to be larger than it is", () => {
  const folder = eachFolder();
  it("is refused on the command line", async () => {
    const path = join(folder(), "sparse.db");
    writeFileSync(path, "SQLite format 3\0".padEnd(100_000, "\xff"), "latin1");
    const { code, err } = await tallydeck(["restore", path, "--data-dir", join(folder(), "data")]);
    assert.equal(code, 1);
    assert.match(err, /sparse\.db is damaged or no database/);
  });
});
