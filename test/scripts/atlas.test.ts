import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { lettered } from "../../scripts/atlas.ts";

const FILE = createRequire(import.meta.url).resolve("world-atlas/countries-110m.json");

describe("the atlas of the maps", () => {
  it("has every country that has a number by its two letters, Brazil among them", async () => {
    const { geometries } = (await lettered(FILE)).objects.countries;
    const numbered = JSON.parse(readFileSync(FILE, "utf8")).objects.countries.geometries;
    const wrong = geometries.filter(
      ({ id }, i) => numbered[i].id !== undefined && !/^[A-Z]{2}$/.test(String(id)),
    );
    assert.deepEqual(wrong, []);
    assert.equal(new Set(geometries.map(({ id }) => id)).size, geometries.length - 1);
    const at = numbered.findIndex(({ id }: { id: string }) => id === "076");
    assert.deepEqual([geometries[at]?.id, geometries[at]?.properties], ["BR", { name: "Brazil" }]);
  });

  it("has Kosovo, which has letters and no number, and leaves out whose neither is agreed", async () => {
    const { geometries } = (await lettered(FILE)).objects.countries;
    const named = (name: string) => geometries.find(({ properties }) => properties.name === name);
    assert.equal(named("Kosovo")?.id, "XK");
    assert.deepEqual([named("N. Cyprus")?.id, named("Somaliland")?.id], [undefined, undefined]);
  });
});
