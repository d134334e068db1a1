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
    for (const id of ["badge", "domain", "token", "gone", "week", "aims"])
      await control().ask("POST", "/api/sites", { id });
  });
  const card = (id: string) => control().region(id);
  const row = (id: string) =>
    control()
      .page.getByRole("row")
      .filter({ has: control().page.getByRole("link", { name: id, exact: true }) });
  /** Opens the page of a site. */
  const open = (id: string) => control().visit(`?tab=sites&site=${id}`);
  const section = (id: string, title: string) =>
    card(id)
      .locator("details")
      .filter({ has: control().page.getByRole("heading", { name: title, exact: true }) });
  const unfold = (id: string, title: string) => section(id, title).locator("summary").click();
  const add = async (id: string, host = "") => {
    await control().visit("?tab=sites");
    await control().button("Add a site").click();
    await control().field("Id").fill(id);
    if (host !== "") {
      await control().page.getByText("More", { exact: true }).click();
      await control().field("Domain for the script (optional)").fill(host);
    }
    await control().button("Add").click();
  };

  it("leave out hosts, pages, referrers and countries, and propose the hosts that were seen", async () => {
    await control().ask("POST", "/api/sites", { id: "out" });
    await control().world.beacon({ h: "https://blog.example" }, { s: "out" });
    await control().world.beacon({ h: "https://copied.example" }, { s: "out" });
    await open("out");
    const out = section("out", "What stays out");
    await out.getByText("nothing", { exact: true }).waitFor();
    await unfold("out", "What stays out");
    await out.getByRole("button", { name: "Count blog.example" }).click();
    await out.getByText("other hosts", { exact: true }).waitFor();
    assert.equal(await out.getByRole("button", { name: "Count blog.example" }).count(), 0);
    await out.getByLabel("Path that does not count").fill("/draft");
    await out.getByLabel("Path that does not count").press("Enter");
    await out.getByText("other hosts, 1 path").waitFor();
    await out.getByLabel("Country that does not count").fill("1!");
    await out.getByLabel("Country that does not count").press("Enter");
    await out.getByText("must be a country's two letters, like CH").waitFor();
    control().owner.expectTrouble(/400/);
    await control().world.beacon({ h: "https://copied.example" }, { s: "out" });
    await control().world.beacon({ h: "https://blog.example", p: "/draft" }, { s: "out" });
    const { left_out } = await control().world.counts("out");
    assert.deepEqual(left_out, { host: 1, path: 1 });
    await out.getByRole("button", { name: "Remove blog.example" }).click();
    await out.getByText("1 path", { exact: true }).waitFor();
  });

  it("are rows of one list, each with its numbers and what is set", async () => {
    const goals = [{ name: "Signup", kind: "event", value: "signup" }];
    const when = { every: "week", weekday: 1, hour: 8, mail: [], webhook: null, form: "json" };
    await control().ask("POST", "/api/sites", { id: "rows", badge: true });
    await control().ask("PUT", "/api/sites/rows/goals", { goals });
    await control().ask("PUT", "/api/sites/rows/digest", {
      ...when,
      enabled: true,
      channel: "rows",
    });
    await control().ask("PUT", "/api/sites/rows/alarms", {
      silence: true,
      rush: false,
      webhook: null,
    });
    await control().world.beacon({ p: "/" }, { s: "rows" });
    await control().visit("?tab=sites");
    await row("rows").locator(".week-line").waitFor();
    await row("rows").getByText("digest Mon").waitFor();
    assert.deepEqual((await seen(row("rows"))).split(/\s*[\n\t]\s*/).filter(Boolean), [
      "rows",
      "alarm on",
      "digest Mon",
      "1 goal",
      "badge",
      "1",
      "1",
    ]);
    assert.match(await seen(row("week")), /^week\s+No view yet\.$/);
  });

  it("have a page each, which a press on the row opens and Back leaves", async () => {
    await control().visit("?tab=sites");
    await row("badge").click({ position: { x: 600, y: 10 } });
    await card("badge").waitFor();
    assert.match(control().page.url(), /\?tab=sites&site=badge$/);
    await control().page.goBack();
    await row("badge").getByRole("link").click();
    await card("badge").getByRole("button", { name: "All sites" }).click();
    await row("badge").getByRole("link").press("Enter");
    await card("badge").waitFor();
    await control().page.reload();
    await card("badge").waitFor();
    await control().button("Sites").click();
    await row("badge").waitFor();
  });

  it("that are not there have a sentence in the place of their page", async () => {
    await open("nowhere");
    await control().sees("There is no site “nowhere”.");
    await control().button("All sites").click();
    await row("blog").waitFor();
  });

  it("tell in the headings of their page what is set", async () => {
    await control().ask("POST", "/api/sites", { id: "told" });
    await open("told");
    const tells = (title: string, state: string) =>
      section("told", title).getByText(state, { exact: true }).waitFor();
    await tells("Alarms", "off");
    await tells("Digest", "off");
    await tells("Goals", "none");
    await tells("Import", "none");
    await unfold("told", "Alarms");
    await card("told").getByRole("switch", { name: "When it is silent" }).click();
    await tells("Alarms", "on");
    await unfold("told", "Goals");
    await card("told").getByLabel("Name of the event").fill("signup");
    await card("told").getByRole("button", { name: "Add" }).click();
    await tells("Goals", "1");
    await unfold("told", "Token");
    await card("told").getByRole("button", { name: "Make a token" }).click();
    await tells("Token", "made");
  });

  it("are asked for at once where there is none, and a form that was opened is left again", async () => {
    await control().visit("?tab=sites");
    await control().button("Add a site").click();
    await control().button("Cancel").click();
    await control().field("Id").waitFor({ state: "detached" });
  });

  it("are added, with the tag and the token right there", async () => {
    await add("Shop");
    const ready = control().region("shop is ready");
    assert.equal(
      await seen(ready.locator(".snippet code").first()),
      `<script defer src="http://127.0.0.1:${control().world.port}/s.js" data-site="shop"></script>`,
    );
    const token = await seen(ready.locator(".secret code"));
    const stats = await control().world.readRaw("/stats", { site: "shop" }, token);
    assert.equal(stats.status, 200);
    await row("shop").waitFor();
  });

  it("are added with the domain of the collector, which their tag names", async () => {
    await add("store", "Stats.Shop.example");
    assert.match(
      await seen(control().region("store is ready").locator(".snippet code").first()),
      /src="https:\/\/stats\.shop\.example\/s\.js"/,
    );
  });

  it("have labels for their surveys, typed or from a file, and what is wrong is said", async () => {
    await open("blog");
    const labels = card("blog").getByLabel("Labels as JSON", { exact: true });
    const save = card("blog").getByRole("button", { name: "Save labels" });
    await unfold("blog", "Survey labels");
    await labels.fill('{"1": {"wants": ');
    await save.click();
    await control().sees("This is not JSON.");
    await labels.fill('{"1": {"What next": {}}}');
    await save.click();
    await control().sees("1: What next must be an id: 1 to 32 of a-z, 0-9 and -.");
    control().owner.expectTrouble(/400/);
    const given = { 1: { wants: { name: "What next?" } } };
    await section("blog", "Survey labels")
      .locator("input[type=file]")
      .setInputFiles({
        name: "labels.json",
        mimeType: "application/json",
        buffer: Buffer.from(JSON.stringify(given)),
      });
    await save.click();
    await control().sees("Saved.");
    assert.deepEqual((await control().world.read("/surveys/versions")).labels, given);
    await open("blog");
    await unfold("blog", "Survey labels");
    await labels.waitFor();
    assert.deepEqual(JSON.parse(await labels.inputValue()), given);
  });

  it("say what is wrong with a goal in words, and not in those of the API", async () => {
    await add("admin");
    await control().sees(/^Id is no site id\. .* and not "admin"\.$/);
    await open("blog");
    await unfold("blog", "Goals");
    await card("blog").getByLabel("Kind of goal").selectOption("page");
    await card("blog").getByLabel("Path of the page").fill("thanks");
    await card("blog").getByRole("button", { name: "Add" }).click();
    await control().sees(/^Goals, number 1: value must be a path that begins with a slash/);
    control().owner.expectTroubles(/400/);
  });

  it("propose the events and the pages that were counted for a goal, by its kind", async () => {
    const hostile = '<img src=x onerror="document.title=1">';
    for (const payload of [{ p: "/thanks" }, { p: "/thanks", ev: hostile }, { p: "/a*" }])
      await control().world.beacon(payload, { s: "aims" });
    await open("aims");
    await unfold("aims", "Goals");
    const options = section("aims", "Goals").locator("datalist option");
    const proposed = () =>
      control().page.evaluate<string[]>(
        `[...document.querySelectorAll("details[open] datalist option")].map(({ value }) => value)`,
      );
    assert.equal(await options.count(), 0);
    await card("aims").getByLabel("Name of the event").focus();
    await options.first().waitFor({ state: "attached" });
    assert.deepEqual(await proposed(), [hostile]);
    await card("aims").getByLabel("Kind of goal").selectOption("page");
    assert.ok((await proposed()).includes("/thanks"));
    assert.ok(!(await proposed()).includes("/a*"));
  });

  it("that are there already are not added again", async () => {
    await add("blog");
    await control().sees("There is a site blog already.");
    control().owner.expectTrouble(/409/);
  });

  it("show a badge when they are told to, with Markdown to copy", async () => {
    await open("badge");
    await unfold("badge", "Badge");
    await card("badge").getByRole("switch", { name: "Public badge" }).click();
    const shown = card("badge").locator(".snippet code", { hasText: "![views]" });
    const markdown = await seen(shown);
    const url = /^!\[views\]\((http:.*)\)$/.exec(markdown.trim())?.[1] ?? assert.fail(markdown);
    const badge = await control().world.ask(new URL(url).pathname + new URL(url).search);
    assert.equal(badge.headers["content-type"], "image/svg+xml");
  });

  it("take a domain of the collector, or say what is wrong with it", async () => {
    await open("domain");
    await unfold("domain", "More");
    const host = card("domain").getByLabel("Domain for the script");
    await host.fill("no domain");
    await host.press("Enter");
    await control().sees(/^Host must be a host name/);
    control().owner.expectTrouble(/400/);
    await host.fill("stats.domain.example");
    await host.press("Enter");
    await card("domain").getByText("https://stats.domain.example/s.js").waitFor();
  });

  it("alarm of silence and rush once that is switched on, and tell an allowed address", async () => {
    await open("blog");
    await unfold("blog", "Alarms");
    await card("blog").getByRole("switch", { name: "When it is silent" }).click();
    await card("blog").getByText("Learning: it takes three weeks of views").waitFor();
    const webhook = section("blog", "Alarms").getByLabel("Webhook", { exact: true });
    const set = async () => (await control().ask("GET", "/api/sites/blog/alarms")).json;
    await webhook.fill("https://ntfy.example/blog");
    await webhook.press("Enter");
    await card("blog").getByText("Nothing may be sent to https://ntfy.example yet.").waitFor();
    assert.deepEqual(await set(), { silence: true, rush: false, webhook: null });
    const kept = control().page.waitForResponse("**/api/sites/blog/alarms");
    await card("blog").getByRole("button", { name: "Allow https://ntfy.example" }).click();
    await kept;
    assert.equal((await set()).webhook, "https://ntfy.example/blog");
    await webhook.fill("ntfy.example");
    await webhook.press("Enter");
    await control().sees(/^Webhook must be an address that begins with http/);
    control().owner.expectTrouble(/400/);
  });

  it("send a digest where and when that is wanted, and one at once", async () => {
    const digest = section("blog", "Digest");
    const callee = await Callee.start();
    try {
      await open("blog");
      await unfold("blog", "Digest");
      await digest.getByLabel("Day", { exact: true }).selectOption("Friday");
      await digest.getByLabel("Hour", { exact: true }).selectOption("07:00");
      await digest.getByLabel("Webhook", { exact: true }).fill(`${callee.origin}/hook`);
      await digest.getByRole("button", { name: `Allow ${callee.origin}` }).click();
      await digest.getByText("Nothing may be sent to").waitFor({ state: "detached" });
      await digest.getByRole("button", { name: "Save" }).click();
      await digest.getByText(/^The next goes out on Friday.* 07:00\.$/).waitFor();
      await digest.getByRole("button", { name: "Send one now" }).click();
      await digest.getByText("Webhook: sent now.").waitFor();
      assert.equal(JSON.parse((await callee.times(1))[0]?.body ?? "").site, "blog");
      callee.answers = [410];
      await digest.getByRole("button", { name: "Send one now" }).click();
      await digest.getByText("Webhook: The webhook answered 410.").waitFor();
      await digest.getByRole("switch", { name: "Send it" }).click();
      await digest.getByText("The next goes out").waitFor({ state: "detached" });
    } finally {
      await callee.stop();
    }
  });

  it("get a new token once that is confirmed", async () => {
    const old = (await control().ask("POST", "/api/sites/token/token")).json.token;
    await open("token");
    await unfold("token", "Token");
    await card("token").getByRole("button", { name: "New token" }).click();
    await control().button("Make a new token").click();
    const token = await seen(card("token").locator(".secret code"));
    const read = (with_: string) => control().world.readRaw("/stats", { site: "token" }, with_);
    assert.equal((await read(token)).status, 200);
    assert.equal((await read(old)).status, 401);
  });

  it("are erased once their name is typed", async () => {
    await open("gone");
    await unfold("gone", "More");
    await card("gone").getByRole("button", { name: "Erase…" }).click();
    assert.equal(await control().button("Erase").isDisabled(), true);
    await control().field("Type gone to go on").fill("gone");
    await control().button("Erase").click();
    await row("blog").waitFor();
    await row("gone").waitFor({ state: "detached" });
    const { sites } = (await control().ask("GET", "/api/sites")).json;
    assert.ok(!sites.some(({ id }: { id: string }) => id === "gone"));
  });

  it("show their week, their total and their last view, and go with them", async () => {
    await open("week");
    await card("week").getByText("No view yet.").waitFor();
    await control().world.beacon({ p: "/" }, { s: "week" });
    await card("week").locator(".week-line").waitFor();
    assert.equal(
      (await seen(card("week").locator(".glance dl"))).replaceAll(/\s+/g, " "),
      "Last view in these five minutes Today 1 view Seven days 1 view In all 1",
    );
    await open("blog");
    await card("blog").getByText("No view yet.").waitFor();
  });

  it("of the configuration can be neither erased nor moved here", async () => {
    await open("blog");
    await card("blog").getByText("set in the configuration").waitFor();
    await unfold("blog", "Badge");
    assert.equal(
      await card("blog").getByRole("switch", { name: "Public badge" }).isDisabled(),
      true,
    );
    assert.equal(await card("blog").getByText("More", { exact: true }).count(), 0);
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

  it("come back with their numbers, or are erased once their name is typed", async () => {
    const { world } = control();
    for (const id of ["shop", "docs"]) await control().ask("POST", "/api/sites", { id });
    await world.beacon({ p: "/" }, { s: "shop" });
    await retire("shop", "docs");
    await control().open("?tab=sites");
    const retired = control().region("Retired");
    const of = (id: string) => retired.getByRole("group", { name: id });
    await of("shop").getByRole("button", { name: "Reactivate" }).click();
    await control().page.getByRole("link", { name: "shop", exact: true }).waitFor();
    assert.equal((await world.stats({ site: "shop" })).pv._, 1);
    await of("docs").getByRole("button", { name: "Erase…" }).click();
    await control().field("Type docs to go on").fill("docs");
    await control().button("Erase").click();
    await retired.waitFor({ state: "detached" });
    assert.equal((await control().ask("GET", "/api/sites")).json.sites.length, 2);
  });
});
