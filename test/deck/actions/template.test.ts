import assert from "node:assert/strict";
import { isRefusal } from "../../../appliance/base/refusal.ts";
import { filled } from "../../../appliance/deck/actions/template.ts";
import type { Action } from "../../../appliance/deck/settings/action.ts";

type RequestAction = Extract<Action, { do: "request" }>;

const VALUES = { channel: "door", text: 'a "b" & c\nd', deck: "el-1", slot: "k3", delta: -2 };
const fill = (more: Partial<RequestAction>, values = VALUES) => {
  const action = { do: "request", method: "POST", url: "http://h/", ...more } as const;
  const { body, ...request } = filled(action, values);
  return { ...request, body: body && Buffer.from(body).toString() };
};

describe("a placeholder of a request", () => {
  it("is percent-encoded in the address", () => {
    assert.equal(
      fill({ url: "http://h/{{slot}}/{{text}}?d={{delta}}&o={{other}}" }).url,
      "http://h/k3/a%20%22b%22%20%26%20c%0Ad?d=-2&o={{other}}",
    );
  });

  it("is escaped in JSON, which a body is that begins like it", () => {
    const { headers, body } = fill({ body: '{"text":"{{text}}","delta":{{delta}}}' });
    assert.deepEqual(JSON.parse(body ?? ""), { text: VALUES.text, delta: -2 });
    assert.deepEqual(headers, { "content-type": "application/json" });
  });

  it("is percent-encoded in a form", () => {
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    assert.equal(fill({ headers, body: "t={{text}}" }).body, "t=a%20%22b%22%20%26%20c%0Ad");
  });

  it("stands in a text as it is", () => {
    const { headers, body } = fill({ body: "{{deck}} {{channel}}: {{text}}" });
    assert.equal(body, `el-1 door: ${VALUES.text}`);
    assert.equal(headers["content-type"], "text/plain; charset=utf-8");
  });

  it("is one line in a header, in UTF-8", () => {
    const { headers } = fill({ headers: { Title: "é {{text}}" } });
    assert.equal(Buffer.from(headers.title ?? "", "latin1").toString(), 'é a "b" & c d');
  });

  it("is filled in once, whatever the value holds", () => {
    const values = { ...VALUES, text: "{{deck}} $& $1" };
    assert.equal(fill({ body: "x {{text}}" }, values).body, "x {{deck}} $& $1");
  });

  for (const [url, text] of [
    ["http://h/api/webhook/{{text}}", ".."],
    ["http://h/api/webhook/{{text}}?x", "."],
    ["http://h/api/webhook/{{text}}/x", "%2e%2E"],
    ["http://h/api/webhook/{{text}}", "x/../../y"],
    ["http://h/api/webhook/.{{text}}", "."],
    ["http://h/api/webhook/%2e{{text}}#x", "%2e"],
  ] as const)
    it(`leads to no other path: ${text} in ${url}`, () => {
      assert.throws(
        () => fill({ url }, { ...VALUES, text }),
        (error) => isRefusal(error, "invalid_field"),
      );
    });

  it("may hold dots where they lead nowhere", () => {
    const values = { ...VALUES, text: ".." };
    assert.equal(fill({ url: "http://h/../a{{text}}?{{text}}" }, values).url, "http://h/../a..?..");
    assert.equal(
      fill({ url: "http://h/{{text}}" }, { ...VALUES, text: "..." }).url,
      "http://h/...",
    );
  });

  it("makes no request of any length", () => {
    const values = { ...VALUES, text: "x".repeat(256) };
    assert.throws(
      () => fill({ body: "{{text}}".repeat(500) }, values),
      (error) => isRefusal(error, "too_large"),
    );
    assert.throws(
      () => fill({ url: `http://h/${"{{text}}".repeat(100)}` }, values),
      (error) => isRefusal(error, "too_large"),
    );
  });
});
