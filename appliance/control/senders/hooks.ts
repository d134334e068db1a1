import { createHash } from "node:crypto";
import type { Context } from "koa";
import { jsonBody } from "../../base/http/body.ts";
import {
  type Fields,
  type Fitting,
  integerFrom,
  listOf,
  mapOf,
  type NoFields,
  nullable,
  objectOf,
  oneAmong,
  type SchemaOf,
  TEXT,
} from "../../base/input/schema.ts";
import { shape } from "../../base/input/shape.ts";
import type { Alert, AlertReport, Alerts } from "../../deck/push/alerts.ts";
import type { Channels } from "../../deck/push/channels.ts";
import type { HookAnswer } from "../wire.ts";
import type { SenderRoute } from "./route.ts";

interface Parts {
  channels: Channels;
  alerts: Alerts;
}

/** The size of a post of Alertmanager for a group of a few hundred alerts. */
const ALERTMANAGER_BYTES = 262_144;
const KUMA_BYTES = 65_536;
const MAX_NAME = 64;
const MAX_SUMMARY = 160;
const MAX_TRUNCATED = 1_000_000;
const TEST_TTL = 60;

const text = { ...TEXT, description: "must be a text" };
const texts = { ...mapOf(text), description: "must hold texts" };
const number: SchemaOf<number> = { type: "integer", description: "must be a number" };

// Senders have further fields, and may add some with every version.
const open = <All extends Fields, Some extends Fields = NoFields>(all: All, some?: Some) => ({
  ...objectOf(all, some),
  additionalProperties: true,
  description: "must be an object",
});

const ALERT = open(
  {
    status: { ...oneAmong("firing", "resolved"), description: "must be firing or resolved" },
    labels: texts,
  },
  { annotations: texts, fingerprint: text },
);
type AlertmanagerAlert = Fitting<typeof ALERT>;

/** Version 4 of https://prometheus.io/docs/alerting/latest/configuration/#webhook_config. */
const ALERTMANAGER_POST = open(
  {
    groupKey: text,
    alerts: { ...listOf(ALERT), description: "must be a list of alerts" },
  },
  {
    /** The number of alerts that `max_alerts` leaves out of the list. */
    truncatedAlerts: {
      ...integerFrom(0, MAX_TRUNCATED),
      description: `must be a whole number up to ${MAX_TRUNCATED}`,
    },
  },
);
type AlertmanagerPost = Fitting<typeof ALERTMANAGER_POST>;
const readAlertmanager = shape(ALERTMANAGER_POST);

const BEAT = open({ status: number }, { msg: nullable(text) });
const MONITOR = open({ id: number, name: text }, { url: nullable(text), hostname: nullable(text) });

/** The post of louislam/uptime-kuma, `server/notification-providers/webhook.js`. Both objects are null in a test. */
const readKuma = shape(
  open({}, { msg: nullable(text), heartbeat: nullable(BEAT), monitor: nullable(MONITOR) }),
);

/** `POST /hooks/alertmanager/:channel` */
export function alertmanagerRoute(parts: Parts): SenderRoute {
  return hook("alertmanager", async (ctx, channel) => {
    const post = readAlertmanager(await jsonBody(ctx, ALERTMANAGER_BYTES));
    return parts.alerts.report(channel, reportOf(post));
  });
}

/** `POST /hooks/uptime-kuma/:channel` */
export function uptimeKumaRoute({ alerts, channels }: Parts): SenderRoute {
  return hook("uptime-kuma", async (ctx, channel) => {
    const { heartbeat, monitor, msg } = readKuma(await jsonBody(ctx, KUMA_BYTES));
    if (heartbeat && monitor) return alerts.report(channel, beatOf(heartbeat, monitor));
    if (msg && !/(?:^|\s)Testing$/.test(msg)) return alerts.report(channel, noticeOf(msg));
    // A test of the connection, which covers nothing that is shown.
    if (channels.get(channel) === undefined)
      channels.set(channel, { text: msg ?? "Uptime Kuma", ttl: TEST_TTL });
    return 0;
  });
}

