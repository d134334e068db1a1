import { createHash } from "node:crypto";
import type { Context } from "koa";
import { readStart } from "../../base/http/body.ts";
import { shape } from "../../base/input/shape.ts";
import type { Channels } from "../../deck/push/channels.ts";
import { type Status, WATCH_FIELDS, type WatchFields } from "../../deck/push/push-body.ts";
import type { SenderRoute } from "./route.ts";

/** The bytes of a body to keep: enough for a text of any characters. Senders may send whole logs. */
const KEPT_BYTES = 4_096;
const MAX_BODY = 1_048_576;
const EXIT_STATUS = /^(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])$/;

/** A note of a run, for a log that a channel has not. */
const LOG = "log";

const readWatch = shape<WatchFields>({ properties: WATCH_FIELDS });

/**
 * `/ping/:channel[/start|/fail|/log|/:exitStatus]`: a sign of life of a job, in the form of healthchecks.io
 * (https://healthchecks.io/docs/http_api/), so that only the host in a line of cron has to change.
 */
export function pingRoute({ channels }: { channels: Channels }): SenderRoute {
  return {
    path: ["ping"],
    usage:
      "Ping /ping/<channel>, with /start, /fail, /log or an exit status of 0 to 255 behind it.",
    methods: ["GET", "HEAD", "POST"],
    scope: "push",
    takesTokenOfAddress: true,
    takesAppended: true,
    fits: (rest) =>
      rest.length === 0 ||
      (rest.length === 1 && (rest[0] === LOG || statusOf(rest[0]) !== undefined)),
    async handle(ctx, { channel, rest, query }) {
      const watch = readWatch(watchIn(query));
      const text = ctx.method === "POST" ? await textOf(ctx) : "";
      const status = statusOf(rest[0]) ?? "ok";
      const run = query.get("rid");
      if (rest[0] !== LOG)
        channels.ping(channel, {
          status,
          ...watch,
          ...(text !== "" && { text }),
          ...(run !== null && { run: hashOf(run) }),
        });
      ctx.set("Cache-Control", "no-store");
      ctx.body = "OK";
    },
  };
}

function statusOf(word: string | undefined): Status | undefined {
  if (word === "start" || word === "fail") return word;
  if (word === undefined || !EXIT_STATUS.test(word)) return undefined;
  return word === "0" ? "ok" : "fail";
}

/** Reads the fields for watching, and ignores other parameters. */
function watchIn(query: URLSearchParams): Record<string, unknown> {
  const fields = ["period", "grace"].flatMap((name) => {
    const [text, ...more] = query.getAll(name);
    if (text === undefined) return [];
    // Twice is once too often, which the rule of the field says.
    return [[name, more.length === 0 && /^\d+$/.test(text) ? Number(text) : text]];
  });
  return Object.fromEntries(fields);
}

/** An id of any length in a short form. */
function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

async function textOf(ctx: Context): Promise<string> {
  const bytes = await readStart(ctx.req, { keep: KEPT_BYTES, limit: MAX_BODY });
  return bytes.toString("utf8").trim();
}
