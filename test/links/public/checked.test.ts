import assert from "node:assert/strict";
import { checkPublicSettings } from "../../../appliance/links/public/checked.ts";
import {
  FIRST_PUBLIC_SETTINGS,
  type PublicSettings,
} from "../../../appliance/links/public/settings.ts";

const check = (change: Partial<PublicSettings>) =>
  checkPublicSettings({ ...FIRST_PUBLIC_SETTINGS, ...change });

describe("the settings of the public address", () => {
  it("may be on before there is a name: then one is asked for", () => {
    assert.equal(check({ enabled: true }).name, "");
  });

  it("are kept in one form", () => {
    const kept = check({
      name: " HTTPS://Tally.Example.org/ ",
      directory: "https://CA.example.org",
      ddns: " duckdns ",
    });
    assert.deepEqual(
      [kept.name, kept.directory, kept.ddns],
      ["tally.example.org", "https://ca.example.org/", "duckdns"],
    );
  });

  for (const [field, value] of [
    ["name", "box.local"],
    ["name", "a b.example.org"],
    ["name", `${"a".repeat(64)}.example.org`],
    ["directory", "https://me:secret@ca.example.org/"],
    ["ca", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"],
    ["ddns", "https://"],
    ["ddnsToken", "x".repeat(257)],
    ["ddnsUser", "a\0b"],
  ] as const)
    it(`have no ${field} like ${JSON.stringify(value.slice(0, 30))}`, () => {
      assert.throws(() => check({ [field]: value }), { code: "invalid_field", field });
    });
});
