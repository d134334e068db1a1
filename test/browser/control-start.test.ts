import assert from "node:assert/strict";
import { eachControl, sharedControl } from "./control-stage.ts";
import { seen } from "./owner.ts";

describe("an empty box in the Web UI", () => {
  const control = sharedControl({ env: { SITES: "", VIRTUAL_DECK: "mini" } });
  beforeEach(async () => {
    for (const { id } of (await control().ask("GET", "/api/sites")).json.sites)
      await control().ask("DELETE", `/api/sites/${id}?confirm=${id}`);
    await control().set("k2", { type: "empty" });
  });
  // Each is the first visit of a browser.
  afterEach(() => control().page.evaluate("localStorage.clear()"));
  const step = (title: string) => control().page.getByRole("listitem").filter({ hasText: title });
  const isDone = (title: string) => step(title).getByText("(done)").waitFor({ state: "attached" });
  const name = async (id: string) => {
    await control().field("Id").fill(id);
    await control().button("Add").click();
  };

  it("leads from a name to a number on a key, on one page", async () => {
    const { world } = control();
    await control().open("");
    await name("My-Blog");
    await isDone("Name your site");
    assert.equal(
      await seen(step("Copy the tag").locator(".snippet code")),
      `<script defer src="http://127.0.0.1:${world.port}/s.js" data-site="my-blog"></script>`,
    );
    await control().sees("Waiting for the first view…");
    await world.beacon({ p: "/" }, { s: "my-blog" });
    await control().sees("The first view of my-blog has arrived.");
    await isDone("Watch it arrive");
    await control().button("Put it on a key").click();
    await isDone("See it every day");
    assert.deepEqual(control().widget("k2"), {
      type: "stat",
      site: "my-blog",
      metric: "pv",
      period: "day",
    });
    await control().button("Change what the key shows").click();
    await control().slot("k2").waitFor();
    assert.match(control().page.url(), new RegExp(`deck=${control().deck}&slot=k2`));
  });

  it("goes on where it was when the page is opened anew, until a view has come", async () => {
    await control().open("");
    await name("my-blog");
    await control().sees("Waiting for the first view…");
    await control().open("");
    await isDone("Name your site");
    await control().button("Put it on a key").click();
    await isDone("See it every day");
    await control().open("");
    await control().sees("Waiting for the first view…");
    await control().world.beacon({ p: "/" }, { s: "my-blog" });
    await isDone("Watch it arrive");
    await control().open("");
    await control().slot("k2").waitFor();
    assert.equal(await control().button("Start").count(), 0);
  });

  it("has a tag for a page on this machine, which counts", async () => {
    await control().open("");
    await name("my-blog");
    assert.match(
      (await seen(step("Watch it arrive").locator(".snippet code"))) ?? "",
      / data-site="my-blog" data-dev="1"><\/script>$/,
    );
  });

  it("says what is wrong with a name", async () => {
    await control().open("");
    await name("my blog");
    await control().page.locator(".notice.bad").waitFor();
    control().owner.expectTrouble(/400/);
  });

  it("leaves who came for something else where they wanted to be", async () => {
    await control().open("?tab=push");
    await control().field("New token for").waitFor();
    await control().button("Start").click();
    await control().sees("Four steps");
  });

  it("offers its first steps on each visit until they are dismissed", async () => {
    await control().open("?tab=sites");
    await control().button("Start").click();
    await control().button("Do not show this again").click();
    await control().button("Start").waitFor({ state: "detached" });
    await control().page.reload();
    await control().button("Deck").waitFor();
    assert.equal(await control().button("Start").count(), 0);
  });

  it("shuts nobody out of its start, and fits", async () => {
    const fits = async () => {
      for (const width of [1_200, 360]) {
        await control().page.setViewportSize({ width, height: 900 });
        assert.equal(await control().page.evaluate("document.body.scrollWidth"), width);
      }
      await control().owner.assertAccessibleInAnyLight();
    };
    await control().open("");
    await fits();
    await control().field("Id").fill("a-site-named-with-all-32-signs-0");
    await control().button("Add").click();
    await control().sees("Waiting for the first view…");
    await fits();
    await control().page.setViewportSize({ width: 1_200, height: 900 });
  });
});

describe("an empty box without a deck", () => {
  const control = eachControl({ env: { SITES: "" } });
  const begin = async () => {
    await control().open("");
    await control().field("Id").fill("my-blog");
    await control().button("Add").click();
    await control().sees(/^Plug in a stream deck/);
  };

  it("leads to the dashboard", async () => {
    await begin();
    await control().world.beacon({ p: "/first" }, { s: "my-blog" });
    await control().sees("The first view of my-blog has arrived.");
    const link = control().page.getByRole("link", { name: "See it on the dashboard" });
    assert.match((await link.getAttribute("href")) ?? "", /\/dashboard\?site=my-blog$/);
  });

  it("gets a virtual deck, and a number on its first key", async () => {
    await begin();
    await control().button("Add a virtual deck").click();
    await control().button("Put it on a key").click();
    await control().button("Change what the key shows").click();
    await control().slot("k0").waitFor();
  });

  it("opens with its sites once a view has come", async () => {
    await begin();
    await control().world.beacon({ p: "/" }, { s: "my-blog" });
    await control().sees("The first view of my-blog has arrived.");
    await control().open("");
    await control().page.getByRole("heading", { name: "Sites" }).waitFor();
  });
});

describe("the first site in the Web UI of a browser elsewhere", () => {
  const control = eachControl({ env: { SITES: "" }, timezoneId: "Asia/Kolkata" });

  for (const tab of ["start", "sites"])
    it(`is offered the browser's zone on the tab ${tab}`, async () => {
      await control().open(`?tab=${tab}`);
      const zone = control().field("Days begin at midnight in");
      assert.match(await zone.inputValue(), /^Asia\/(?:Kolkata|Calcutta)$/);
      await control().field("Id").fill("my-blog");
      await control().button("Add").click();
      await zone.waitFor({ state: "detached" });
      const { zone: ofDays } = await control().world.stats({ site: "my-blog" });
      assert.match(ofDays, /^Asia\/(?:Kolkata|Calcutta)$/);
    });

  it("takes another that its owner types", async () => {
    await control().open("");
    await control().field("Days begin at midnight in").fill("UTC");
    await control().field("Id").fill("my-blog");
    await control().button("Add").click();
    await control().sees("Waiting for the first view…");
    assert.equal((await control().world.stats({ site: "my-blog" })).zone, "UTC");
  });
});
