import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { messageOf } from "../../base/message-of.ts";
import { replaceFile, textOf } from "../../base/system/files.ts";
import type { ErrorAnswer, LogsAnswer } from "../../control/wire.ts";
import { Follower } from "../../traffic/follow/follower.ts";
import { logFolder } from "../../traffic/follow/log-folder.ts";
import {
  CommandFailed,
  command,
  type OptionsGiven,
  repeated,
  switches,
  type Terminal,
  UsageError,
  valued,
} from "./command.ts";
import { DEFAULT_URL, webUiUrl } from "./push.ts";

const OPTIONS = {
  ...valued("site", "log-format", "state", "url", "token"),
  ...repeated("host"),
  ...switches("from-start"),
};

type Values = OptionsGiven<typeof OPTIONS>;
type Send = (batch: string, lines: Uint8Array) => Promise<void>;

const POLL_MS = 1_000;
/** The box takes ten batches a second. */
const PACE_MS = 150;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const PATIENCE_MS = 60_000;
/** Bytes of lines of a pipe that are sent together. */
const PIPE_BYTES = 262_144;
const STANDARD_INPUT = "-";

export const follow = command({
  help: `tallydeck follow: sends the lines of an access log to Tallydeck as they come, each once.

  tallydeck follow FILE --site SITE       goes on with lines that come from now on, or where it was
  tallydeck follow - --site SITE          the lines come from a pipe

  --from-start     with a log that was never followed: what is in it, too
  --host NAME      the host whose requests are taken from a log of several; may be repeated
  --log-format P   the pattern of a log of your own: '$remote_addr [$time_local] "$request" $status'
  --state FILE     where it notes how far it is (STATE_DIRECTORY, or beside the log)
  --url URL        its Web UI's address (TALLYDECK_URL, ${DEFAULT_URL})
  --token TOKEN    a push token for access logs from the Web UI (TALLYDECK_LOGS_TOKEN)

It goes on over rotation and starts of either side, and sends nothing twice. Lines of days before yesterday
are for \`tallydeck import\`. It ends by SIGTERM or Ctrl+C; a pipe, when it is over.`,
  options: OPTIONS,
  async run({ values, positionals: [path, ...rest] }, terminal) {
    if (path === undefined || rest.length > 0 || !values.site)
      throw new UsageError("Say which log is of which site: `tallydeck follow FILE --site SITE`.");
    const ended = new AbortController();
    terminal.onStop(() => ended.abort());
    const send = sender(values, terminal);
    if (path === STANDARD_INPUT) await followPipe(send, terminal, ended.signal);
    else await followFile(resolve(path), { values, terminal, send, signal: ended.signal });
  },
});

async function followFile(
  path: string,
  {
    values,
    terminal,
    send,
    signal,
  }: { values: Values; terminal: Terminal; send: Send; signal: AbortSignal },
): Promise<void> {
  const [folder, name] = [dirname(path), basename(path)];
  const state = values.state ?? join(terminal.env.STATE_DIRECTORY || folder, `${name}.tallydeck`);
  const follower = new Follower({
    name,
    folder: logFolder(folder, name),
    send,
    now: terminal.now,
    tell: terminal.err,
    kept: {
      load: async () => textOf(state),
      save: async (text) => replaceFile(state, text, 0o600),
    },
    fromStart: values["from-start"] === true,
  });
  while (!signal.aborted) {
    const isMore = await untilDone(() => follower.step(), terminal, signal);
    await wait(isMore ? PACE_MS : POLL_MS, undefined, { signal }).catch(() => {});
  }
}

