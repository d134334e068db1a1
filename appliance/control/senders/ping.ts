import type { Context } from "koa";
import { shape } from "../../base/input/shape.ts";
import { readStart } from "../../http/body.ts";
import type { Channels } from "../../push/channels.ts";
import { type Status, WATCH_FIELDS, type WatchFields } from "../../push/push-body.ts";
import type { SenderRoute } from "./route.ts";

/** The bytes of a body to keep: enough for a text of any characters. Senders may send whole logs. */
const KEPT_BYTES = 4_096;
const MAX_BODY = 1_048_576;
const EXIT_STATUS = /^(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])$/;

const readWatch = shape<WatchFields>({ properties: WATCH_FIELDS });

/**
 * `/ping/:channel[/start|/fail|/:exitStatus]`: a sign of life of a job, in the form of healthchecks.io
 * (https://healthchecks.io/docs/http_api/), so that only the host in a line of cron has to change.
 */
export function pingRoute({ channels }: { channels: Channels }): SenderRoute {
  return {
    path: ["ping"],
    usage: "Ping /ping/<channel>, with /start, /fail or an exit status of 0 to 255 behind it.",
    methods: ["GET", "HEAD", "POST"],
    scope: "push",
    takesQueryToken: true,
    fits: (rest) => rest.length === 0 || (rest.length === 1 && statusOf(rest[0]) !== undefined),
    async handle(ctx, { channel, rest }) {
      const watch = readWatch(watchIn(ctx.query));
      const text = ctx.method === "POST" ? await textOf(ctx) : "";
      const status = statusOf(rest[0]) ?? "ok";
      channels.ping(channel, { status, ...watch, ...(text !== "" && { text }) });
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
function watchIn({ period, grace }: Context["query"]): Record<string, unknown> {
  const numberOf = (text: unknown) => (/^\d+$/.test(String(text)) ? Number(text) : text);
  return {
    ...(period !== undefined && { period: numberOf(period) }),
    ...(grace !== undefined && { grace: numberOf(grace) }),
  };
}

async function textOf(ctx: Context): Promise<string> {
  const bytes = await readStart(ctx.req, { keep: KEPT_BYTES, limit: MAX_BODY });
  return bytes.toString("utf8").trim();
}