function hook(
  name: string,
  handle: (ctx: Context, channel: string) => Promise<number>,
): SenderRoute {
  return {
    path: ["hooks", name],
    usage: `Post to /hooks/${name}/<channel>.`,
    methods: ["POST"],
    scope: "push",
    takesTokenOfAddress: true,
    async handle(ctx, { channel }) {
      const firing = await handle(ctx, channel);
      ctx.body = { ok: true, channel, firing } satisfies HookAnswer;
    },
  };
}

function reportOf({ groupKey, alerts, truncatedAlerts = 0 }: AlertmanagerPost): AlertReport {
  const [first] = alerts;
  const source = identity("group", groupKey);
  const firing = alerts.filter(({ status }) => status === "firing").map(alertOf);
  return {
    sources: [source],
    firing: truncatedAlerts === 0 ? firing : [...firing, leftOut(source, truncatedAlerts)],
    resolved: alerts.filter(({ status }) => status === "resolved").map(keyOf),
    name: first === undefined ? "Alertmanager" : nameOf(first),
  };
}

function alertOf(alert: AlertmanagerAlert): Alert {
  const { labels, annotations } = alert;
  const summary = annotations?.summary ?? annotations?.description;
  return {
    key: keyOf(alert),
    name: nameOf(alert),
    // An alert without a severity counts as severe.
    status: /^(?:warn|info|none|low|minor)/i.test(labels.severity ?? "") ? "warn" : "fail",
    ...(summary !== undefined && { summary: cut(summary, MAX_SUMMARY) }),
  };
}

/**
 * The alerts that the list leaves out are unknown: the worst holds until a whole list says how they
 * are.
 */
function leftOut(source: string, count: number): Alert {
  return {
    key: `left out of ${source}`,
    name: `${count} not listed`,
    summary: "Raise max_alerts",
    status: "fail",
    count,
  };
}

function keyOf({ fingerprint, labels }: AlertmanagerAlert): string {
  return identity("alert", fingerprint ?? JSON.stringify(Object.entries(labels).sort()));
}

function nameOf({ labels }: AlertmanagerAlert): string {
  return cut(labels.alertname ?? "alert", MAX_NAME);
}

/** Statuses: 0 down, 1 up, 2 pending, 3 maintenance. */
function beatOf(
  { status, msg }: Fitting<typeof BEAT>,
  { id, name: full, url, hostname }: Fitting<typeof MONITOR>,
): AlertReport {
  // Each Uptime Kuma numbers its monitors from 1. Of one whose name or target was changed the other is still the same.
  const key = identity("monitor", `${id} ${full}`);
  const target = hostname || (url && URL.parse(url)?.host ? url : undefined);
  const others = target === undefined ? [] : [identity("target", `${id} ${target}`)];
  const name = cut(full, MAX_NAME);
  const summary = msg ? { summary: cut(msg, MAX_SUMMARY) } : {};
  const firing = { key, name, ...summary, status: status === 0 ? "fail" : "warn" } as const;
  const isWell = status !== 0 && status !== 2;
  return {
    sources: [key, ...others],
    firing: isWell ? [] : [firing],
    resolved: isWell ? [key] : [],
    name,
  };
}

/** A notice, as of a certificate that will expire: Uptime Kuma sends each once, and never that it is over. */
function noticeOf(msg: string): AlertReport {
  // The days that are left are another number the next time.
  const key = identity("notice", msg.replaceAll(/\d+/g, "0"));
  const name = cut(/^\[([^\]]+)\]/.exec(msg)?.[1] ?? "Uptime Kuma", MAX_NAME);
  const firing = [{ key, name, summary: cut(msg, MAX_SUMMARY), status: "warn" }] as const;
  return { sources: [key], firing, resolved: [], name, isNotice: true };
}

/** A short name of something that is known by a text of any length, which is never cut: what differs may stand at its end. */
function identity(kind: string, text: string): string {
  return `${kind} ${createHash("sha256").update(text).digest("base64url")}`;
}

function cut(text: string, length: number): string {
  return [...text].slice(0, length).join("");
}
