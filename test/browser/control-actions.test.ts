import assert from "node:assert/strict";
import { Callee } from "../helpers/callee.ts";
import { sharedControl } from "./control-stage.ts";

describe("what a key does, in the Web UI", () => {
  const control = sharedControl({ env: { VIRTUAL_DECK: "plus" } });
  let callee: Callee;
  beforeEach(async () => {
    callee = await Callee.start();
  });
  afterEach(() => callee.stop());
  const field = (label: string) => control().field(label);

  it("is a request that is allowed, filled in, saved and tried in one go, its secret hidden later", async () => {
    await control().visit("?slot=k1");
    await field("When pressed").selectOption("Send an HTTP request");
    await control().sees("Not saved yet");
    await field("Address").press("Tab");
    await control().sees(/^Type the whole address/);
    await field("Address").fill(`${callee.origin}/{{slot}}`);
    await field("Headers").fill("Authorization: Bearer abc\nX-From: {{deck}}");
    await field("Body").fill('{"from":"{{deck}}"}');
    await control().button(`Allow ${callee.origin}`).click();
    await control().button("Try it: when pressed").click();
    const [came] = await callee.times(1);
    assert.deepEqual(
      [came?.path, came?.body, came?.headers.authorization, came?.headers["x-from"]],
      ["/k1", '{"from":"virtual-plus"}', "Bearer abc", "virtual-plus"],
    );
    await control().visit("?slot=k1");
    assert.equal(await field("Headers").inputValue(), "Authorization: …\nX-From: …");
    await control().visit("?tab=push");
    await control().button(`Remove ${callee.origin}`).click();
    await control().button(`Remove ${callee.origin}`).waitFor({ state: "detached" });
  });

  it("is another for a press, a hold and a turn of a dial", async () => {
    await control().visit("?slot=d0");
    await field("When pressed").selectOption("Mark as seen");
    await field("Channel").fill("door");
    await field("When held").selectOption("Put the deck to sleep");
    await field("When turned").selectOption("Show a page");
    await field("Which page").selectOption("The one before");
    await control().page.getByText("Saved", { exact: true }).nth(2).waitFor();
    const settings = () => control().world.service.decks.slotSettings("virtual-plus", "d0", 0);
    assert.deepEqual(settings(), {
      widget: { type: "empty" },
      press: { do: "acknowledge", channel: "door" },
      hold: { do: "sleep" },
      turn: { do: "page", page: "previous" },
    });
  });
});
