import { gzipSync } from "node:zlib";
import { ask, json, statusOf } from "./ask.ts";
import {
  type Attack,
  again,
  type Field,
  type Figure,
  scaled,
  type Target,
  tally,
  word,
} from "./attack.ts";

const MB = 1_048_576;
const EVERY_MS = 2_000;
const AT_ONCE = 4;

/** Small packed bodies that are large, or slow to read, when they are unpacked, and real ones four at a time. */
export const accessLogs: Attack = async (field) => {
  const { control } = field.target;
  if (control === undefined) return [];
  const authorization = `Bearer ${await logsToken(field.target, control)}`;
  const bodies = Object.entries(BODIES).map(
    ([name, body]) => [name, gzipSync(body(scaled(15 * MB, field), field))] as const,
  );
  const figures: Figure[] = [];
  const send = (body: Buffer) =>
    statusOf(
      ask(control, `/api/logs/${field.target.site}`, {
        method: "POST",
        headers: {
          authorization,
          "batch-id": word(field.random, 20),
          "content-encoding": "gzip",
        },
        body,
      }),
    );
  for (const [name, body] of bodies)
    figures.push([name, `${await send(body)}, ${Math.ceil(body.length / 1_000)} kB packed`]);
  const together: number[] = [];
  await again(field, EVERY_MS, async () => {
    for (const [, body] of bodies)
      together.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => send(body)))));
  });
  return [...figures, [`each ${AT_ONCE} times at once, by status`, tally(together)]];
};

const BODIES: Readonly<Record<string, (bytes: number, field: Field) => string>> = {
  "deep JSON": (bytes) => `{"status":${"[".repeat(bytes)}`,
  backslashes: (bytes) => `${begin("/")} "-" "${"\\".repeat(bytes)}`,
  escapes: (bytes) => `${begin("/")} "-" "${"\\x41".repeat(bytes / 4)}"`,
  "line feeds": (bytes) => "\n".repeat(bytes),
  "short lines": (bytes) => "x\n".repeat(bytes / 2),
  "parts of a query": (bytes) => begin(`/?utm_source=x${"&a".repeat(bytes / 2)}`),
  "a real log": (bytes, { random }) => {
    let text = "";
    while (text.length < bytes) text += `${visit(random)}\n`;
    return text;
  },
};

function visit(random: () => number): string {
  const n = Math.floor(random() * 300);
  const agent = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${n}.0.0.0 Safari/537.36`;
  return `${begin(`/page/${n}`, Math.floor(random() * 250))} "https://news.example/" "${agent}"`;
}

function begin(target: string, client = 1): string {
  const [, day, month, year, time] =
    /, (\d\d) (\w{3}) (\d{4}) ([\d:]{8})/.exec(new Date(Date.now() - 60_000).toUTCString()) ?? [];
  return `203.0.113.${client} - - [${day}/${month}/${year}:${time} +0000] "GET ${target} HTTP/1.1" 200 5`;
}

/** A token for access logs, made as the owner does. */
async function logsToken({ token }: Target, control: string): Promise<string> {
  const session = await fetch(`${control}/api/session`, json({ token }));
  const cookie = session.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  const order = json({ name: "logs", use: "logs" });
  const headers = { ...order.headers, cookie };
  const made = await fetch(`${control}/api/push-tokens`, { ...order, headers });
  const answer = (await made.json()) as { token?: string };
  if (answer.token === undefined) throw new Error(`no token for access logs: ${made.status}`);
  return answer.token;
}
