import assert from "node:assert/strict";
import { DAY_MS } from "../../appliance/base/calendar.ts";
import { CountingPlace } from "../helpers/counting-place.ts";
import { eachControl } from "./control-stage.ts";

const PLACES = "?tab=box&part=places";

describe("places of a machine", () => {
  const control = eachControl();
  const counting = CountingPlace.each(() => control().world, "blog,notes,shop:shop.example");
  const invited = () => counting().invited();
  const until = (holds: () => Promise<boolean>) => counting().until(holds);
  const paste = async (line: string) => {
    await control().visit(PLACES);
    await control().field("Invitation").fill(line);
    await control().button("Add the place").click();
  };
  const frankfurt = () => control().region("localhost");
  const views = async (site: string) => (await control().world.stats({ site })).pv?._ ?? 0;
  const sees = (text: string | RegExp) =>
    until(() => frankfurt().getByText(text).first().isVisible());

  it("begin with words and a command, and come by the line that it printed", async () => {
    await control().visit(PLACES);
    await control().sees("tallydeck place invite");
    await control().sees("Nobody is invited.");
    await control().owner.assertAccessibleInAnyLight("main", true);
    await paste(await invited());
    await sees(/^It answered just now\./);
    await counting().world.beacon({ p: "/there" });
    await until(async () => (await views("blog")) === 1);
    await sees(/1 hit came live/);
    assert.equal(await control().field("Invitation").inputValue(), "");
    await control().owner.assertAccessibleInAnyLight("main", true);
    await control().page.setViewportSize({ width: 360, height: 740 });
    assert.equal(await control().page.evaluate("document.body.scrollWidth"), 360);
    await control().owner.assertAccessible("main", true);
  });

  it("have sites of the same ids matched, others by a choice, and make new ones by one press", async () => {
    await counting().world.beacon({ p: "/" }, { s: "notes" });
    await counting().world.beacon({ p: "/" }, { s: "shop" });
    await paste(await invited());
    await sees(/^It answered/);
    const which = (site: string) => frankfurt().getByLabel(site, { exact: true });
    assert.equal(await which("blog").inputValue(), "blog");
    await sees("This machine lacks notes, shop.");
    assert.equal(await which("notes").locator("option:checked").textContent(), "Not here yet");
    await which("notes").selectOption("None of them");
    await sees("This machine lacks shop.");
    assert.equal(await which("notes").locator("option:checked").textContent(), "None of them");
    assert.equal(await which("notes").getByText("Not here yet").count(), 0);
    await which("notes").selectOption("blog");
    await until(async () => (await views("blog")) === 1);
    await frankfurt().getByRole("switch", { name: "Make new sites here" }).click();
    await until(async () => (await which("shop (shop.example)").inputValue()) === "shop");
    await until(async () => (await views("shop")) === 1);
    assert.equal(await which("notes").inputValue(), "blog");
    const { sites } = control().world.service.store.numbers.directory;
    assert.deepEqual(sites.map(({ id, host }) => [id, host]).sort(), [
      ["blog", null],
      ["shop", "shop.example"],
    ]);
  });

  it("have their address in the tags of sites, also of one that is new", async () => {
    await paste(await invited());
    await sees(/^It answered/);
    const tag = (site: string) =>
      `<script defer src="${counting().address}/s.js" data-site="${site}"></script>`;
    await control().visit("?tab=sites&site=blog");
    await control().sees(tag("blog"));
    await control().sees("It names localhost, which counts this site.");
    await control().owner.assertAccessibleInAnyLight("main", true);
    await control().visit("?tab=sites");
    await control().button("Add a site").click();
    await control().field("Id").fill("fresh");
    await control().button("Add").click();
    await control().sees(tag("fresh"));
    await until(
      async () => (await counting().world.readRaw("/stats", { site: "fresh" })).status === 200,
    );
    await control().visit(PLACES);
    await frankfurt().getByText("Name and removal").click();
    await frankfurt().getByRole("button", { name: "Remove localhost" }).click();
    await control().page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await frankfurt().waitFor({ state: "detached" });
    await control().visit("?tab=sites&site=blog");
    await control().page.getByText(`:${control().world.port}/s.js"`).waitFor();
  });

  it("get another name, and are removed with what stays said", async () => {
    await counting().world.beacon({ p: "/" });
    await paste(await invited());
    await until(async () => (await views("blog")) === 1);
    await frankfurt().getByText("Name and removal").click();
    await frankfurt().getByLabel("Name", { exact: true }).fill("Frankfurt");
    await frankfurt().getByLabel("Name", { exact: true }).press("Enter");
    const renamed = control().region("Frankfurt");
    await renamed.getByRole("button", { name: "Remove Frankfurt" }).click();
    await control().sees(/What came stays here, as a source/);
    await control().owner.assertAccessible("[role=dialog], dialog", true);
    await control().page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await renamed.waitFor({ state: "detached" });
    assert.equal(await views("blog"), 1);
  });

  it("say that they are silent, or not believed, and what to do", async () => {
    await paste(await invited());
    await sees(/^It answered/);
    await counting().world.beacon({ p: "/" });
    const { clock } = control().world;
    await counting().world.stop();
    await sees(
      /^Nothing could be fetched just now: the connection was refused\. It is asked again/,
    );
    clock.advance(10 * 60_000);
    await sees(/^Nothing was fetched for more than ten minutes/);
    await control().page.getByRole("link", { name: "Places , one is silent" }).waitFor();
    await control().owner.assertAccessible("main", true);
  });

  it("are asked again once somebody has seen to what they claimed", async () => {
    counting().world.clock.jump(3 * DAY_MS);
    await paste(await invited());
    await counting().world.beacon({ p: "/" });
    await sees(
      /^Nothing more of it is taken\. Some of what it sent is of a day in the future\. See to it/,
    );
    await control().page.getByRole("link", { name: "Places , one is not believed" }).waitFor();
    await control().owner.assertAccessibleInAnyLight("main", true);
    control().world.clock.jump(3 * DAY_MS);
    await frankfurt().getByRole("button", { name: "Ask it again" }).click();
    await until(async () => (await views("blog")) === 1);
  });

  it("are what this machine is, too: an invitation is shown once, and taken back", async () => {
    await control().visit(PLACES);
    const card = control().region("This machine as a place");
    await card.getByText("Nobody is invited.").waitFor();
    await card.getByText(/tallydeck-place:/).waitFor({ state: "detached" });
    await card.getByLabel("Whose it is").fill("berlin");
    await card.getByLabel("Address of this machine").fill("https://stats.example.com");
    await card.getByRole("button", { name: "Make an invitation" }).click();
    await card.getByText(/^tallydeck-place:https:\/\/stats\.example\.com#tdh_/).waitFor();
    await card.getByRole("img", { name: "QR code of the invitation" }).waitFor();
    await card.getByText(/has not asked yet/).waitFor();
    await control().owner.assertAccessibleInAnyLight("main", true);
    await control().page.setViewportSize({ width: 360, height: 740 });
    assert.equal(await control().page.evaluate("document.body.scrollWidth"), 360);
    await card.getByRole("button", { name: "Take back the invitation of berlin" }).click();
    await control().sees(/What was fetched stays there/);
    await control().page.getByRole("dialog").getByRole("button", { name: "Take back" }).click();
    await card.getByText("Nobody is invited.").waitFor();
  });
});
