import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { MAX_VERSIONS } from "../../../appliance/store/surveys/versions.ts";
import { eachWorld } from "../../helpers/world.ts";

describe("/surveys/versions", () => {
  const world = eachWorld({
    prepare: (db) => {
      const site = db.prepare("SELECT key FROM site WHERE id = 'many'").pluck().get();
      if (site === undefined) return;
      const add = db.prepare(
        "INSERT INTO survey (site, version, day, payload) VALUES (?, ?, 1, ?)",
      );
      for (let sv = 1; sv <= MAX_VERSIONS + 1; sv++) add.run(site, sv, JSON.stringify({ sv }));
      add.run(site, 1, JSON.stringify({ sv: 1 }));
    },
    env: { SITES: "blog,many" },
  });
  const versions = async (site = "blog") =>
    (await world().read("/surveys/versions", { site })).versions;

  it("tells of nothing where nobody responded", async () => {
    assert.deepEqual(await world().read("/surveys/versions"), {
      site: "blog",
      versions: [],
      labels: {},
    });
  });

  it("has the newest first, with how many responded and the last day on which somebody did", async () => {
    await world().survey({ sv: 1 });
    await world().survey({ sv: 3 });
    world().clock.setWall(world().clock.now() + 24 * 3_600_000);
    await world().survey({ sv: 1 });
    assert.deepEqual(await versions(), [
      { sv: 3, total: 1, last: "2026-03-04" },
      { sv: 1, total: 2, last: "2026-03-05" },
    ]);
  });

  it("leaves out those with the fewest responses where there are very many", async () => {
    await world().restart();
    const all: { sv: number }[] = await versions("many");
    assert.equal(all.length, MAX_VERSIONS);
    assert.deepEqual([all[0]?.sv, all.at(-2)?.sv, all.at(-1)?.sv], [101, 3, 1]);
  });
});
