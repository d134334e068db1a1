import assert from "node:assert/strict";
import { oldReleaseText } from "../../../appliance/base/text/release-age.ts";
import { tallydeck } from "../../helpers/command-line.ts";
import { eachFolder } from "../../helpers/folder.ts";

const DAY_MS = 86_400_000;
const MADE = Date.UTC(2026, 2, 4, 12);

describe("the age of a release", () => {
  const folder = eachFolder();

  it("is said from a year on", () => {
    assert.equal(oldReleaseText(MADE, MADE + 366 * DAY_MS - 1), undefined);
    assert.match(
      oldReleaseText(MADE, MADE + 366 * DAY_MS) ?? "",
      /^This release is of 2026-03-04, more/,
    );
  });

  it("is not said by a clock that is behind it", () => {
    assert.equal(oldReleaseText(MADE, 0), undefined);
  });

  for (const [command, on] of [
    ["version", "err"],
    ["diagnose", "out"],
  ] as const) {
    const place = () => (command === "diagnose" ? ["--data-dir", folder()] : []);
    it(`is told by tallydeck ${command}`, async () => {
      const told = await tallydeck([command, ...place()], {
        CLOCK_AHEAD_MS: String(3 * 366 * DAY_MS),
      });
      assert.equal(told.code, 0);
      assert.match(told[on], /This release is of 20\d\d-\d\d-\d\d, more than a year ago\./);
    });

    it(`is not told by tallydeck ${command} while it is young`, async () => {
      const told = await tallydeck([command, ...place()], {
        CLOCK_AHEAD_MS: String(-3 * 366 * DAY_MS),
      });
      assert.equal(told.code, 0);
      assert.doesNotMatch(told.out + told.err, /more than a year/);
    });
  }
});
