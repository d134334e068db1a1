import assert from "node:assert/strict";
import { Signal } from "../../appliance/base/signal.ts";

describe("a signal", () => {
  let signal: Signal<string>;
  let heard: string[];
  const listen = (name: string) => signal.on((told) => heard.push(`${name} ${told}`));

  beforeEach(() => {
    signal = new Signal();
    heard = [];
  });

  it("tells everybody who listens, in the order they came", () => {
    listen("a");
    listen("b");
    signal.emit("1");
    assert.deepEqual(heard, ["a 1", "b 1"]);
  });

  it("tells nobody who was let go", () => {
    const letGo = listen("a");
    listen("b");
    letGo();
    letGo();
    signal.emit("1");
    assert.deepEqual(heard, ["b 1"]);
  });

  it("takes one function twice as two who listen", () => {
    const listener = (told: string) => heard.push(told);
    const letGo = signal.on(listener);
    signal.on(listener);
    letGo();
    signal.emit("1");
    assert.deepEqual(heard, ["1"]);
  });

  it("is heard by all when one of them throws, who is heard of afterwards", () => {
    signal.on(() => {
      throw new Error("deaf");
    });
    listen("b");
    assert.throws(() => signal.emit("1"), /deaf/);
    assert.deepEqual(heard, ["b 1"]);
  });

  it("does not tell who is let go on the way, nor who comes then", () => {
    const letGo: (() => void)[] = [];
    signal.on(() => {
      for (const cancel of letGo) cancel();
      listen("late");
    });
    letGo.push(listen("b"));
    signal.emit("1");
    assert.deepEqual(heard, []);
  });
});
