import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { randomFrom } from "../../appliance/traffic/demo/random.ts";
import { accessLogs } from "./access-logs.ts";
import type { Attack, AttackOrders } from "./attack.ts";
import { badges } from "./badges.ts";
import { halfOpen } from "./half-open.ts";
import { questions } from "./questions.ts";
import { slowReaders } from "./slow-readers.ts";
import { surveys } from "./surveys.ts";
import { tokens } from "./tokens.ts";
import { values } from "./values.ts";

/** Attacks by their names in the command line. */
export const ATTACKS: Readonly<Record<string, { readonly says: string; readonly attack: Attack }>> =
  {
    "half-open": {
      says: "Clients that begin a request, and stay without ending it.",
      attack: halfOpen,
    },
    "slow-readers": {
      says: "Clients that ask for a large file many times, and never read.",
      attack: slowReaders,
    },
    badges: {
      says: "Thousands of badges over all days, asked for and hung up on.",
      attack: badges,
    },
    values: { says: "Ever new values in twelve dimensions.", attack: values },
    surveys: {
      says: "Made-up responses to a survey from thousands of addresses.",
      attack: surveys,
    },
    tokens: { says: "Wrong tokens and codes from the owner's own address.", attack: tokens },
    "access-logs": {
      says: "Lines of access logs that are small when packed, and large or slow when read.",
      attack: accessLogs,
    },
    questions: {
      says: "Everything that dashboards, links, decks and badges ask, ten at a time.",
      attack: questions,
    },
  };

/** A thread of its own for the attackers, so that their work does not make honest visitors late. */
async function attack({ names, target, seconds, scale, seed }: AttackOrders): Promise<void> {
  const until = performance.now() + seconds * 1_000;
  const figures = await Promise.all(
    names.map((name, n) =>
      ATTACKS[name]?.attack({ target, until, scale, random: randomFrom(seed + n) }),
    ),
  );
  // The connections of the attackers stay open until this thread is ended.
  const hold = setInterval(() => {}, 60_000);
  parentPort?.once("message", () => clearInterval(hold));
  parentPort?.postMessage(figures.flat());
}

if (!isMainThread) await attack(workerData);
