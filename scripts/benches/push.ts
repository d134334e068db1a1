import { silentLog } from "../../appliance/base/log.ts";
import { readConfig } from "../../appliance/config.ts";
import { startService } from "../../appliance/service/service.ts";
import { SystemClock } from "../../appliance/system/system-clock.ts";
import { InstantDeck, KEYS, Owner, pause } from "./desk.ts";

/** The most that all tokens together may send. */
const FULL_RATE = 25;
/** Three tokens may send ten a second each. */
const TOKENS = 3;
const SINGLE_PUSHES = 60;
const FULL_RATE_PUSHES = 300;

interface PushFigures {
  /** Milliseconds from the end of a request to the last report of its picture. */
  readonly single: readonly number[];
  readonly fullRate: readonly number[];
  /** Packets sent for a change of one key on a full deck, and for a push that changes nothing. */
  readonly packetsPerChange: number;
  readonly packetsUnchanged: number;
}

/** Pushes to the keys of a Stream Deck MK.2 that takes every report at once. */
export async function measurePush(dataDir: string): Promise<PushFigures> {
  const unit = new InstantDeck();
  const service = await startService({
    config: readConfig({
      flags: { PORT: "0", WEBUI_PORT: "0", DATA_DIR: dataDir },
      env: {},
    }),
    clock: new SystemClock(),
    log: silentLog(),
    bus: unit,
  });
  const owner = new Owner(service);
  try {
    const tokens = await setUp(owner, unit);
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
    const packetsPerChange = unit.packets - before;
    await owner.push("bench3", "one change", tokens[0] as string);
    await pause(200);
    const packetsUnchanged = unit.packets - before - packetsPerChange;

    await pause(2_000);
    const flying: Promise<number>[] = [];
    for (let i = 0; i < FULL_RATE_PUSHES; i++) {
      flying.push(push(i % KEYS, `${i} full rate`, i));
      await pause(1_000 / FULL_RATE);
    }
    const fullRate = await Promise.all(flying);
    return { single, fullRate, packetsPerChange, packetsUnchanged };
  } finally {
    owner.close();
    await service.close();
  }
}

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
