import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { drawnAtlas, placedZones } from "../../scripts/atlas.ts";

const { resolve } = createRequire(import.meta.url);
const FILE = resolve("world-atlas/countries-110m.json");
const ZONES = resolve("moment-timezone/data/meta/latest.json");

/** The box around all points of a path of steps. */
function boxOf(path: string) {
  const xs: number[] = [];
  const ys: number[] = [];
  for (const outline of path.matchAll(/M(\d+) (\d+)l([^z]+)z/g)) {
    let [x, y] = [Number(outline[1]), Number(outline[2])];
    const steps = (outline[3]?.match(/-?\d+/g) ?? []).map(Number);
    for (let i = 0; i < steps.length; i += 2) {
      x += steps[i] ?? 0;
      y += steps[i + 1] ?? 0;
      xs.push(x);
      ys.push(y);
    }
  }
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

describe("the atlas of the maps", () => {
  it("has every country that has a number by its two letters, Kosovo too, and other land without", async () => {
    const { countries } = await drawnAtlas(FILE);
    const { geometries } = JSON.parse(readFileSync(FILE, "utf8")).objects.countries;
    const named = geometries.filter(
      ({ id, properties }: { id?: string; properties: { name: string } }) =>
        id !== undefined || properties.name === "Kosovo",
    );
    const letters = Object.keys(countries).filter((one) => /^[A-Z]{2}$/.test(one));
    assert.equal(letters.length, named.length);
    assert.deepEqual(
      Object.keys(countries).filter((one) => !letters.includes(one)),
      [""],
    );
    assert.ok("XK" in countries && "BR" in countries);
  });

  it("draws countries where they are, within the map", async () => {
    const { countries, width, height, parallels } = await drawnAtlas(FILE);
    for (const [letters, path] of Object.entries(countries)) {
      const [left = -1, top = -1, right = -1, bottom = -1] = boxOf(path);
      const isWithin = left >= 0 && top >= 0 && right <= width && bottom <= height;
      assert.ok(isWithin, `${letters} ${[left, top, right, bottom]}`);
    }
    const [left = 0, , right = 0] = boxOf(countries.BR ?? "");
    // Brazil is between 74 and 34 degrees west, about the equator.
    const [scale = 0] = parallels[9] ?? [];
    assert.ok(Math.abs(width / 2 - 74 * scale - left) < 6, `${left}`);
    assert.ok(Math.abs(width / 2 - 34.8 * scale - right) < 6, `${right}`);
  });

  it("has the place of each zone, and its countries", async () => {
    const zones = await placedZones(ZONES);
    assert.ok(zones.length > 300);
    const [, x = 0, y = 0, countries] = zones.find(([name]) => name === "Europe/Berlin") ?? [];
    const [left = 0, top = 0, right = 0, bottom = 0] = boxOf(
      (await drawnAtlas(FILE)).countries.DE ?? "",
    );
    assert.ok(x >= left && x <= right && y >= top && y <= bottom, `${x} ${y}`);
    assert.ok(countries?.split(" ").includes("DE"));
  });
});
