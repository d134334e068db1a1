import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { privacyText } from "../../../../appliance/control/routes/sites/privacy.ts";
import { EMPTY_DIRECTORY } from "../../../../appliance/store/sites/directory.ts";
import { tallydeck } from "../../../helpers/command-line.ts";
import { onOneEngine } from "../../../helpers/engines.ts";
import { Owner } from "../../../helpers/owner.ts";
import { eachWorld } from "../../../helpers/world.ts";

const page = new URL("../../../../docs/privacy.md", import.meta.url);

onOneEngine(() => {
  describe("the text for a privacy page", () => {
    const world = eachWorld();
    /** The text of the Web UI, which has to equal the one of the command line. */
    async function text(env: Record<string, string> = {}): Promise<string> {
      const shown: string = (await new Owner(world()).get("/api/privacy")).text;
      const { code, out, err } = await tallydeck(["privacy", ...world().dataArgs], env);
      assert.deepEqual([code, out, err], [0, `${shown}\n`, ""]);
      return shown;
    }

    it("says for how long detail and totals are kept, and whose midnight begins a day", async () => {
      assert.match(await text(), /For about 400 days it also keeps which of them belong together/);
      const env = { DETAIL_DAYS: "7", RETENTION_DAYS: "400", DAY_ZONE: "Asia/Tokyo" };
      await world().restart(env);
      world().clock.advance(2 * 86_400_000);
      const shown = (await new Owner(world()).get("/api/privacy")).text;
      assert.match(shown, /For about 7 days it also keeps which/);
      assert.match(
        shown,
        /kept for about 400 days\. A day begins at midnight in the time zone Asia\/Tokyo\./,
      );
    });

    it("says with DETAIL_DAYS=0 that no record of a visit is kept past an hour", async () => {
      await world().restart({ DETAIL_DAYS: "0" });
      const shown = await text({ DETAIL_DAYS: "0" });
      assert.match(shown, /For at most an hour, .* no record of a single visit\./);
      assert.doesNotMatch(shown, /it also keeps/);
    });

    it("names what is sent and not stored, and how long the entry in the browser stays", async () => {
      const shown = await text();
      assert.match(
        shown,
        /the list of all languages .* a new random number .* Neither is stored\./,
      );
      assert.match(shown, /One entry .* stays until it is deleted/);
      assert.match(shown, /The entry is then the word "off" and nothing else, and stays until/);
    });

    it("tells of surveys and app pings once there are any", async () => {
      assert.doesNotMatch(await text(), /The survey\.|The app\./);
      await world().survey({ sv: 1 });
      await world().ping({ v: "1.2.3" });
      const shown = await text();
      for (const words of [/The survey\./, /The app\./]) assert.match(shown, words);
    });

    it("says that the country is that of the time zone, unless a company that passes it on names one", async () => {
      const shown = await text();
      assert.match(
        shown,
        /From the time zone, the computer works out the country; it does not look/,
      );
      assert.match(shown, /IF THAT COMPANY NAMES THE COUNTRY: .* which is counted instead\./);
    });

    it("names who else sees a visitor's address, unless the box has a public one of its own", async () => {
      const tunnel = /through TUNNEL COMPANY, which sees your internet address/;
      const fresh = await text();
      assert.doesNotMatch(fresh, /TUNNEL/);
      assert.match(fresh, /IF ANOTHER COMPANY PASSES IT ON: .*, which sees your internet address/);
      const TRUSTED_PROXIES = "192.0.2.1/32";
      await world().restart({ TRUSTED_PROXIES });
      assert.match(await text({ TRUSTED_PROXIES }), tunnel);
      const { out } = await tallydeck(["privacy", ...world().dataArgs], {
        PUBLIC_NAME: "count.example.org",
        ACME_AGREE: "1",
      });
      assert.match(out, /No other company sees what your browser sends/);
      assert.doesNotMatch(out, /TUNNEL|COMPANY NAMES/);
    });

    it("says that a request goes first to the places from which is fetched", async () => {
      const token = `tdh_${"x".repeat(43)}`;
      for (const host of ["127.0.0.1:9", "127.0.0.1:7"]) {
        await new Owner(world()).ask("POST", "/api/places", {
          invitation: `tallydeck-place:https://${host}#${token}`,
        });
        const shown = await text();
        assert.match(shown, /goes first to .* HOSTING COMPAN.* counts? as this text says/);
        assert.ok(shown.includes(host));
        assert.doesNotMatch(shown, /IF ANOTHER COMPANY|IF THAT COMPANY/);
      }
    });

    it("names who runs a database elsewhere", async () => {
      const elsewhere = /in a database on computers of DATABASE COMPANY/.test(await text());
      assert.equal(elsewhere, world().isOnPostgres);
    });
  });
});

describe("the text for a privacy page of a box with a tunnel", () => {
  it("names who rents the other end", async () => {
    const text = await privacyText({
      directory: EMPTY_DIRECTORY,
      read: () => assert.fail("there is no site"),
      config: { databaseUrl: undefined, detailDays: 400, retentionDays: 800, trustedProxies: [] },
      hasPublicAddress: false,
      isTunnelled: true,
      now: 0,
    });
    assert.match(text, /through TUNNEL COMPANY, which sees your internet address/);
  });
});

describe("docs/privacy.md", () => {
  const world = eachWorld();

  it("has the text of a box as it comes, with surveys and pings", async () => {
    await world().survey({ sv: 1 });
    await world().ping({ v: "1.2.3" });
    const { text } = await new Owner(world()).get("/api/privacy");
    const written = readFileSync(page, "utf8").replaceAll(/\s+/g, " ");
    for (const paragraph of text.split("\n\n")) assert.ok(written.includes(paragraph), paragraph);
  });
});
