import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { MARK_LIMITS } from "../../../../appliance/base/text/marks.ts";
import { tallydeck } from "../../../helpers/command-line.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { RunningService } from "../../../helpers/tallydeck.ts";
import { serviceOn } from "../../../helpers/world.ts";

describe("tallydeck mark", () => {
  const folder = eachFolder();
  const markIn = (zone: string, ...args: string[]) =>
    tallydeck(["mark", ...args, "--data-dir", folder()], { TZ: zone });
  const mark = (...args: string[]) => markIn("UTC", ...args);
  const start = () => serviceOn(folder(), { SITES: "blog", STATS_TOKEN: "t" });
  const list = async () => (await mark("blog")).out;
  const today = () => new Date().toISOString().slice(0, 10);

  it("notes what happened, which a running service shows", async () => {
    const service = await RunningService.startHere(folder(), { SITES: "blog", STATS_TOKEN: "t" });
    const day = today();
    assert.deepEqual(await mark("blog", "Released", "2.0"), {
      code: 0,
      out: "Added one mark.\n",
      err: "",
    });
    await mark("blog", "Posted", "--day", "2026-01-31");
    const shown = (await service.ask("/marks?site=blog&token=t")).json;
    assert.deepEqual(shown.marks, [
      { day: "2026-01-31", text: "Posted" },
      { day, text: "Released 2.0" },
    ]);
    assert.equal(await list(), `2026-01-31 Posted\n${day} Released 2.0\n`);
    await service.end();
  });

  it("says on which day it was put where today may be another here", async () => {
    await (await start()).stop();
    const { out } = await markIn("Asia/Tokyo", "blog", "Released");
    assert.equal(out, `Added one mark on ${today()}, today in UTC.\n`);
    const told = await markIn("Asia/Tokyo", "blog", "Posted", "--day", "2026-01-31");
    assert.equal(told.out, "Added one mark.\n");
  });

  it("takes them from a file, each once, and takes them away", async () => {
    await (await start()).stop();
    const file = join(folder(), "marks.txt");
    writeFileSync(
      file,
      "2026-01-31 Released 2.0\n\n2026-01-01  New Year \n2026-01-31 Released 2.0\n",
    );
    assert.equal((await mark("blog", "--from", file)).out, "Added 2 marks.\n");
    assert.equal(await list(), "2026-01-01 New Year\n2026-01-31 Released 2.0\n");
    assert.deepEqual(JSON.parse((await mark("blog", "--json")).out)[0], {
      day: "2026-01-01",
      text: "New Year",
    });
    assert.equal((await mark("blog", "New Year", "--remove")).out, "Took away one mark.\n");
    assert.equal(await list(), "2026-01-31 Released 2.0\n");
  });

  describe("changes nothing where it", () => {
    for (const [args, code, sentence] of [
      [["blog", "Text", "--day", "2026-02-30"], 2, "--day must be a day like 2026-01-31."],
      [["blog", "Text", "--remove"], 1, "blog has no mark “Text”: `"],
      [["shop", "Text"], 1, "There is no site shop."],
      [["blog", "--remove"], 2, "Say which to take away: `"],
      [[], 2, "Say which site: `"],
    ] as const)
      it(`says: ${sentence}`, async () => {
        await (await start()).stop();
        const { code: left, err } = await mark(...args);
        assert.deepEqual([left, err.includes(sentence)], [code, true], err);
        assert.equal(await list(), "");
      });

    it("meets a line that is none, or more than a site has", async () => {
      await (await start()).stop();
      const file = join(folder(), "marks.txt");
      writeFileSync(file, "2026-01-31 Fine\nyesterday Not fine\n");
      assert.match((await mark("blog", "--from", file)).err, /Line 2 must be a day and a text/);
      const many = Array.from({ length: MARK_LIMITS.marks + 1 }, (_, n) => `2026-01-31 Mark ${n}`);
      writeFileSync(file, many.join("\n"));
      assert.match((await mark("blog", "--from", file)).err, /at most 200 marks/);
      assert.equal(await list(), "");
    });
  });
});
