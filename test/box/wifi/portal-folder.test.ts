import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PortalFolder } from "../../../appliance/box/wifi/portal-folder.ts";
import { eachFolder } from "../../helpers/folder.ts";

const WISH = { ssid: "486f6d65", password: "right password", country: "CH", isHidden: false };
const CONTENT = {
  token: "t0ken",
  networks: [],
  countries: ["CH"],
  country: "",
  trouble: "",
  given: null,
};

describe("the pages of the set-up network, from root's side", () => {
  const folder = eachFolder();
  const ran: string[] = [];
  const path = (name: string) => join(folder(), name);
  const portal = () =>
    new PortalFolder(folder(), async (program, args) => {
      ran.push([program, ...args].join(" "));
      return "";
    });
  beforeEach(() => {
    mkdirSync(path("sent"));
    ran.length = 0;
  });
  const sends = (text: string) => writeFileSync(path("sent/form.json"), text);

  it("are shown by a unit of their own, which may read their content, and end with it", async () => {
    sends(JSON.stringify(WISH));
    await portal().open(CONTENT);
    assert.deepEqual(JSON.parse(readFileSync(path("content.json"), "utf8")), CONTENT);
    assert.equal(statSync(path("content.json")).mode & 0o777, 0o644);
    // A form of an earlier set-up is none of this one.
    assert.deepEqual(portal().taken(), { wish: undefined, looksAgain: false });
    await portal().close();
    assert.deepEqual(ran, [
      "systemctl restart tallydeck-portal.service",
      "systemctl stop tallydeck-portal.service",
    ]);
  });

  it("leave a form once, and no password behind", () => {
    sends(JSON.stringify(WISH));
    assert.deepEqual(portal().taken(), { wish: WISH, looksAgain: false });
    assert.deepEqual(readdirSync(path("sent")), []);
    assert.equal(portal().taken().wish, undefined);
  });

  it("leave the wish for another look", () => {
    writeFileSync(path("sent/again"), "");
    assert.deepEqual(portal().taken(), { wish: undefined, looksAgain: true });
    assert.equal(portal().taken().looksAgain, false);
  });

  for (const [what, text] of [
    ["no JSON", "{"],
    ["no object", "null"],
    ["without a name", JSON.stringify({ ...WISH, ssid: "" })],
    ["with a path for a name", JSON.stringify({ ...WISH, ssid: "../../etc" })],
    ["with a password of two lines", JSON.stringify({ ...WISH, password: "right\npassword" })],
    ["with a country of its own", JSON.stringify({ ...WISH, country: "CH\nx=y" })],
    ["too large", JSON.stringify({ ...WISH, more: "x".repeat(5_000) })],
  ] as const)
    it(`are not believed: a form that is ${what} is dropped`, () => {
      sends(text);
      assert.equal(portal().taken().wish, undefined);
      assert.equal(existsSync(path("sent/form.json")), false);
    });
});
