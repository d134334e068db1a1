import assert from "node:assert/strict";
import { CountingPlace } from "../helpers/counting-place.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { Owner as ApiOwner } from "../helpers/owner.ts";
import { FakePublicAddress } from "../helpers/public-address.ts";
import { ADMIN, sharedWorld } from "../helpers/world.ts";
import { Owner, seen } from "./owner.ts";

const SITE_TOKEN = "the-token-of-the-blog";

describe("the setup page", () => {
  let owner: Owner;
  afterEach(() => owner.assertUntroubled());
  after(() => owner.leave());
  const world = sharedWorld({
    // The page asks for the days of the browser's clock.
    clock: new FakeClock(Date.now()),
    env: { SITES: "blog,shop,new", STATS_TOKEN_BLOG: SITE_TOKEN },
  });
  before(async () => {
    await world().beacon({ p: "/", h: "https://blog.example" });
    await world().beacon({ p: "/", h: "https://shop.example" }, { s: "shop" });
    owner = await Owner.come(world(), { host: "tallydeck.local" });
  });

  /** Has the page say this, which is loaded where it is not there yet. */
  const open = async (site: string, token = ADMIN) => {
    if (owner.page.url().includes("/help")) await field("Site id").fill(site);
    else await owner.open(`/help?site=${site}`);
    await owner.page.getByLabel("Token", { exact: true }).fill(token);
  };
  const field = (label: string) => owner.page.getByLabel(label, { exact: true });
  const check = async (name: string) => {
    const card = owner.page.locator(".check-card", { hasText: name });
    await card.getByRole("button", { name }).click();
    // A finding stays until there is another one.
    await card.locator("button:enabled", { hasText: name }).waitFor();
    return (await seen(card.locator(".finding p").first())).replaceAll(/\s+/g, " ");
  };

  it("1. finds the collector", async () => {
    await open("blog");
    assert.match(await check("Check the connection"), /✓.*answers “ok”/);
  });

  it("1. says when it is away", async () => {
    await open("blog");
    await owner.page.context().setOffline(true);
    assert.match(await check("Check the connection"), /✗.*does not answer/);
    await owner.page.context().setOffline(false);
    owner.expectTroubles(/ERR_INTERNET_DISCONNECTED/);
  });

  it("1. is not content with an error, whatever it says", async () => {
    await open("blog");
    const error = { status: 500, body: "ok" };
    await owner.page.route(`${owner.origin}/`, (route) => route.fulfill(error), { times: 1 });
    assert.match(await check("Check the connection"), /✗.*error \(500\)/);
    owner.expectTrouble(/500/);
  });

  it("2. finds that a token opens its site", async () => {
    await open("blog", SITE_TOKEN);
    assert.match(await check("Check the token"), /✓.*opens the site blog/);
  });

  it("2. says when a token is wrong or of another site", async () => {
    await open("blog", "wrong");
    assert.match(await check("Check the token"), /✗.*401/);
    await open("shop", SITE_TOKEN);
    assert.match(await check("Check the token"), /✗.*401/);
    owner.expectTroubles(/401/);
  });

  it("3. finds pageviews of the last two days", async () => {
    await open("blog");
    assert.match(await check("Check the tag"), /✓.*1 pageview since yesterday/);
  });

  it("3. says what to look at when there are none", async () => {
    await open("new");
    assert.match(await check("Check the tag"), /✗.*No pageview/);
    await owner.page.getByText("Look at the page's source").waitFor();
  });

  it("4. finds the origin where the tag was placed", async () => {
    await open("blog");
    await field("Address of your site").fill("https://blog.example/");
    assert.match(await check("Check the traffic"), /✓.*https:\/\/blog\.example/);
    await field("Address of your site").fill("blog.example");
    assert.match(await check("Check the traffic"), /✓/);
  });

  it("4. says which origins it saw instead", async () => {
    await open("blog");
    await field("Address of your site").fill("https://www.blog.example");
    assert.match(await check("Check the traffic"), /✗.*Seen: https:\/\/blog\.example/);
  });

  it("5. finds a second project live and readable", async () => {
    await open("blog");
    await field("Other site id").fill("shop");
    assert.match(await check("Check the second site"), /✓.*shop is readable/);
  });

  it("5. says when it is not readable or has no visits", async () => {
    await open("blog", SITE_TOKEN);
    await field("Other site id").fill("shop");
    assert.match(await check("Check the second site"), /✗.*401/);
    owner.expectTrouble(/401/);
    await open("blog");
    await field("Other site id").fill("new");
    assert.match(await check("Check the second site"), /✗.*no pageview/);
  });

  it("5. does not take the first site for a second one", async () => {
    await open("blog");
    await field("Other site id").fill("Blog");
    assert.match(await check("Check the second site"), /✗.*Blog is the first site itself/);
  });

  it("sends a test view that is counted", async () => {
    await owner.open("/help?site=shop");
    await field("Token").fill(ADMIN);
    assert.match(await check("Send a test view"), /✓.*Counted/);
    const stats = await world().read("/stats", { site: "shop" });
    assert.equal(stats.path["/tallydeck-test"], 1);
    assert.equal(stats.host[owner.origin], 1);
  });

  it("asks for what a check needs before it makes it", async () => {
    await owner.open("/help");
    assert.match(await check("Check the token"), /Type the token/);
    assert.equal(owner.times("/stats"), 0);
  });

  it("fills its snippets in and copies them without navigator.clipboard", async () => {
    await open("blog");
    assert.equal(await owner.page.evaluate("navigator.clipboard"), undefined);
    const tag = `<script defer src="${owner.origin}/s.js" data-site="blog"></script>`;
    await owner.page.getByText(tag, { exact: true }).waitFor();
    await owner.page.getByRole("button", { name: "Copy the script tag" }).click();
    await owner.page.getByText("Copied").first().waitFor();
    await field("Other site id").focus();
    await owner.page.keyboard.press("Control+v");
    assert.equal(await field("Other site id").inputValue(), tag);
    for (const text of [
      "badge?site=blog",
      "tallydeck tokens make blog",
      "STATS_TOKEN_BLOG",
      "#tallydeck-ignore",
    ]) {
      await owner.page.getByText(text).first().waitFor();
    }
  });

  it("says how a public site reaches a box at home", async () => {
    await open("blog");
    const section = owner.page.getByRole("region", { name: "A public site and a machine at home" });
    assert.match(await seen(section), /https:\/\/ may load nothing from http:\/\//);
  });

  it("fits 360 pixels, and shuts nobody out, light or dark", async () => {
    const guest = await Owner.come(world(), { viewport: { width: 360, height: 740 } });
    await guest.open("/help?site=blog");
    await guest.page.getByRole("button", { name: "Check the connection" }).click();
    await guest.page.getByRole("button", { name: "Check the token" }).click();
    await guest.page.getByText("Type the token").waitFor();
    await guest.assertAccessibleInAnyLight();
    assert.equal(await guest.page.evaluate("document.documentElement.scrollWidth"), 360);
    await guest.leave();
  });
});

describe("the setup page of a box with a public address", () => {
  let owner: Owner;
  const address = new FakePublicAddress();
  const world = sharedWorld({ publicAddress: address });
  after(() => owner.leave());

  it("has the tag in its public form, and says what proves that visitors get in", async () => {
    await address.change({ ...address.settings, enabled: true, name: "a.example", agreed: true });
    address.show({ live: true });
    owner = await Owner.come(world(), { host: "tallydeck.local" });
    await owner.open("/help?site=blog");
    const tag = '<script defer src="https://a.example/s.js" data-site="blog"></script>';
    await owner.page.getByText(tag, { exact: true }).waitFor();
    const section = owner.page.getByRole("region", { name: "A public site and a machine at home" });
    assert.match(await seen(section), /may stay silent at home though it works for everybody else/);
    owner.assertUntroubled();
  });
});

describe("the setup page of a home whose site another place counts", () => {
  let owner: Owner;
  const world = sharedWorld({ clock: new FakeClock(Date.now()) });
  const place = CountingPlace.each(world, "blog");
  const api = new ApiOwner(world);
  beforeEach(async () => {
    const invitation = await place().invited();
    const reply = await api.ask("POST", "/api/places", { invitation, name: "Frankfurt" });
    assert.equal(reply.status, 201, reply.text);
    const known = async () => (await api.get("/api/places")).places;
    await place().until(async () => (await known()).at(-1).answeredAt !== null);
    owner = await Owner.come(world(), { ignoreHTTPSErrors: true });
    await owner.open("/help?site=blog");
    await owner.page.getByLabel("Token", { exact: true }).fill(ADMIN);
    await owner.page.getByText(tag()).waitFor();
  });
  afterEach(async () => {
    await owner.leave();
    for (const { id } of (await api.get("/api/places")).places)
      await api.ask("DELETE", `/api/places/${id}`);
  });
  const tag = () => `<script defer src="${place().address}/s.js" data-site="blog"></script>`;
  const finding = async () => {
    const card = owner.page.locator(".check-card", { hasText: "Send a test view" });
    await card.getByRole("button").click();
    await place().until(() => card.locator(".finding p").first().isVisible());
    return seen(card.locator(".finding p").first());
  };

  it("has its tag, ping, survey and badge by the place, and a test view goes there and arrives", async () => {
    for (const path of ["/a?s=blog", "/s?s=blog", "/badge?site=blog"])
      await owner.page.getByText(`${place().address}${path}`).first().waitFor();
    const section = owner.page.getByRole("region", { name: "A public site and a machine at home" });
    assert.match(await seen(section), /They need not reach this machine/);
    assert.match(await finding(), /✓.*Counted.*, through Frankfurt\./s);
    assert.equal((await place().world.stats()).path["/tallydeck-test"], 1);
    assert.equal((await world().stats()).path["/tallydeck-test"], 1);
    owner.expectTroubles(/^asked https:\/\/localhost/);
    owner.assertUntroubled();
    await owner.assertAccessibleInAnyLight();
    await owner.page.setViewportSize({ width: 360, height: 740 });
    assert.equal(await owner.page.evaluate("document.documentElement.scrollWidth"), 360);
  });

  it("says when the place does not answer", async () => {
    const { address } = place();
    await place().world.stop();
    assert.match(
      await finding(),
      new RegExp(`✗.*Frankfurt does not answer this device at ${address}`, "s"),
    );
    await owner.page.getByText("Look there whether it runs").waitFor();
    owner.expectTroubles(/^asked https:\/\/localhost|ERR_CONNECTION_REFUSED/);
  });
});
