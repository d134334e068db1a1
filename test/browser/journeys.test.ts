import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext } from "playwright-core";
import { openChromium, openProfile } from "../helpers/chromium.ts";
import { untilTold } from "../helpers/driven-browser.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { openFirefox } from "../helpers/firefox.ts";
import { Guest } from "../helpers/guest.ts";
import { oneOf } from "../helpers/long.ts";
import { Owner as Api } from "../helpers/owner.ts";
import { openWebKit } from "../helpers/webkit.ts";
import { ADMIN, World } from "../helpers/world.ts";
import { ON_LAN } from "./control-stage.ts";

const BROWSERS = [openChromium, openFirefox, openWebKit];
const NEW_BOX = { ...ON_LAN, SITES: "", STATS_TOKEN: "" };

/** A machine, somebody new to it, and the visitors of their site. */
interface Journey {
  world: World;
  guest: Guest;
  visit: (tag: string) => Promise<void>;
}

/** Defines a journey in each browser, which ends with at most so many presses. */
function journey(
  sentence: string,
  most: number,
  env: Record<string, string>,
  go: (journey: Journey) => Promise<void>,
): void {
  describe(sentence, () => {
    for (const open of oneOf(BROWSERS))
      it(`takes at most ${most} clicks in ${open.name.slice("open".length)}`, async () => {
        const world = new World({ env, clock: new FakeClock(Date.now()) });
        const visitors = await openProfile();
        const guest = new Guest(await open());
        try {
          await world.start();
          await go({ world, guest, visit: (tag) => visitPage(visitors, tag) });
          const { name, troubles } = guest.browser;
          console.log(`        ${guest.clicks} clicks in ${name}`);
          assert.ok(guest.clicks <= most, `${guest.clicks} clicks`);
          // Browsers tell of the question whether somebody is signed in already.
          const others = (await troubles()).filter((text) => !/\b401\b/.test(text));
          assert.deepEqual(others, []);
        } finally {
          await guest.browser.end();
          await visitors.close();
          await world.end();
        }
      });
  });
}

/** Opens a page of a site, which has its tag. */
async function visitPage(visitors: BrowserContext, tag: string): Promise<void> {
  const site = createServer((_, reply) =>
    reply
      .writeHead(200, { "content-type": "text/html" })
      .end(`<!doctype html><title>Blog</title>${tag}`),
  );
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const page = await visitors.newPage();
  const counted = page.waitForResponse(/\/e\?/);
  await page.goto(`http://blog.example:${(site.address() as AddressInfo).port}/`);
  await counted;
  site.closeAllConnections();
  await new Promise((resolve) => site.close(resolve));
}

/** From the bare address to the first view of the first site. */
async function comeToFirstView({ world, guest, visit }: Journey): Promise<void> {
  await guest.browser.go(`http://127.0.0.1:${world.service.control.port}/`);
  const code = world.console.map((line) => /\b\d{3} ?\d{3}\b/.exec(line)?.[0]).findLast(Boolean);
  await guest.fill("Six digits", code ?? assert.fail("no code on the console"));
  await guest.click("button", "Sign in");
  await guest.fill("Id", "my-blog");
  await guest.click("button", /^Add$/);
  const tag = await guest.sees(".snippet code", "<script");
  await guest.click(".snippet button", /^Cop/);
  await visit(tag);
  await guest.sees("[role=status]", "The first view of my-blog has arrived.");
}

journey(
  "with a deck, from the Web UI's bare address to the first number on a key",
  6,
  { ...NEW_BOX, VIRTUAL_DECK: "mini" },
  async (journey) => {
    await comeToFirstView(journey);
    const { world, guest } = journey;
    await guest.click("button", "Put it on a key");
    await untilTold(guest.browser, `document.querySelector(".set-key img")?.naturalWidth > 0`);
    const [deck] = world.service.decks.list();
    assert.deepEqual(
      deck?.slots.map(({ widget }) => widget).find(({ type }) => type === "stat"),
      {
        type: "stat",
        site: "my-blog",
        metric: "pv",
        period: "day",
      },
    );
  },
);

journey(
  "without a deck, from the Web UI's bare address to the first view on the dashboard",
  4,
  NEW_BOX,
  async (journey) => {
    await comeToFirstView(journey);
    const { guest } = journey;
    await guest.click("a", "See it on the dashboard");
    assert.match(await guest.sees(".tile", "Pageviews"), /\b1\b/);
  },
);

journey("on a phone, from a shared link to the pages that it shows", 2, ON_LAN, async (journey) => {
  const { world, guest } = journey;
  for (const p of ["/notes/one", "/notes/two", "/secret"]) await world.beacon({ p });
  const api = new Api(world);
  await api.signIn({ token: ADMIN });
  const link = { name: "A friend", where: ["path:begins:/notes"] };
  const { token } = (await api.ask("POST", "/api/sites/blog/shares", link)).json;
  await guest.browser.resize(360, 740);
  await guest.browser.go(`${world.origin}/dashboard?site=blog#share=${token}`);
  await guest.sees(".chip", /Only Page begins with\s+\/notes/);
  const pages = await guest.scrollTo("[data-dimension=path]", "/notes/one");
  assert.match(pages, /\/notes\/two/);
  assert.doesNotMatch(pages, /secret/);
  assert.equal(
    await guest.browser.evaluate("scrollX + document.documentElement.scrollWidth <= innerWidth"),
    true,
  );
});