/** Sends what comes by a pipe. What it holds when it is killed is lost; a box that is away is waited for. */
async function followPipe(send: Send, terminal: Terminal, signal: AbortSignal): Promise<void> {
  const run = randomBytes(9).toString("base64url");
  let n = 0;
  let held = Buffer.alloc(0);
  let isOver = false;
  process.stdin.on("data", (bytes: Buffer) => {
    held = Buffer.concat([held, bytes]);
    if (held.length >= PIPE_BYTES) process.stdin.pause();
  });
  const end = once(process.stdin, "end").then(() => {
    isOver = true;
  });
  while (!signal.aborted) {
    const whole = isOver ? held.length : held.lastIndexOf("\n") + 1;
    const lines = held.subarray(0, whole > 0 ? whole : held.length >= PIPE_BYTES ? held.length : 0);
    if (lines.length > 0) {
      const batch = `pipe-${run}:${n++}`;
      await untilDone(() => send(batch, lines), terminal, signal);
      held = held.subarray(lines.length);
    }
    process.stdin.resume();
    if (isOver && held.length === 0) return;
    await Promise.race([end, wait(POLL_MS, undefined, { signal }).catch(() => {})]);
    if (isOver) await wait(PACE_MS);
  }
}

/** Tries until it works, ever more rarely, and tells the first reason. @returns undefined where it was ended */
async function untilDone<T>(
  work: () => Promise<T>,
  { err }: Terminal,
  signal: AbortSignal,
): Promise<T | undefined> {
  for (let pause = FIRST_PAUSE_MS; !signal.aborted; pause = Math.min(LONGEST_PAUSE_MS, 2 * pause)) {
    try {
      const done = await work();
      if (pause > FIRST_PAUSE_MS) err("It goes on.");
      return done;
    } catch (error) {
      if (error instanceof CommandFailed || error instanceof UsageError) throw error;
      if (pause === FIRST_PAUSE_MS) err(`${messageOf(error)} It tries again.`);
      await wait(pause, undefined, { signal }).catch(() => {});
    }
  }
  return undefined;
}

/** Sends batches to a box. Rejects with CommandFailed where trying again is no use. */
function sender(values: Values, terminal: Terminal): Send {
  const { env, err } = terminal;
  const url = addressOf(values, terminal);
  const token = values.token ?? env.TALLYDECK_LOGS_TOKEN;
  if (!token)
    throw new UsageError(
      "A token is missing: make one for access logs in the Web UI, under Push, and give it as --token or TALLYDECK_LOGS_TOKEN.",
    );
  const told = new Set<string>();
  return async (batch, lines) => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${token}`,
        "Batch-Id": batch,
        "Content-Encoding": "gzip",
        "Content-Type": "text/plain",
      },
      body: gzipSync(lines),
      signal: AbortSignal.timeout(PATIENCE_MS),
    }).catch((error: Error) => {
      throw new Error(`${url.origin} does not answer (${messageOf(error.cause ?? error)}).`);
    });
    const answer = (await response.json().catch(() => ({}))) as Partial<LogsAnswer & ErrorAnswer>;
    if (response.ok) {
      if (answer.note !== undefined && !told.has(answer.note)) {
        told.add(answer.note);
        err(answer.note);
      }
      for (const what of Object.keys(answer.left ?? {}))
        if (/host|httplog/.test(what) && !told.has(what) && told.size < 20) {
          told.add(what);
          const way = /host/.test(what) ? "name the host with --host" : "see docs/moving.md";
          err(`Left out: ${what}. To count them, ${way}.`);
        }
      return;
    }
    const why = answer.error ?? `${url.origin} answered ${response.status}.`;
    if (response.status === 429 || response.status >= 500 || answer.code === undefined)
      throw new Error(why);
    // Lines that are too old are left out; the next ones may be newer.
    if (answer.code === "too_old") return err(why);
    throw new CommandFailed(why);
  };
}

/** @throws {UsageError} */
function addressOf(
  { site = "", host = [], "log-format": format, url: given }: Values,
  terminal: Terminal,
): URL {
  const url = webUiUrl(`api/logs/${encodeURIComponent(site)}`, given, terminal);
  for (const one of host) url.searchParams.append("host", one);
  if (format !== undefined) url.searchParams.set("format", format);
  return url;
}
