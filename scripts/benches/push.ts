import type { Part } from "../running/parts.ts";
import { median, percentile } from "../running/report.ts";
import { InstantDeck, KEYS, Owner, pause, startHere } from "./desk.ts";

/** The most that all tokens together may send. */
const FULL_RATE = 25;
/** Three tokens may send ten a second each. */
const TOKENS = 3;
const SINGLE_PUSHES = 60;
const FULL_RATE_PUSHES = 300;

export const push: Part = {
  says: "From a push to a Stream Deck MK.2 that takes every report at once.",
  async run({ stage, report }) {
    const unit = new InstantDeck();
    const service = await stage.add(startHere(stage.folder(), { bus: unit }));
    const owner = new Owner(service.control.port);
    stage.onClose(() => owner.close());
    const tokens = await setUp(owner, unit);
    /** @returns milliseconds from the end of the request to the last report of its picture */
    const push = async (key: number, text: string, token = 0) => {
      const shown = unit.nextPicture(key);
      const sentAt = await owner.push(`bench${key}`, text, tokens[token % TOKENS] as string);
      return (await shown) - sentAt;
    };

    for (let key = 0; key < KEYS; key++) {
      await push(key, "full", key);
      await pause(1_000 / FULL_RATE);
    }
    const single: number[] = [];
    for (let i = 0; i < SINGLE_PUSHES; i++) {
      await pause(120);
      single.push(await push(i % KEYS, `${i} single`, i));
    }

    await pause(500);
    const before = unit.packets;
    await push(3, "one change");
    await pause(200);
    const forChange = unit.packets - before;
    await owner.push("bench3", "one change", tokens[0] as string);
    await pause(200);
    const forNothing = unit.packets - before - forChange;

    await pause(2_000);
    const flying: Promise<number>[] = [];
    for (let i = 0; i < FULL_RATE_PUSHES; i++) {
      flying.push(push(i % KEYS, `${i} full rate`, i));
      await pause(1_000 / FULL_RATE);
    }
    const fullRate = await Promise.all(flying);
    report.note(
      `median: single ${median(single).toFixed(1)} ms, at the full rate ${median(fullRate).toFixed(1)} ms`,
    );
    report.atMost("push to last report, p99", percentile(single, 0.99), "ms", 15);
    report.atMost("the same at 25/s over 15 keys, p99", percentile(fullRate, 0.99), "ms", 40);
    report.note(`packets for one changed key: ${forChange}`);
    report.atMost("packets for an unchanged key", forNothing, "", 0);
  },
};

async function setUp(owner: Owner, unit: InstantDeck): Promise<string[]> {
  const deck = await owner.deckOf(unit);
  for (let key = 0; key < KEYS; key++)
    await owner.call("PUT", `/api/decks/${encodeURIComponent(deck)}/slots/k${key}`, {
      widget: { type: "push", channel: `bench${key}` },
    });
  const tokens: string[] = [];
  for (let i = 0; i < TOKENS; i++)
    tokens.push((await owner.call("POST", "/api/push-tokens", { name: `bench ${i}` })).token);
  return tokens;
}
