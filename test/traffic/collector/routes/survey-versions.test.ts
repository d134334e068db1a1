import assert from "node:assert/strict";
import { MAX_VERSIONS } from "../../../../appliance/store/surveys/report.ts";
import { onOneEngine } from "../../../helpers/engines.ts";
import { importInto } from "../../../helpers/importing.ts";
import { eachWorld } from "../../../helpers/world.ts";

onOneEngine(() => {
  describe("/surveys/versions", () => {
    const world = eachWorld({ env: { SITES: "blog,many" } });
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
      const surveys = Array.from({ length: MAX_VERSIONS + 1 }, (_, i) => ({ sv: i + 1 }));
      const day = { site: "many", day: "2026-03-01", counts: {} };
      await importInto(world(), [{ ...day, surveys: [...surveys, { sv: 1 }] }]);
      const all: { sv: number }[] = await versions("many");
      assert.equal(all.length, MAX_VERSIONS);
      assert.deepEqual([all[0]?.sv, all.at(-2)?.sv, all.at(-1)?.sv], [101, 3, 1]);
    });
  });
});
