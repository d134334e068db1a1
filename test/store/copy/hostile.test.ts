import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DOCUMENT_KINDS } from "../../../appliance/app/service/document-kinds.ts";
import { CopyEnd } from "../../../appliance/store/copy/end.ts";
import { CopyRefused } from "../../../appliance/store/copy/engine.ts";
import { backUp } from "../../../appliance/store/sqlite/copies/backup.ts";
import { openFolder } from "../../../appliance/store/sqlite/copies/open-folder.ts";
import { copyIn } from "../../../appliance/store/sqlite/copies/restore.ts";
import { databaseFile } from "../../../appliance/store/sqlite/database.ts";
import { DatabaseRefused } from "../../../appliance/store/sqlite/refused.ts";
import { checkAll, contentOf, copyAll } from "../../helpers/copying.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { HARMLESS_NUMBERS, HOSTILE_NUMBERS } from "../../helpers/hostile-numbers.ts";
import { drawn, lasting } from "../../helpers/long.ts";
import { MANGLINGS, mangle } from "../../helpers/mangle.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";
import { World } from "../../helpers/world.ts";

const ROUNDS = lasting(24);

describe("a copy from data with one thing changed", () => {
  const folder = eachFolder();
  const at = (name: string) => join(folder(), name);
  const world = new World({ env: { SITES: "blog,news" } });
  let file: Buffer;
  let clean: unknown;

  before(async () => {
    await world.start();
    await world.service.store.upkeep();
    await world.survey({ sv: 1, dv: "a", a: { q: "x" }, c: "fine" });
    for (let n = 0; n < 5; n++) await world.beacon({ p: "/a" });
    await world.service.store.upkeep();
    for (let n = 0; n < 3; n++) await world.beacon({ p: "/a" });
    await world.stop();
    file = readFileSync(databaseFile(world.dataDir));
  });
  after(() => world.end());

  /** Copies it to a new folder. @returns what is there then */
  async function copied(bytes: Uint8Array): Promise<unknown> {
    mkdirSync(at("box"));
    writeFileSync(databaseFile(at("box")), bytes);
    const to = new CopyEnd(await openFolder(at("there"), { isTarget: true }));
    try {
      const from = new CopyEnd(await openFolder(at("box"), { isTarget: false }));
      try {
        await copyAll(from, to);
        await checkAll(from, to);
      } finally {
        await from.close();
      }
      return await contentOf(to);
    } finally {
      await to.close();
    }
  }

  /** @returns what was brought; undefined where the owner was told what is wrong */
  async function orRefused(bytes: Uint8Array): Promise<unknown> {
    try {
      return await copied(bytes);
    } catch (error) {
      if (!(error instanceof CopyRefused || error instanceof DatabaseRefused)) throw error;
      assert.match(error.message, /^[^\n]+\.$/);
      return undefined;
    } finally {
      // The target can be backed up, and that restored.
      await backUp(databaseFile(at("there")), at("backup.db"), DOCUMENT_KINDS);
      await copyIn(at("backup.db"), at("restored.db"), DOCUMENT_KINDS);
    }
  }

  it("brings all of it where nothing is", async () => {
    clean = await copied(file);
    assert.match(JSON.stringify(clean), /\/a/);
  });

  for (const [what, change] of drawn(MANGLINGS))
    it(`is refused, or brings all the same: ${what}`, async () => {
      const brought = await orRefused(mangle(file, folder(), change));
      if (brought !== undefined) assert.deepEqual(brought, clean);
    });

  for (const [what, [, change]] of drawn(HOSTILE_NUMBERS))
    it(`is refused: ${what}`, async () => {
      assert.equal(await orRefused(mangle(file, folder(), change)), undefined);
    });

  // These many are read several times, which takes long and shows no more than a few do.
  const numbers = Object.entries(HARMLESS_NUMBERS).filter(([what]) => !what.startsWith("200,000"));
  for (const [what, change] of numbers)
    it(`comes to an end: ${what}`, async () => {
      await orRefused(mangle(file, folder(), change));
    });

  it("comes to an end, whatever bytes are flipped", async () => {
    const { below } = seeded(TEST_SEED);
    for (let round = 0; round < ROUNDS; round += 1) {
      const flipped = Buffer.from(file);
      for (let n = below(8); n >= 0; n -= 1)
        flipped[below(n % 2 === 0 ? flipped.length : 4_096)] = below(256);
      for (const name of ["box", "there"]) rmSync(at(name), { recursive: true, force: true });
      for (const name of ["backup.db", "restored.db"]) rmSync(at(name), { force: true });
      await assert.doesNotReject(orRefused(flipped), `TEST_SEED=${TEST_SEED}, round ${round}`);
    }
  });
});
