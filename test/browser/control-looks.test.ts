import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { PARTS } from "../../web/control/view/view.ts";
import { type Control, ON_LAN, sharedControl } from "./control-stage.ts";

const LONG = "a-site-with-a-long-name";

/** Something to see on every page. */
async function furnish(control: Control): Promise<void> {
  await control.set("k2", { type: "push", channel: "build", expire: "text", fallback: "–" });
  await control.set("k3", { type: "stat", site: "blog", metric: "pv", period: "day" });
  await control.push("build", { text: "Build ok", background: "#14532d" });
  await control.push("a-channel-named-with-32-signs.00", { text: "x" });
  await control.ask("POST", "/api/push-tokens", { name: "A name of the forty characters allowed" });
  await control.ask("POST", "/api/sites", { id: LONG, badge: true });
}

const PAGES = [
  ["the deck", ""],
  ["a pushed key", "?deck=virtual-mini&slot=k2"],
  ["a live number", "?slot=k3&send=python"],
  ["push", "?tab=push"],
  ["sites", "?tab=sites"],
  ["a site", `?tab=sites&site=${LONG}`],
  ...PARTS.map(({ id, name }) => [`the machine: ${name}`, `?tab=box&part=${id}`] as const),
] as const;

const LOOKS = [
  { colorScheme: "light", width: 1_200 },
  { colorScheme: "dark", width: 360 },
] as const;

describe("the Web UI", () => {
  const control = sharedControl({ env: { VIRTUAL_DECK: "mini,plus" } });
  before(() => furnish(control()));

  for (const [name, query] of PAGES)
    it(`shuts nobody out of ${name}, and fits`, async () => {
      await control().visit(query);
      await control().page.waitForLoadState("networkidle");
      for (const { colorScheme, width } of LOOKS) {
        await control().page.emulateMedia({ colorScheme });
        await control().page.setViewportSize({ width, height: 740 });
        await control().owner.assertAccessible();
        assert.equal(await control().page.evaluate("document.body.scrollWidth"), width);
      }
    });

  it("has the goals of a site beside their buttons, wide or narrow", async () => {
    const middle = async (locator: Locator) => {
      const box = await locator.boundingBox();
      assert.ok(box);
      return box.y + box.height / 2;
    };
    const goals = [{ name: "Downloaded the large thing", kind: "event", value: "download" }];
    await control().ask("PUT", `/api/sites/${LONG}/goals`, { goals });
    await control().page.setViewportSize({ width: 1_280, height: 900 });
    await control().visit(`?tab=sites&site=${LONG}`);
    const site = control().region(LONG);
    await site.locator("summary", { hasText: "Goals" }).click();
    const form = site.locator("form.row", { has: control().field("Kind of goal") });
    const add = await middle(form.getByRole("button", { name: "Add" }));
    assert.ok(Math.abs(add - (await middle(form.locator("select")))) < 2);
    await control().page.setViewportSize({ width: 360, height: 740 });
    const below = await middle(form.getByRole("button", { name: "Add" }));
    assert.ok(Math.abs(below - (await middle(form.locator("input").last()))) < 2);
    const entry = site.locator(".entries > .row", { hasText: "Downloaded" });
    const remove = await middle(entry.getByRole("button"));
    assert.ok(Math.abs(remove - (await middle(entry.locator("span").first()))) < 2);
  });
});

describe("what stays out of a site", () => {
  const control = sharedControl();

  it("shuts nobody out, and fits, wide or narrow", async () => {
    await control().ask("POST", "/api/sites", { id: LONG });
    for (const h of ["https://blog.example", `https://${"copied-".repeat(8)}site.example`])
      await control().world.beacon({ h }, { s: LONG });
    const host = `${"a-long-label.".repeat(9)}example`;
    const leftOut = { hosts: [host], paths: [`/${"path".repeat(30)}*`], countries: ["CH"] };
    await control().ask("PUT", `/api/sites/${LONG}/left-out`, leftOut);
    await control().visit(`?tab=sites&site=${LONG}`);
    const out = control().region(LONG).locator("details", { hasText: "What stays out" });
    await out.locator("summary").click();
    await out.getByRole("button", { name: "Count blog.example" }).waitFor();
    for (const width of [1_280, 360]) {
      await control().page.setViewportSize({ width, height: 740 });
      await control().owner.assertAccessible();
      assert.equal(await control().page.evaluate("document.body.scrollWidth"), width);
    }
  });
});

describe("the Web UI in forced colours", () => {
  const control = sharedControl({ env: { VIRTUAL_DECK: "mini" }, forcedColors: "active" });
  /** The marks of an element that tell whether it is chosen. */
  const style = (selector: string, pseudo = "") =>
    control().page.evaluate(
      `(({ outlineStyle, borderBottomColor, backgroundColor }) => [outlineStyle, borderBottomColor, backgroundColor])
        (getComputedStyle(document.querySelector(${JSON.stringify(selector)}), ${JSON.stringify(pseudo)}))`,
    );

  it("shows which tab, key and choice is chosen, and what is switched on", async () => {
    await control().set("k2", { type: "push", channel: "build" });
    await control().ask("POST", "/api/sites", { id: "shop", badge: true });
    await control().open("?slot=k2");
    await control().field("Shows").waitFor();
    for (const [chosen, other] of [
      [".tabs [aria-current]", ".tabs button:not([aria-current])"],
      ['.slot[aria-pressed="true"]', '.slot[aria-pressed="false"]'],
      [".segments input:checked + span", ".segments input:not(:checked) + span"],
    ] as const)
      assert.notDeepEqual(await style(chosen), await style(other), chosen);
    await control().visit("?tab=sites&site=shop");
    for (const title of ["Badge", "Alarms"])
      await control().region("shop").getByRole("heading", { name: title }).click();
    await control().page.locator(".switch input:checked").first().waitFor();
    const off = ".switch input:not(:checked)";
    assert.notDeepEqual(await style(".switch input:checked"), await style(off));
    assert.notDeepEqual(await style(off, "::after"), await style(off), "its knob is seen");
  });
});

describe("the documentation", () => {
  const control = sharedControl({ viewport: { width: 360, height: 740 } });

  it("shuts nobody out of a large table, and fits", async () => {
    await control().owner.open("/docs/compare");
    await control().owner.assertAccessible("main", true);
    assert.equal(await control().page.evaluate("document.body.scrollWidth"), 360);
  });
});

describe("the sign-in page", () => {
  const control = sharedControl({ env: ON_LAN, viewport: { width: 360, height: 640 } });

  it("shuts nobody out, and fits", async () => {
    await control().owner.open("/");
    await control().button("Sign in").waitFor();
    await control().owner.assertAccessible();
    assert.equal(await control().page.evaluate("document.body.scrollWidth"), 360);
    control().owner.expectTrouble(/401/);
  });
});

describe("the page without a deck", () => {
  const control = sharedControl({ viewport: { width: 360, height: 640 } });

  it("shuts nobody out, and fits", async () => {
    await control().open();
    await control().owner.assertAccessible();
    assert.equal(await control().page.evaluate("document.body.scrollWidth"), 360);
  });
});
