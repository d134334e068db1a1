import assert from "node:assert/strict";
import {
  firstAction,
  headerLines,
  lackOfAction,
  readHeaderLines,
} from "../../../../../web/control/deck/fields/actions.ts";

describe("an action in the Web UI", () => {
  it("lacks what it needs until somebody has typed it", () => {
    const allowed = ["http://ha.local"];
    const request = (url: string) =>
      lackOfAction({ ...firstAction("request", ""), url } as never, allowed);
    assert.equal(lackOfAction(undefined, null), "");
    assert.equal(lackOfAction(firstAction("acknowledge", "door"), null), "");
    assert.equal(lackOfAction(firstAction("send", "door"), null), "");
    assert.match(lackOfAction(firstAction("clear", ""), null), /Name a channel/);
    assert.match(lackOfAction({ do: "acknowledge", channel: "-x" }, null), /1 to 32/);
    assert.match(request("ha.local"), /beginning with http/);
    assert.match(request("http://nas.local/"), /Allow the address/);
    assert.equal(request("http://ha.local/x"), "");
  });

  it("has its headers as lines", () => {
    const headers = { Authorization: "Bearer a:b", "X-Empty": "" };
    assert.equal(headerLines(headers), "Authorization: Bearer a:b\nX-Empty: ");
    assert.deepEqual(readHeaderLines(headerLines(headers)), headers);
    assert.deepEqual(readHeaderLines("\n  \n"), {});
    assert.equal(readHeaderLines("Authorization"), undefined);
    assert.equal(headerLines(), "");
  });
});
