import { setTimeout as pause } from "node:timers/promises";
import { addressOf, connectFrom } from "./ask.ts";
import { type Attack, again, type Field, scaled } from "./attack.ts";

const REQUESTS = 2_000;
const CONNECTIONS = 20;
const HUNG_UP_AFTER_MS = 650;
const EVERY_MS = 10_000;
const MAX_DAYS = 400;

/** Clients that request thousands of badges over all days, and close the connection before the answers. */
export const badges: Attack = async (field) => {
  let asked = 0;
  let answered = 0;
  await again(field, EVERY_MS, async () => {
    const each = Math.ceil(scaled(REQUESTS, field) / CONNECTIONS);
    const bytes = await Promise.all(
      Array.from({ length: CONNECTIONS }, (_, n) => askAndHangUp(field, n, each)),
    );
    asked += each * CONNECTIONS;
    answered += bytes.reduce((sum, count) => sum + count, 0);
  });
  return [
    ["badges asked for and hung up on", asked],
    ["of these answered before", answered],
  ];
};

/** @returns the number of answers before it closed the connection */
async function askAndHangUp(field: Field, n: number, requests: number): Promise<number> {
  const { target, random } = field;
  const socket = connectFrom(addressOf(target.attackers, 2_000 + n), target.origin);
  let answers = 0;
  socket.on("data", (bytes) => {
    answers += bytes.toString("latin1").split("HTTP/1.1 200").length - 1;
  });
  socket.on("error", () => {});
  const one = () => {
    const days = MAX_DAYS - Math.floor(random() * 50);
    return `GET /badge?site=${target.site}&days=${days}&total=1 HTTP/1.1\r\nHost: x\r\n\r\n`;
  };
  socket.write(Array.from({ length: requests }, one).join(""));
  await pause(HUNG_UP_AFTER_MS);
  socket.destroy();
  return answers;
}
