import assert from "node:assert/strict";
import { dayOf, formatDay } from "../../appliance/base/calendar.ts";
import { untilTold } from "../helpers/driven-browser.ts";
import { openFirefox } from "../helpers/firefox.ts";
import { Guest } from "../helpers/guest.ts";
import { oneOf } from "../helpers/long.ts";
import { openWebKit } from "../helpers/webkit.ts";
import { ADMIN } from "../helpers/world.ts";
import { MK2, ON_LAN } from "./control-stage.ts";
import { demoWorld } from "./dashboard-stage.ts";

const NOW = Date.now();
const QUARTER = 90;

describe("in the browsers of others", () => {
  const world = demoWorld({
    now: NOW,
    since: formatDay(dayOf(NOW) - QUARTER),
    detailFrom: formatDay(dayOf(NOW) - QUARTER),
    env: { ...ON_LAN, VIRTUAL_DECK: "mk2" },
  });
  const control = () => `http://127.0.0.1:${world().service.control.port}`;

  for (const [name, open] of oneOf([
    ["WebKit, which is Safari's engine", openWebKit],
    ["Firefox", openFirefox],
  ] as const))
    describe(name, () => {
      let guest: Guest;
      before(async () => {
        guest = new Guest(await open());
        await guest.browser.resize(1280, 900);
      });
      afterEach(async () => assert.deepEqual(await guest.browser.troubles(), []));
      after(() => guest?.browser.end());

      const signIn = async (path: string) => {
        await guest.browser.go(`${world().origin}${path}`);
        await guest.fill("Token", ADMIN);
        await guest.click("button", "Open dashboard");
        await guest.sees("nav", "Traffic");
      };

      it("the dashboard has its figures, its lines, its map with Brazil on land, and its surveys", async () => {
        await signIn("/dashboard?site=deckhand");
        const range = { from: formatDay(dayOf(NOW) - 29), to: formatDay(dayOf(NOW)) };
        const stats = await world().read("/stats", { site: "deckhand", ...range });
        assert.match(
          await guest.sees(".tile", "Pageviews"),
          new RegExp(`\\n${stats.pv._.toLocaleString("en")}\\n`),
        );
        assert.match(await guest.sees(".tile", "Bounce rate"), /\d%/);
        await guest.sees(".legend", "App pings");
        await untilTold(
          guest.browser,
          `[1, 2, 3, 4].every((n) => document.querySelector(".plot .dataset-" + n + " path")?.getBBox().width > 500)`,
        );

        await guest.click("[data-dimension=country] button", "Map");
        // Without its outline it would be a dot where its first time zone is, on an island.
        const brazil = `[...document.querySelectorAll(".countries g")].find(({ textContent }) => textContent.startsWith("Brazil:"))`;
        await untilTold(guest.browser, `${brazil}?.querySelector("path")?.getBBox().width > 60`);
        const colours = await guest.browser.evaluate(
          `[...document.querySelectorAll(".countries .country")].map((one) => getComputedStyle(one).fill)`,
        );
        assert.ok(new Set(colours as string[]).size > 5, String(colours));
        await guest.click("button", "Bars");
        await untilTold(
          guest.browser,
          `(([first, last]) => parseFloat(first) > 2 * parseFloat(last))(
            [":first-child", ":last-child"].map((which) =>
              getComputedStyle(document.querySelector(".bars [data-dimension=path] tbody tr" + which), "::after").width))`,
        );

        await guest.fill("Search all values", "brazil");
        await guest.sees("[data-dimension=country] tbody tr", "Brazil");
        await guest.click("nav button", "Surveys");
        await guest.sees(".tile", "Net promoter score");
      });

      it("the dashboard is filtered by a row far below, which stays on the screen with what it is filtered by", async () => {
        await guest.browser.go(`${world().origin}/dashboard?site=fieldnotes`);
        await guest.scrollTo("[data-dimension=browser]", "Firefox");
        // Until the last list is drawn, rows move.
        await untilTold(guest.browser, `!document.querySelector(".dimension:not(:has(tr))")`);
        await guest.click("[data-dimension=browser] button", "Firefox");
        await guest.sees(".chip", "Firefox");
        await untilTold(guest.browser, `document.querySelector(".old") === null`);
        const range = { from: formatDay(dayOf(NOW) - 29), to: formatDay(dayOf(NOW)) };
        const { uv } = await world().read("/stats?where=browser:is:Firefox", {
          site: "fieldnotes",
          ...range,
        });
        assert.ok((await guest.sees(".glance", "visitors")).startsWith(uv._.toLocaleString("en")));
        const places = `[".asking", "tr.pressed"].map((one) => document.querySelector(one).getBoundingClientRect())`;
        await untilTold(
          guest.browser,
          `(([bar, row]) => bar.top >= 0 && row.top >= bar.bottom && row.bottom <= innerHeight)(${places})`,
        );
        await guest.click(".chip button", "×");
        await untilTold(guest.browser, `document.querySelector(".chip, .old") === null`);
      });

      it("the setup page finds all in order", async () => {
        await guest.browser.go(`${world().origin}/help?site=fieldnotes`);
        // The page has the token that the dashboard was opened with.
        for (const check of ["Check the connection", "Check the token", "Check the tag"]) {
          await guest.click("button", check);
          assert.match(await guest.sees(".check-card .finding", /[✓✗]/), /✓/);
        }
      });

      it("the Web UI lets in, opens a site, puts a channel on a key and sends it a text", async () => {
        await guest.browser.go(`${control()}/?slot=k3`);
        await guest.click("label", "Admin token");
        await guest.fill("Admin token", ADMIN);
        await guest.click("button", "Sign in");
        await guest.sees("section", "Key 4");
        await guest.click("nav button", "Sites");
        await guest.click(".site-list a", "deckhand");
        await guest.sees("h2", "deckhand");
        await guest.click("summary", "Goals");
        await guest.browser.go(`${control()}/?slot=k3`);
        await guest.choose("Shows", "Pushed text");
        await guest.fill("Channel", "oven");
        await guest.sees("main", /^Saved$/m);
        await guest.click("nav button", "Push");
        await guest.click("summary", "Send a test value");
        await guest.fill("Channel", "oven");
        await guest.fill("Text to send", "210 C");
        await guest.click("button", /^Send$/);
        await guest.sees(".entries > li", "210 C");
        const deck = world()
          .service.decks.list()
          .find(({ id }) => id === MK2);
        const widget = deck?.slots.find(({ slot }) => slot === "k3")?.widget;
        assert.deepEqual(widget, { type: "push", channel: "oven" });
        await guest.browser.go(`${control()}/?slot=k3`);
        await untilTold(
          guest.browser,
          `document.querySelector("[data-slot=k3] img")?.naturalWidth > 0`,
        );
      });

      it("the dashboard leads its owner to the Web UI, with what was pressed filled in", async () => {
        const shown = `${world().origin}/dashboard?site=fieldnotes&where=path:is:/about`;
        await guest.browser.go(shown);
        await guest.click(".drawer-button");
        await guest.click(".menu-body a", "Share this view…");
        await guest.sees(".hint", "It will show only Page is /about.");
        const focused = "document.activeElement?.placeholder";
        await untilTold(guest.browser, `${focused} === "A client"`);
        await guest.browser.go(shown);
        await guest.click(".drawer-button");
        await guest.click(".menu-body a", "Mark this day…");
        await untilTold(guest.browser, `${focused} === "Released 2.0"`);
        await guest.browser.go(shown);
        await guest.click("[data-dimension=path] .row-tools a", "◎");
        await untilTold(guest.browser, `${focused} === "Name, if another"`);
        await guest.fill("Name, if another", "About us");
        await guest.click("details[open] button", /^Add$/);
        await guest.sees("details[open] li", /About us\s+page \/about/);
        await guest.browser.go(shown);
        await guest.sees(".goals", "About us");
      });
    });
});
