import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { type Control, eachControl, MK2, ON_LAN, sharedControl } from "./control-stage.ts";

/** Something to see on every page. */
async function furnish(control: Control): Promise<void> {
  await control.set("k2", { type: "push", channel: "build", expire: "text", fallback: "–" });
  await control.set("k3", { type: "stat", site: "blog", metric: "pv", period: "day" });
  await control.push("build", { text: "Build ok", background: "#14532d" });
  await control.push("a-channel-named-with-32-signs.00", { text: "x" });
  await control.ask("POST", "/api/push-tokens", { name: "A name of the forty characters allowed" });
  await control.ask("POST", "/api/sites", { id: "a-site-with-a-long-name", badge: true });
}

const PAGES = [
  ["the deck", ""],
  ["a pushed key", `?deck=${MK2}&slot=k2`],
  ["a live number", "?slot=k3&send=python"],
  ["push", "?tab=push"],
  ["sites", "?tab=sites"],
  ["the box", "?tab=box"],
] as const;

describe("the Web UI", () => {
  for (const { colorScheme, width } of [
    { colorScheme: "light", width: 1200 },
    { colorScheme: "dark", width: 360 },
  ] as const) {
    describe(`${colorScheme}, ${width} pixels wide`, () => {
      const control = sharedControl({
        colorScheme,
        viewport: { width, height: 740 },
        env: { VIRTUAL_DECK: "mk2,plus" },
      });
      before(() => furnish(control()));

      for (const [name, query] of PAGES) {
        it(`shuts nobody out of ${name}, and fits`, async () => {
          await control().open(query);
          await control().page.waitForLoadState("networkidle");
          await control().owner.assertAccessible();
          assert.equal(await control().page.evaluate("document.body.scrollWidth"), width);
        });
      }
    });
  }
});

describe("the sign-in page", () => {
  const control = eachControl({ env: ON_LAN, viewport: { width: 360, height: 640 } });

  it("shuts nobody out, and fits", async () => {
    await control().owner.open("/");
    await control().button("Sign in").waitFor();
    await control().owner.assertAccessible();
    assert.equal(await control().page.evaluate("document.body.scrollWidth"), 360);
    control().owner.expectTrouble(/401/);
  });
});

describe("the page without a deck", () => {
  const control = eachControl({ viewport: { width: 360, height: 640 } });

  it("shuts nobody out, and fits", async () => {
    await control().open();
    await control().owner.assertAccessible();
    assert.equal(await control().page.evaluate("document.body.scrollWidth"), 360);
  });
});
