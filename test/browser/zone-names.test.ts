import assert from "node:assert/strict";
import { countryOfZone } from "../../appliance/traffic/collector/counting/zone-country.ts";
import { openChromium } from "../helpers/chromium.ts";
import { openFirefox } from "../helpers/firefox.ts";
import { oneOf } from "../helpers/long.ts";
import { openWebKit } from "../helpers/webkit.ts";

describe("the time zones that a browser names", () => {
  for (const [name, open] of oneOf([
    ["Chromium", openChromium],
    ["Firefox", openFirefox],
    ["WebKit", openWebKit],
  ] as const))
    it(`have each a country in ${name}, but for UTC and those of a ship at sea`, async () => {
      const browser = await open();
      await browser.go("about:blank");
      const names = await browser.evaluate(`Intl.supportedValuesOf("timeZone")`);
      await browser.end();
      const zones = names as string[];
      assert.ok(zones.length > 400, `${zones.length}`);
      assert.deepEqual(
        zones.filter((zone) => countryOfZone(zone) === ""),
        zones.filter((zone) => /^(?:Etc\/.+|UTC)$/.test(zone)),
      );
    });
});
