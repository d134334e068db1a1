import assert from "node:assert/strict";
import { NOTHING_LEFT_OUT } from "../../../../appliance/base/text/left-out.ts";
import { DIMENSIONS } from "../../../../appliance/store/log/record.ts";
import { appPingHit } from "../../../../appliance/traffic/collector/counting/app-ping.ts";
import { beaconHit } from "../../../../appliance/traffic/collector/counting/beacon.ts";

/** A payload that says the same in each field, those included that are added some day. */
const saying = (value: string, more: object = {}): Readonly<Record<string, unknown>> =>
  new Proxy(more as Record<string, unknown>, {
    get: (target, key) => (typeof key === "string" ? (target[key] ?? value) : undefined),
  });

const PERSON = {
  bot: null,
  browser: "Firefox",
  browserVersion: "Firefox 156",
  os: "Android",
  osVersion: "Android 16",
  device: "desktop",
} as const;
const beacon = { referer: "", country: "DE", visitor: PERSON };

describe("each dimension", () => {
  it("is counted of some request", () => {
    const hits = ["x", "unknown", "1.2.3"].flatMap((value) => [
      beaconHit({ ...beacon, payload: saying(value) }),
      appPingHit(saying(value), "DE"),
    ]);
    const others = [
      beaconHit({ ...beacon, payload: saying("x", { ev: "hi" }) }),
      beaconHit({ ...beacon, payload: { u: "1", q: "new" } }),
      beaconHit({ ...beacon, payload: { ev: "end", t: "<10", k: "<25" } }),
      beaconHit({ ...beacon, payload: { ev: "signup", pr: { value: 3 } } }),
      beaconHit({ ...beacon, payload: {}, visitor: { bot: "googlebot" } }),
      beaconHit({
        ...beacon,
        payload: {},
        rules: { leftOut: { ...NOTHING_LEFT_OUT, countries: ["DE"] } },
      }),
    ];
    const counted = [...hits, ...others].flatMap(({ values }) => values.map(([name]) => name));
    const left = DIMENSIONS.filter((name) => !counted.includes(name));
    assert.deepEqual(left, []);
  });
});
