import assert from "node:assert/strict";
import { databaseFile, openForWriting } from "../../appliance/store/sqlite/database.ts";
import { Callee } from "../helpers/callee.ts";
import { directoryBecomes } from "../helpers/directory.ts";
import { declareSites } from "../helpers/stored-sites.ts";
import { sharedControl } from "./control-stage.ts";
import { seen } from "./owner.ts";

describe("sites in the Web UI", () => {
  const control = sharedControl();
  before(async () => {
    for (const id of ["badge", "domain", "token", "gone", "week"])
      await control().ask("POST", "/api/sites", { id });
  });
  const card = (id: string) => control().region(id);
  const add = async (id: string) => {
    await control().field("Id").fill(id);
    await control().button("Add").click();
  };

  it("are added, with the tag and the token right there", async () => {
    await control().visit("?tab=sites");
    await add("Shop");
    const ready = control().region("shop is ready");
    assert.equal(
      await seen(ready.locator(".snippet code").first()),
      `<script defer src="http://127.0.0.1:${control().world.port}/s.js" data-site="shop"></script>`,
    );
    const token = await seen(ready.locator(".secret code"));
    const stats = await control().world.readRaw("/stats", { site: "shop" }, token);
    assert.equal(stats.status, 200);
    await card("shop").waitFor();
  });

  it("are added with the domain of the collector, which their tag names", async () => {
    await control().visit("?tab=sites");
    await control().field("Domain for the script (optional)").fill("Stats.Shop.example");
    await add("store");
    assert.match(
      await seen(control().region("store is ready").locator(".snippet code").first()),
      /src="https:\/\/stats\.shop\.example\/s\.js"/,
    );
  });

  it("have labels for their surveys, typed or from a file, and what is wrong is said", async () => {
    await control().visit("?tab=sites");
    const labels = card("blog").getByLabel("Labels as JSON", { exact: true });
    const save = card("blog").getByRole("button", { name: "Save labels" });
    await card("blog").getByText("Survey labels").click();
    await labels.fill('{"1": {"wants": ');
    await save.click();
    await control().sees("This is not JSON.");
    await labels.fill('{"1": {"What next": {}}}');
    await save.click();
    await control().sees("1: What next must be an id: 1 to 32 of a-z, 0-9 and -.");
    control().owner.expectTrouble(/400/);
    const given = { 1: { wants: { name: "What next?" } } };
    await card("blog")
      .locator("input[type=file]")
      .setInputFiles({
        name: "labels.json",
        mimeType: "application/json",
        buffer: Buffer.from(JSON.stringify(given)),
      });
    await save.click();
    await control().sees("Saved.");
    assert.deepEqual((await control().world.read("/surveys/versions")).labels, given);
    await control().visit("?tab=sites");
    await card("blog").getByText("Survey labels").click();
    await labels.waitFor();
    assert.deepEqual(JSON.parse(await labels.inputValue()), given);
  });

  it("say what is wrong with a goal in words, and not in those of the API", async () => {
    await control().visit("?tab=sites");
    await add("admin");
    await control().sees(/^Id is no site id\. .* and not "admin"\.$/);
    await card("blog").getByText("Goals", { exact: true }).click();
    await card("blog").getByLabel("Kind of goal").selectOption("page");
    await card("blog").getByLabel("Path of the page").fill("thanks");
    await card("blog").getByRole("button", { name: "Add" }).click();
    await control().sees(/^Goals, number 1: value must be a path that begins with a slash/);
    control().owner.expectTroubles(/400/);
  });

  it("that are there already are not added again", async () => {
    await control().visit("?tab=sites");
    await add("blog");
    await control().sees("There is a site blog already.");
    control().owner.expectTrouble(/409/);
  });

  it("show a badge when they are told to, with Markdown to copy", async () => {
    await control().visit("?tab=sites");
    await card("badge").getByRole("switch", { name: "Public badge" }).click();
    const markdown = await seen(card("badge").locator(".snippet code").last());
    const url = /^!\[views\]\((http:.*)\)$/.exec(markdown.trim())?.[1] ?? assert.fail(markdown);
    const badge = await control().world.ask(new URL(url).pathname + new URL(url).search);
    assert.equal(badge.headers["content-type"], "image/svg+xml");
  });

  it("take a domain of the collector, or say what is wrong with it", async () => {
    await control().visit("?tab=sites");
    const host = card("domain").getByLabel("Domain for the script");
    await host.fill("no domain");
    await host.press("Enter");
    await control().sees(/^Host must be a host name/);
    control().owner.expectTrouble(/400/);
    await host.fill("stats.domain.example");
    await host.press("Enter");
    await card("domain").getByText("Script tag", { exact: true }).click();
    await card("domain").getByText("https://stats.domain.example/s.js").waitFor();
  });

  it("alarm of silence and rush once that is switched on, and tell an allowed address", async () => {
    await control().visit("?tab=sites");
    await card("blog").getByText("Alarms", { exact: true }).click();
    await card("blog").getByRole("switch", { name: "When it is silent" }).click();
    await card("blog").getByText("Learning: it takes three weeks of views").waitFor();
    const webhook = card("blog").getByLabel("Webhook", { exact: true });
    await webhook.fill("https://ntfy.example/blog");
    await webhook.press("Enter");
    await control().sees(/https:\/\/ntfy\.example, which is not allowed yet/);
    control().owner.expectTrouble(/400/);
    const set = (await control().ask("GET", "/api/sites/blog/alarms")).json;
    assert.deepEqual(set, { silence: true, rush: false, webhook: null });
  });

  it("send a digest where and when that is wanted, and one at once", async () => {
    const callee = await Callee.start();
    try {
      await control().ask("POST", "/api/origins", { origin: callee.origin });
      await control().visit("?tab=sites");
      await card("blog").getByText("Digest", { exact: true }).click();
      await card("blog").getByLabel("Day", { exact: true }).selectOption("Friday");
      await card("blog").getByLabel("Hour", { exact: true }).selectOption("07:00");
      await card("blog").getByLabel("Webhook", { exact: true }).fill(`${callee.origin}/hook`);
      await card("blog").getByRole("button", { name: "Save" }).click();
      await card("blog")
        .getByText(/^The next goes out on Friday.* 07:00\.$/)
        .waitFor();
      await card("blog").getByRole("button", { name: "Send one now" }).click();
      await card("blog").getByText("Webhook: sent now.").waitFor();
      assert.equal(JSON.parse((await callee.times(1))[0]?.body ?? "").site, "blog");
      callee.answers = [410];
      await card("blog").getByRole("button", { name: "Send one now" }).click();
      await card("blog").getByText("Webhook: The webhook answered 410.").waitFor();
      await card("blog").getByRole("switch", { name: "Send it" }).click();
      await card("blog").getByText("The next goes out").waitFor({ state: "detached" });
    } finally {
      await callee.stop();
    }
  });

  it("get a new token once that is confirmed", async () => {
    const old = (await control().ask("POST", "/api/sites/token/token")).json.token;
    await control().visit("?tab=sites");
    await card("token").getByRole("button", { name: "New token" }).click();
    await control().button("Make a new token").click();
    const token = await seen(card("token").locator(".secret code"));
    const read = (with_: string) => control().world.readRaw("/stats", { site: "token" }, with_);
    assert.equal((await read(token)).status, 200);
    assert.equal((await read(old)).status, 401);
  });

  it("are erased once their name is typed", async () => {
    await control().visit("?tab=sites");
    await card("gone").getByRole("button", { name: "Erase…" }).click();
    assert.equal(await control().button("Erase").isDisabled(), true);
    await control().field("Type gone to go on").fill("gone");
    await control().button("Erase").click();
    await card("gone").waitFor({ state: "detached" });
    const { sites } = (await control().ask("GET", "/api/sites")).json;
    assert.ok(!sites.some(({ id }: { id: string }) => id === "gone"));
  });

  it("show their week, their total and their last view, and go with them", async () => {
    await control().visit("?tab=sites");
    await card("week").getByText("No view yet.").waitFor();
    await control().world.beacon({ p: "/" }, { s: "week" });
    await card("week").locator(".week-line").waitFor();
    assert.equal(
      (await seen(card("week").locator(".glance dl"))).replaceAll(/\s+/g, " "),
      "Last view in these five minutes Seven days 1 view In all 1",
    );
    await card("blog").getByText("No view yet.").waitFor();
  });

  it("of the configuration can be neither erased nor moved here", async () => {
    await control().visit("?tab=sites");
    await card("blog").getByText("set in the configuration").waitFor();
    assert.equal(
      await card("blog").getByRole("switch", { name: "Public badge" }).isDisabled(),
      true,
    );
    assert.equal(await card("blog").getByRole("button", { name: "Erase…" }).count(), 0);
    assert.equal(await card("blog").getByLabel("Domain for the script").count(), 0);
  });
});

