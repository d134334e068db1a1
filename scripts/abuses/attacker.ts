/** A thread of its own for the attackers, so that their work does not make honest visitors late. */
import { parentPort, workerData } from "node:worker_threads";
import { randomFrom } from "../../appliance/demo/random.ts";
import type { AttackOrders } from "./attack.ts";
import { ATTACKS } from "./attacks.ts";

const { names, target, seconds, scale, seed } = workerData as AttackOrders;
const until = performance.now() + seconds * 1_000;
const figures = await Promise.all(
  names.map((name, n) => ATTACKS[name]?.({ target, until, scale, random: randomFrom(seed + n) })),
);
// What the attackers hold is held until this thread is ended.
const hold = setInterval(() => {}, 60_000);
parentPort?.once("message", () => clearInterval(hold));
parentPort?.postMessage(figures.flat());
