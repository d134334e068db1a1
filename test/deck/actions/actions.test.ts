import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { Refusal } from "../../../appliance/base/refusal.ts";
import { Signal } from "../../../appliance/base/signal.ts";
import { Actions } from "../../../appliance/deck/actions/actions.ts";
import type {
  OutgoingRequest,
  RequestOutcome,
} from "../../../appliance/deck/actions/request-sender.ts";
import type { Feedback } from "../../../appliance/deck/face/feedback.ts";
import type { Gesture } from "../../../appliance/deck/hands/gestures.ts";
import { Channels } from "../../../appliance/deck/push/channels.ts";
import type { Action, Step } from "../../../appliance/deck/settings/action.ts";
import type { SlotSettings } from "../../../appliance/deck/settings/slot-settings.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";

const OK: RequestOutcome = { ok: true, word: "204" };

/** Decks of one key and one dial, requests that are answered when a test says so. */
class Desk {
  readonly clock = new FakeClock();
  readonly channels = new Channels(this.clock);
  readonly gestures = new Signal<Gesture>();
  slot: SlotSettings = { widget: { type: "push", channel: "door" } };
  /** Results of presses on the key, and feedback of the deck. */
  readonly shown: string[] = [];
  readonly sent: OutgoingRequest[] = [];
  readonly answers: ((outcome: RequestOutcome) => void)[] = [];
  readonly warned: string[] = [];
  readonly actions = new Actions({
    clock: this.clock,
    log: { warn: (message) => void this.warned.push(String(message)) },
    channels: this.channels,
    decks: {
      gestures: this.gestures,
      slotSettings: () => this.slot,
      showFeedback: (_at, feedback) => this.shown.push(wordsOf(feedback)),
      showPage: (_deck, page) => {
        if (page === "gone") throw new Refusal("not_found", "There is no page gone.");
        this.shown.push(`page ${page}`);
      },
      setAsleep: (_deck, asleep) => void this.shown.push(`asleep ${asleep}`),
    },
    outgoing: {
      send: (request) => {
        this.sent.push(request);
        return new Promise((resolve) => this.answers.push(resolve));
      },
    },
  });

  set(press: Action, more: Partial<SlotSettings> = {}): void {
    this.slot = { ...this.slot, ...more, press };
  }

  press(kind: Gesture["kind"] = "press", delta?: number): void {
    const at = this.clock.now();
    const more = delta === undefined ? {} : { delta };
    this.gestures.emit({ deck: "d1", slot: "k1", page: 0, kind, at, ...more });
  }

  async answer(outcome: RequestOutcome): Promise<void> {
    this.answers.shift()?.(outcome);
    await setImmediate();
  }

  bodies(): string[] {
    return this.sent.map(({ body = Buffer.of() }) => Buffer.from(body).toString());
  }
}

function wordsOf(feedback: Feedback | undefined): string {
  if (feedback === undefined) return "nothing";
  return feedback.state === "failed" ? `failed ${feedback.word}` : feedback.state;
}

