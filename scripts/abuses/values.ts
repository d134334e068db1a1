import { Agent } from "node:http";
import { atPace } from "../running/load.ts";
import { beaconPath, USER_AGENTS } from "../running/traffic.ts";
import { addressOf, ask, statusOf } from "./ask.ts";
import { type Attack, type Field, tally, word } from "./attack.ts";

const PER_SECOND = 100;
const ADDRESSES = 50;
const LONGEST = 128;

/** A view with new values, each of the longest length. */
export function madeUpView(random: () => number): Record<string, string> {
  const value = () => word(random, LONGEST);
  return {
    p: `/${word(random, LONGEST - 1)}`,
    h: `https://${word(random, LONGEST - 8)}`,
    r: value(),
    l: word(random, 8),
    tz: value(),
    vw: value(),
    us: value(),
    um: value(),
    uc: value(),
    o: value(),
  };
}

export function madeUpEvent(random: () => number): Record<string, string> {
  return { ...madeUpView(random), ev: word(random, LONGEST), t: word(random, LONGEST) };
}

/** Ever new values in twelve dimensions. */
export const values: Attack = async (field) => {
  const agents = Array.from(
    { length: ADDRESSES },
    (_, n) =>
      new Agent({ keepAlive: true, localAddress: addressOf(field.target.attackers, 3_000 + n) }),
  );
  const statuses: number[] = [];
  const seconds = Math.max(0, field.until - performance.now()) / 1_000;
  await atPace(PER_SECOND * Math.min(1, field.scale), seconds, async (n) => {
    statuses.push(await send(field, n, agents[n % ADDRESSES] as Agent));
  });
  for (const agent of agents) agent.destroy();
  return [["hits with values never seen before, by status", tally(statuses)]];
};

function send({ target, random }: Field, n: number, agent: Agent): Promise<number> {
  const view = n % 2 === 0 ? madeUpView(random) : madeUpEvent(random);
  const headers = { "user-agent": USER_AGENTS[0] as string };
  return statusOf(ask(target.origin, beaconPath(view, target.site), { headers, agent }));
}