describe("retired sites in the Web UI", () => {
  const control = sharedControl();
  /** Retires sites, as does a start without them in the configuration. */
  const retire = async (...ids: string[]) => {
    const db = openForWriting(databaseFile(control().world.dataDir));
    const blog = { id: "blog", host: null };
    declareSites(db, [blog, ...ids.map((id) => ({ id, host: null }))]);
    declareSites(db, [blog]);
    db.close();
    await directoryBecomes(control().world, ({ retired }) => retired.length === ids.length);
  };
  const card = (id: string) => control().region(id);

  it("come back with their numbers, or are erased once their name is typed", async () => {
    const { world } = control();
    for (const id of ["shop", "docs"]) await control().ask("POST", "/api/sites", { id });
    await world.beacon({ p: "/" }, { s: "shop" });
    await retire("shop", "docs");
    await control().open("?tab=sites");
    const retired = control().region("Retired");
    const of = (id: string) => retired.getByRole("group", { name: id });
    await of("shop").getByRole("button", { name: "Reactivate" }).click();
    await card("shop").waitFor();
    assert.equal((await world.stats({ site: "shop" })).pv._, 1);
    await of("docs").getByRole("button", { name: "Erase…" }).click();
    await control().field("Type docs to go on").fill("docs");
    await control().button("Erase").click();
    await retired.waitFor({ state: "detached" });
    assert.equal((await control().ask("GET", "/api/sites")).json.sites.length, 2);
  });
});
