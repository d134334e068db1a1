import assert from "node:assert/strict";
import { Refusal } from "../../../appliance/base/refusal.ts";
import { channelName } from "../../../appliance/deck/push/channels.ts";
import { cleanText } from "../../../appliance/deck/push/text.ts";
import {
  type Action,
  lostSecret,
  readAction,
  secretsOf,
  shownAction,
  withSecrets,
} from "../../../appliance/deck/settings/action.ts";

const read = (input: unknown) => readAction(input, { channelName, cleanText });
const request = (more: object = {}) =>
  ({ do: "request", method: "POST", url: "http://ha.local:8123/api", ...more }) as Action;
const sequence = (...steps: object[]) => ({ do: "sequence", steps });

describe("an action from the wire", () => {
  for (const action of [
    { do: "acknowledge" },
    { do: "acknowledge", channel: "door" },
    { do: "page", page: "next" },
    { do: "page", page: "Living room" },
    { do: "send", channel: "door", text: "open", ttl: 0, color: "#ff0000", background: "#000000" },
    { do: "clear", channel: "door" },
    { do: "sleep" },
    { do: "request", method: "GET", url: "https://example.org/a?b={{text}}" },
    request({ headers: { Authorization: "Bearer é {{deck}}" }, body: '{"slot":"{{slot}}"}' }),
  ])
    it(`may be ${JSON.stringify(action)}`, () => {
      assert.deepEqual(read(action), action);
    });

  it("has its channel lower-cased and its text made drawable", () => {
    assert.deepEqual(read({ do: "send", channel: "Door", text: "5 €" }), {
      do: "send",
      channel: "door",
      text: "5 EUR",
    });
    assert.deepEqual(read({ do: "clear", channel: "Door" }), { do: "clear", channel: "door" });
  });

  for (const [input, field, problem] of [
    [null, "press", /must be an object/],
    [
      {},
      "press.do",
      /must be one of acknowledge, page, send, clear, toggle, sleep, request, sequence/,
    ],
    [{ do: "reboot" }, "press.do", /must be one of/],
    [{ do: "acknowledge", channel: ".." }, "press.channel", /1 to 32 characters/],
    [{ do: "page" }, "press.page", /is missing/],
    [{ do: "page", page: "" }, "press.page", /name of a page/],
    [{ do: "send", channel: "a", text: "", ttl: 86_401 }, "press.ttl", /whole seconds/],
    [{ do: "sleep", channel: "a" }, "press.channel", /not a field of this type of action/],
    [request({ method: "CONNECT" }), "press.method", /must be one of GET/],
    [request({ url: "ha.local/x" }), "press.url", /begin with http/],
    [request({ url: "http://{{text}}/x" }), "press.url", /written out/],
    [request({ url: "http:/{{text}}" }), "press.url", /written out/],
    [request({ url: "http:{{text}}" }), "press.url", /written out/],
    [request({ url: "http:///{{text}}/x" }), "press.url", /written out/],
    [request({ url: "http://me:pass@ha.local/" }), "press.url", /user name/],
    [request({ url: `http://ha.local/${"x".repeat(1_024)}` }), "press.url", /at most 1024/],
    [{ do: "sequence", steps: [] }, "press.steps", /1 to 16 steps/],
    [{ do: "sequence", steps: Array(17).fill({ do: "sleep" }) }, "press.steps", /1 to 16 steps/],
    [sequence({ do: "pause", seconds: 61 }), "press.steps.0.seconds", /from 0.1 to 60/],
    [sequence({ do: "sleep" }, { do: "send", channel: "a" }), "press.steps.1.text", /missing/],
    [sequence(sequence({ do: "sleep" })), "press.steps.0.do", /one of/],
    [sequence(request({ method: "GET", body: "x" })), "press.steps.0.body", /GET/],
    [request({ method: "GET", body: "x" }), "press.body", /GET/],
    [request({ body: "x".repeat(4_097) }), "press.body", /at most 4096/],
    [request({ headers: { Host: "other" } }), "press.headers.Host", /does not set itself/],
    [request({ headers: { "a b": "x" } }), "press.headers.a b", /name of a header/],
    [request({ headers: { A: "x\r\nB: y" } }), "press.headers.A", /one line/],
    [request({ headers: { A: 5 } }), "press.headers.A", /one line/],
    [
      request({ headers: Object.fromEntries([...Array(17)].map((_, i) => [`A${i}`, ""])) }),
      "press.headers",
      /at most 16/,
    ],
  ] as const)
    it(`is refused when it is ${JSON.stringify(input).slice(0, 90)}`, () => {
      assert.throws(
        () => read(input),
        (error) =>
          error instanceof Refusal &&
          error.code === "invalid_field" &&
          error.field === field &&
          problem.test(error.message),
      );
    });
});

describe("the secrets of an action", () => {
  const secret = request({ headers: { Authorization: "Bearer 1", "X-Other": "2" } });
  const hidden = request({ headers: { Authorization: "…", "X-Other": "…" } });

  it("are not shown", () => {
    assert.deepEqual(shownAction(secret), hidden);
    assert.deepEqual(shownAction({ do: "sleep" }), { do: "sleep" });
  });

  it("are those of the steps of a sequence, too", () => {
    const steps = sequence({ do: "sleep" }, secret) as Action;
    const shown = sequence({ do: "sleep" }, hidden) as Action;
    assert.deepEqual(shownAction(steps), shown);
    assert.deepEqual(withSecrets(shown, secretsOf([steps])), steps);
    assert.deepEqual([lostSecret(shown), lostSecret(steps)], ["Authorization", undefined]);
  });

  it("stay when they come back hidden", () => {
    assert.deepEqual(withSecrets(hidden, secretsOf([{ do: "sleep" }, secret])), secret);
  });

  it("change where they are typed anew", () => {
    const typed = request({ headers: { authorization: "…", "X-Other": "3" } });
    assert.deepEqual(withSecrets(typed, secretsOf([secret])), {
      ...typed,
      headers: { authorization: "Bearer 1", "X-Other": "3" },
    });
  });

  it("go to no other origin", () => {
    const elsewhere = { ...hidden, url: "http://evil.example/" } as Action;
    assert.equal(lostSecret(withSecrets(elsewhere, secretsOf([secret]))), "Authorization");
    assert.equal(lostSecret(secret), undefined);
    assert.equal(lostSecret({ do: "sleep" }), undefined);
  });
});
