import assert from "node:assert/strict";
import { PARTS } from "../../web/control/view/view.ts";
import { sharedControl } from "./control-stage.ts";
import { Owner, seen } from "./owner.ts";

/** The sections of the Web UI, by their addresses. */
const SECTIONS = [
  ...["?tab=start", "", "?slot=k0", "?tab=push", "?tab=sites", "?tab=sites&site=blog"],
  ...PARTS.map(({ id }) => `?tab=box&part=${id}`),
];

describe("a machine that is no box, in the Web UI", () => {
  const control = sharedControl({ env: { VIRTUAL_DECK: "mini" } });
  const isBox = /.{0,20}\bbox(?:es)?\b.{0,20}/gi;

  for (const width of [1200, 360])
    it(`is called a machine, ${width} pixels wide`, async () => {
      await control().page.setViewportSize({ width, height: 900 });
      for (const section of SECTIONS) {
        await control().visit(section);
        await control().sees(/\w/);
        const unfold = `for (const part of document.querySelectorAll("details")) part.open = true`;
        await control().page.evaluate(unfold);
        const text = await seen(control().page.locator("body"));
        assert.deepEqual(text.match(isBox) ?? [], [], section);
      }
      await control().visit("?tab=box");
      await control().region("This machine").getByText("Running for").waitFor();
      assert.doesNotMatch(await seen(control().page.locator("body")), isBox);
    });

  it("has no card and no button for what only a box has", async () => {
    await control().visit("?tab=box");
    await control().region("This machine").getByText("Running for").waitFor();
    const cards = await control().page.getByRole("heading", { level: 2 }).allInnerTexts();
    assert.deepEqual(cards, ["This machine"]);
    for (const name of ["Restart…", "Shut down…"])
      assert.equal(await control().button(name).count(), 0, name);
    assert.doesNotMatch(await seen(control().region("This machine")), /Wi-Fi/);
    await control().visit("?tab=box&part=connections");
    await control().field("Broker").waitFor();
    assert.equal(await control().region("Wi-Fi").count(), 0);
    await control().visit("?tab=box&part=public");
    await control().region("Public address").getByText("More settings").waitFor();
    assert.equal(await control().page.getByText("Through a server of yours").count(), 0);
  });

  it("is called a machine on the pages beside it, too", async () => {
    const reader = await Owner.come(control().world);
    try {
      for (const path of ["/help?site=blog", "/dashboard?site=blog"]) {
        await reader.open(path);
        await reader.page.getByRole("heading").first().waitFor();
        assert.doesNotMatch(await seen(reader.page.locator("body")), isBox, path);
      }
    } finally {
      await reader.leave();
    }
  });
});
