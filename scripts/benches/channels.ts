import { once } from "node:events";
import { Agent, request } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { Running } from "./servers.ts";

/** As many as there may be, each on a key of two Stream Decks XL. */
const CHANNELS = 64;
const DECK_KEYS = 32;
export const CHANNEL_FLAGS = ["--virtual-deck", "xl", "--virtual-deck", "xl"];
/** What memory is taken once everything has been loaded and painted a few times. */
const WARM_SECONDS = 15;
const SECONDS = 60;

interface ChannelFigures {
  /** Own memory, MB. */
  readonly before: number;
  readonly after: number;
  /** CPU time of all threads, milliseconds a second. */
  readonly cpu: number;
  /** Milliseconds from a push to its answer. */
  readonly answers: readonly number[];
}

/** Gives each channel another text every second for a minute, and lets every key be painted. */
export async function measureChannels(server: Running): Promise<ChannelFigures> {
  const agent = new Agent({ keepAlive: true });
  const call = async (method: string, path: string, body?: object) => {
    const sentAt = performance.now();
    const sent = request(`${server.control}${path}`, {
      method,
      agent,
      headers: { "Content-Type": "application/json" },
    });
    sent.end(body && JSON.stringify(body));
    const [response] = await once(sent, "response");
    let text = "";
    for await (const chunk of response) text += chunk;
    if (response.statusCode >= 300) throw new Error(`${path} answered ${text}`);
    return { took: performance.now() - sentAt, answer: JSON.parse(text) };
  };
  const minute = async (seconds: number) => {
    const took: number[] = [];
    for (let second = 0; second < seconds; second++) {
      const next = performance.now() + 1_000;
      for (let n = 0; n < CHANNELS; n++)
        took.push(
          (await call("POST", `/api/push-channels/bench${n}`, { text: `${second} of ${n}` })).took,
        );
      await setTimeout(Math.max(0, next - performance.now()));
    }
    return took;
  };
  try {
    const { answer } = await call("GET", "/api/decks");
    for (let n = 0; n < CHANNELS; n++) {
      const deck = encodeURIComponent(answer.decks[Math.floor(n / DECK_KEYS)].id);
      await call("PUT", `/api/decks/${deck}/slots/k${n % DECK_KEYS}`, {
        widget: { type: "push", channel: `bench${n}` },
      });
    }
    await minute(WARM_SECONDS);
    const before = server.memory().own;
    const cpuBefore = totalOf(server);
    const answers = await minute(SECONDS);
    const cpu = (totalOf(server) - cpuBefore) / SECONDS;
    return { before, after: server.memory().own, cpu, answers };
  } finally {
    agent.destroy();
  }
}

function totalOf(server: Running): number {
  return Object.values(server.cpu()).reduce((sum, each) => sum + each, 0);
}
