import assert from "node:assert/strict";
import { Broker } from "../../../appliance/links/mqtt/broker.ts";
import type { Connect, OutgoingMessage } from "../../../appliance/links/mqtt/client.ts";
import { FIRST_SETTINGS } from "../../../appliance/links/mqtt/settings.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";

/** A broker's other side, which a test lets answer. */
class FakeLine {
  readonly clock = new FakeClock();
  readonly sent: OutgoingMessage[] = [];
  tries = 0;
  isCongested = false;
  /** The reason for which the box ended it. */
  cut: string | undefined;
  events: Parameters<Connect>[2] | undefined;
  readonly broker: Broker;

  constructor(random = 0) {
    const line = this;
    this.broker = new Broker({
      clock: this.clock,
      random: () => random,
      log: { info() {}, warn() {} },
      connect: (_to, _as, events) => {
        this.tries += 1;
        this.events = events;
        return {
          get isCongested() {
            return line.isCongested;
          },
          publish: (message) => void this.sent.push(message),
          subscribe() {},
          unsubscribe() {},
          close: async () => {},
          cut: (code) => {
            this.cut = code;
          },
        };
      },
      to: FIRST_SETTINGS,
      clientId: "test",
      will: { topic: "a", payload: "", retain: true, qos: 1 },
      listenFor: [],
      needs: [],
      connected: () => this.broker.sendAll([]),
      message() {},
      changed() {},
    });
  }
}

describe("the connection with a broker", () => {
  for (const [random, factor] of [
    [0, 1],
    [1, 1.2],
  ] as const)
    it(`is tried again after 5, 10, 20, 40 and 60 seconds, times ${factor}`, () => {
      const line = new FakeLine(random);
      for (const seconds of [5, 10, 20, 40, 60, 60]) {
        const { tries } = line;
        line.events?.closed(undefined);
        line.clock.advance(seconds * factor * 1_000 - 1);
        assert.equal(line.tries, tries);
        line.clock.advance(1);
        assert.equal(line.tries, tries + 1);
      }
    });

  it("begins with short pauses again after it was there for a minute", () => {
    const line = new FakeLine();
    for (const seconds of [5, 10, 20]) {
      line.events?.closed(undefined);
      line.clock.advance(seconds * 1_000);
    }
    line.events?.connected();
    line.clock.advance(60_000);
    line.events?.closed(undefined);
    line.clock.advance(5_000);
    assert.equal(line.tries, 5);
  });

  it("is not tried for sooner when it ends as soon as it is there", () => {
    const line = new FakeLine();
    for (const seconds of [5, 10, 20, 40, 60]) {
      line.events?.connected();
      line.events?.closed(undefined);
      line.clock.advance(seconds * 1_000 - 1);
      const { tries } = line;
      line.clock.advance(1);
      assert.equal(line.tries, tries + 1);
    }
  });

  it("sends only the last value of each topic once it is there, and nothing else of before", () => {
    const line = new FakeLine();
    for (let value = 0; value < 20_000; value++) line.broker.keep("state", String(value));
    line.broker.keep("gone", "x");
    line.broker.drop("gone");
    line.broker.tell("event", "press");
    line.events?.connected();
    const found = line.sent.map(({ topic, payload, retain }) => [topic, payload, retain]);
    assert.deepEqual(found, [["state", "19999", true]]);
  });

  it("keeps some thousand topics that are gone for a broker that takes nothing, until it is over", () => {
    const line = new FakeLine();
    const comeAndGo = (round: string) => {
      line.events?.connected();
      line.isCongested = true;
      for (let number = 0; number < 20_000; number++) {
        line.broker.keep(`${round}${number}`, "x");
        line.broker.drop(`${round}${number}`);
      }
      line.isCongested = false;
    };
    comeAndGo("first");
    line.events?.closed(undefined);
    line.clock.advance(5_000);
    comeAndGo("second");
    line.events?.drained();
    const topics = line.sent.map(({ topic }) => topic);
    assert.ok(topics.length > 100 && topics.length < 5_000, String(topics.length));
    const left = topics.filter((topic) => topic.startsWith("first"));
    assert.deepEqual(left, []);
  });

  it("ends when the broker has taken nothing for a minute, and not while it takes a little", () => {
    const line = new FakeLine();
    line.events?.connected();
    for (let minute = 0; minute < 3; minute++) {
      line.isCongested = true;
      line.broker.keep("state", String(minute));
      line.clock.advance(59_000);
      line.isCongested = false;
      line.events?.drained();
    }
    assert.equal(line.cut, undefined);
    line.isCongested = true;
    for (let second = 0; second < 61; second++) {
      line.broker.keep("state", `${second} s`);
      line.clock.advance(1_000);
    }
    assert.equal(line.cut, "STALLED");
  });

  it("waits with values, and lets events go, while the broker takes nothing", () => {
    const line = new FakeLine();
    line.events?.connected();
    line.isCongested = true;
    for (let value = 0; value < 1_000; value++) line.broker.keep("state", String(value));
    line.broker.tell("event", "press");
    assert.deepEqual(line.sent, []);
    line.isCongested = false;
    line.events?.drained();
    const payloads = line.sent.map(({ payload }) => payload);
    assert.deepEqual(payloads, ["999"]);
  });

  it("sends a value with the time it has left, and none that is over", () => {
    const line = new FakeLine();
    line.broker.keep("long", "x", { ttl: 60 });
    line.broker.keep("short", "y", { ttl: 10 });
    line.clock.advance(20_000);
    line.events?.connected();
    assert.deepEqual(
      line.sent.map(({ topic, payload, expiry }) => [topic, payload, expiry]),
      [
        ["long", "x", 40],
        ["short", "", undefined],
      ],
    );
  });

  for (const topic of ["", "a/#", "a/+/b", "a\0b", "x".repeat(600)])
    it(`never publishes to ${JSON.stringify(topic.slice(0, 9))}`, () => {
      const line = new FakeLine();
      line.events?.connected();
      line.broker.keep(topic, "x");
      line.broker.tell(topic, "x");
      assert.deepEqual(line.sent, []);
    });
});
