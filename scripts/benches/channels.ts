import { setTimeout } from "node:timers/promises";
import type { Part } from "../running/parts.ts";
import { percentile } from "../running/report.ts";
import { ship } from "../running/shipped.ts";
import { Owner } from "./desk.ts";

/** The most channels of a box, each on a key of two Stream Decks XL. */
const CHANNELS = 64;
const DECK_KEYS = 32;
const FLAGS = ["--virtual-deck", "xl", "--virtual-deck", "xl"];
/** The seconds after which all code is loaded, and keys were painted a few times. */
const WARM_SECONDS = 15;
const SECONDS = 60;

export const channels: Part = {
  says: "A minute in which every channel there may be, each on a key, has another text every second.",
  async run({ stage, report }) {
    const server = await ship(stage).start(stage, stage.folder(), FLAGS);
    const owner = new Owner(Number(new URL(server.control ?? "").port));
    stage.onClose(() => owner.close());
    /** @returns milliseconds from each push to its answer */
    const push = async (seconds: number) => {
      const took: number[] = [];
      for (let second = 0; second < seconds; second++) {
        const next = performance.now() + 1_000;
        for (let n = 0; n < CHANNELS; n++) {
          const sentAt = performance.now();
          const text = `${second} of ${n}`;
          await owner.call("POST", `/api/push-channels/bench${n}`, { text });
          took.push(performance.now() - sentAt);
        }
        await setTimeout(Math.max(0, next - performance.now()));
      }
      return took;
    };
    const { decks } = await owner.call("GET", "/api/decks");
    for (let n = 0; n < CHANNELS; n++) {
      const deck = encodeURIComponent(decks[Math.floor(n / DECK_KEYS)].id);
      await owner.call("PUT", `/api/decks/${deck}/slots/k${n % DECK_KEYS}`, {
        widget: { type: "push", channel: `bench${n}` },
      });
    }
    await push(WARM_SECONDS);
    const before = server.memory().own;
    const cpuBefore = server.cpuOfAll();
    const p99 = percentile(await push(SECONDS), 0.99);
    const cpu = (server.cpuOfAll() - cpuBefore) / SECONDS;
    const after = server.memory().own;
    report.note(`own memory before the minute: ${before.toFixed(0)} MB`);
    report.note(`CPU time, all threads: ${cpu.toFixed(0)} ms a second`);
    report.atMost("64 channels pushed once a second, answered, p99", p99, "ms", 50);
    report.atMost("own memory after a minute of it", after, "MB", Math.round(before) + 10);
  },
};