describe("a key that is pressed", () => {
  let desk: Desk;
  beforeEach(() => {
    desk = new Desk();
  });
  afterEach(() => {
    desk.actions.close();
    desk.channels.close();
    assert.equal(desk.clock.timers, 0);
  });
  const REQUEST: Action = {
    do: "request",
    method: "POST",
    url: "http://ha.local/{{slot}}",
    body: "{{channel}} {{text}} {{deck}} {{delta}}",
  };

  it("does nothing when it is set to nothing", () => {
    desk.press();
    desk.press("hold");
    assert.deepEqual(desk.shown, []);
  });

  it("sends a value to a channel, and says so for two seconds", () => {
    desk.set({ do: "send", channel: "light", text: "on", ttl: 0, color: "#ff0000" });
    desk.press();
    const { text, color, expiresAt } = desk.channels.get("light") ?? {};
    assert.deepEqual([text, color, expiresAt], ["on", "#ff0000", null]);
    desk.clock.advance(1_999);
    assert.deepEqual(desk.shown, ["done"]);
    desk.clock.advance(1);
    assert.deepEqual(desk.shown, ["done", "nothing"]);
  });

  it("turns a channel on and off, its own unless it names another", () => {
    desk.set({ do: "toggle" });
    const texts = [0, 1, 2].map(() => {
      desk.press();
      return desk.channels.get("door")?.text;
    });
    assert.deepEqual(texts, ["on", "off", "on"]);
    desk.channels.set("lamp", { text: "TRUE" });
    desk.set({ do: "toggle", channel: "lamp" });
    desk.press();
    assert.equal(desk.channels.get("lamp")?.text, "off");
    desk.clock.advance(2_000);
  });

  describe("does several things", () => {
    const text = () => desk.channels.get("door")?.text;
    const send = (said: string): Step => ({ do: "send", channel: "door", text: said });
    const settled = () => setImmediate();

    it("one after the other, with pauses", async () => {
      desk.set({ do: "sequence", steps: [send("one"), { do: "pause", seconds: 3 }, send("two")] });
      desk.press();
      await settled();
      assert.equal(text(), "one");
      desk.clock.advance(2_999);
      await settled();
      assert.equal(text(), "one");
      desk.clock.advance(1);
      await settled();
      assert.deepEqual([text(), desk.shown], ["two", ["running", "done"]]);
      desk.clock.advance(2_000);
    });

    it("waits for the answer to a request, and ends where one fails", async () => {
      desk.set({
        do: "sequence",
        steps: [REQUEST, send("after"), REQUEST, send("never")] as Step[],
      });
      desk.press();
      await settled();
      assert.equal(text(), undefined);
      await desk.answer(OK);
      assert.equal(text(), "after");
      await desk.answer({ ok: false, word: "500" });
      assert.equal(text(), "after");
      assert.equal(desk.shown.at(-1), "failed 500");
      desk.clock.advance(2_000);
    });

    it("once more for each row of presses meanwhile", async () => {
      desk.set({ do: "sequence", steps: [send("on"), { do: "pause", seconds: 1 }, send("off")] });
      for (let press = 0; press < 4; press++) desk.press();
      for (let second = 0; second < 2; second++) {
        await settled();
        desk.clock.advance(1_000);
        await settled();
      }
      assert.deepEqual([text(), desk.shown.filter((word) => word === "done").length], ["off", 2]);
      desk.clock.advance(2_000);
    });

    it("no more once the box stops", async () => {
      desk.set({ do: "sequence", steps: [{ do: "pause", seconds: 60 }, send("late")] });
      desk.press();
      await settled();
      desk.actions.close();
      desk.clock.advance(60_000);
      await settled();
      assert.equal(text(), undefined);
    });
  });

  it("clears a channel", () => {
    desk.channels.set("light", { text: "on" });
    desk.set({ do: "clear", channel: "light" });
    desk.press();
    assert.equal(desk.channels.get("light"), undefined);
    assert.deepEqual(desk.shown, ["done"]);
  });

  it("acknowledges what its own channel holds", () => {
    desk.channels.set("door", { text: "open", hold: true, id: "1" });
    desk.set({ do: "acknowledge" });
    desk.press();
    const value = desk.channels.get("door");
    assert.equal(value?.state, "acknowledged");
    assert.deepEqual(value?.ack, { by: "key", deck: "d1", slot: "k1", at: desk.clock.now() });
    assert.deepEqual(desk.shown, ["done"]);
    desk.press();
    assert.deepEqual(desk.shown, ["done"]);
  });

  it("turns pages and goes to sleep", () => {
    desk.set({ do: "page", page: "next" }, { hold: { do: "sleep" } });
    desk.press();
    desk.press("hold");
    assert.deepEqual(desk.shown, ["page next", "asleep true"]);
  });

  it("turns pages the other way when a dial is turned back, one by each turn", () => {
    for (const page of ["next", "previous", "Lights"]) {
      desk.slot = { widget: { type: "empty" }, turn: { do: "page", page } };
      desk.press("turn", -3);
      desk.press("turn", 2);
    }
    const found = desk.shown.map((shown) => shown.replace("page ", ""));
    assert.deepEqual(found, ["previous", "next", "next", "previous", "Lights", "Lights"]);
  });

  it("fills in what it knows in a value that it sends", () => {
    desk.slot = {
      ...desk.slot,
      turn: { do: "send", channel: "light", text: "{{slot}} {{delta}}" },
    };
    desk.press("turn", -3);
    assert.equal(desk.channels.get("light")?.text, "k1 -3");
  });

  it("says that its page is gone, and that there is no room for a channel", () => {
    desk.set({ do: "page", page: "gone" });
    desk.press();
    for (let i = 0; i < 64; i++) desk.channels.set(`c${i}`, { text: "", ttl: 0 });
    desk.set({ do: "send", channel: "light", text: "on" });
    desk.press();
    assert.deepEqual(desk.shown, ["failed no page", "failed full"]);
  });

  it("sends a request with what it knows, and shows a tick", async () => {
    desk.channels.set("door", { text: "open" });
    desk.set(REQUEST);
    desk.press();
    assert.equal(desk.sent[0]?.url, "http://ha.local/k1");
    assert.deepEqual(desk.bodies(), ["door open d1 0"]);
    await desk.answer(OK);
    assert.deepEqual(desk.shown, ["done"]);
  });

  it("shows that it takes a while, then what came of it", async () => {
    desk.set(REQUEST);
    desk.press();
    desk.clock.advance(150);
    assert.deepEqual(desk.shown, ["running"]);
    desk.clock.advance(10_000);
    await desk.answer({ ok: false, word: "500" });
    assert.deepEqual(desk.shown, ["running", "failed 500"]);
    desk.clock.advance(2_000);
    assert.deepEqual(desk.shown, ["running", "failed 500", "nothing"]);
  });

  it("sends one request at a time, and remembers one more press", async () => {
    desk.set(REQUEST);
    for (let i = 0; i < 5; i++) desk.press();
    assert.equal(desk.sent.length, 1);
    await desk.answer(OK);
    assert.equal(desk.sent.length, 2);
    await desk.answer(OK);
    assert.equal(desk.sent.length, 2);
  });

  it("forgets the other press when the first fails", async () => {
    desk.set(REQUEST);
    desk.press();
    desk.press();
    await desk.answer({ ok: false, word: "no answer" });
    assert.equal(desk.sent.length, 1);
    desk.press();
    assert.equal(desk.sent.length, 2);
    await desk.answer(OK);
  });

  it("adds up how far a dial is turned meanwhile", async () => {
    desk.slot = { widget: { type: "empty" }, turn: { ...REQUEST, body: "{{delta}}" } };
    for (const delta of [1, 2, -5]) desk.press("turn", delta);
    await desk.answer(OK);
    await desk.answer(OK);
    assert.deepEqual(desk.bodies(), ["1", "-3"]);
  });

  it("does what it is set to now, also for the press that waited", async () => {
    desk.set(REQUEST);
    desk.press();
    desk.press();
    desk.set({ ...REQUEST, body: "changed" });
    await desk.answer(OK);
    assert.deepEqual(desk.bodies().slice(1), ["changed"]);
    await desk.answer(OK);
  });

  it("says that a secret is lost, and that a request grew too long", async () => {
    desk.set({ ...REQUEST, headers: { Authorization: "…" } });
    desk.press();
    await setImmediate();
    desk.channels.set("door", { text: "x".repeat(256) });
    desk.set({ ...REQUEST, body: "{{text}}".repeat(500) });
    desk.press();
    await setImmediate();
    assert.deepEqual(desk.shown, ["failed no secret", "failed too long"]);
    assert.equal(desk.sent.length, 0);
  });

  it("sends no value that leads to another path", async () => {
    desk.channels.set("door", { text: ".." });
    desk.set({ ...REQUEST, url: "http://ha.local/api/webhook/{{text}}" });
    desk.press();
    await setImmediate();
    assert.deepEqual(desk.shown, ["failed bad path"]);
    assert.equal(desk.sent.length, 0);
  });

  it("says that a request failed that nobody can send, and goes on", async () => {
    desk.set({ do: "request", method: "GET", url: 5 as unknown as string });
    desk.press();
    await setImmediate();
    assert.deepEqual(desk.shown, ["failed failed"]);
    assert.match(desk.warned.join(), /could not be sent/);
    desk.set(REQUEST);
    desk.press();
    assert.equal(desk.sent.length, 1);
    await desk.answer(OK);
  });

  it("shows nothing any more once the box stops", async () => {
    desk.set(REQUEST);
    desk.press();
    desk.actions.close();
    await desk.answer({ ok: false, word: "stopped" });
    assert.deepEqual(desk.shown, []);
  });
});
