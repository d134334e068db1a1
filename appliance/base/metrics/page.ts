import type { RequestListener } from "node:http";
import { HttpError, sendError } from "../http/errors.ts";
import type { App } from "../http/listen.ts";
import {
  type Family,
  OPEN_METRICS_TYPE,
  openMetrics,
  PROMETHEUS_TYPE,
  prometheusText,
} from "./open-metrics.ts";

const OPEN = { type: OPEN_METRICS_TYPE, write: openMetrics };
const PLAIN = { type: PROMETHEUS_TYPE, write: prometheusText };

const READ_ONLY = new HttpError(405, "method_not_allowed", "Metrics are only read.", {
  Allow: "GET, HEAD",
});

/** Serves `/metrics` only, in OpenMetrics, or in Prometheus text on request. */
export function metricsApp(families: () => readonly Family[]): App {
  const serve: RequestListener = ({ method = "", url = "", headers }, response) => {
    if (url.split("?", 1)[0] !== "/metrics")
      return sendError(response, new HttpError(404, "not_found", "Metrics are at /metrics."));
    if (method !== "GET" && method !== "HEAD") return sendError(response, READ_ONLY);
    const { type, write } = prefersPlainText(headers.accept ?? "") ? PLAIN : OPEN;
    const about = { "Content-Type": type, "Cache-Control": "no-store", Vary: "Accept" };
    response.writeHead(200, about);
    response.end(method === "HEAD" ? "" : write(families()));
  };
  return { callback: () => serve };
}

interface Preference {
  readonly quality: number;
  /** 2 for the type itself, 1 for its kind, 0 for all types. */
  readonly nearness: number;
}

/**
 * Whether an `Accept` prefers Prometheus text to OpenMetrics: it names the former, and ranks the latter lower.
 * Parameters like `version` are ignored.
 */
function prefersPlainText(accept: string): boolean {
  const plain = preferenceFor("text/plain", accept);
  const open = preferenceFor("application/openmetrics-text", accept);
  return (
    plain.quality > open.quality ||
    (plain.quality === open.quality && plain.quality > 0 && plain.nearness > open.nearness)
  );
}

/** The preference of a type: the most specific matching range decides (RFC 9110, section 12.5.1). */
function preferenceFor(type: string, accept: string): Preference {
  const ranges = ["*/*", type.replace(/\/.*/, "/*"), type];
  const preferences = accept.split(",").flatMap((element) => {
    const [range = "", ...parameters] = element
      .toLowerCase()
      .split(";")
      .map((part) => part.trim());
    const nearness = ranges.indexOf(range);
    return nearness < 0 ? [] : [{ nearness, quality: qualityIn(parameters) }];
  });
  const nearest = Math.max(...preferences.map(({ nearness }) => nearness));
  const of = preferences.filter(({ nearness }) => nearness === nearest);
  return of.reduce((best, each) => (each.quality > best.quality ? each : best), {
    quality: 0,
    nearness: -1,
  });
}

function qualityIn(parameters: readonly string[]): number {
  const [, text = "1"] =
    parameters.map((part) => /^q=([01](?:\.\d{0,3})?)$/.exec(part)).find(Boolean) ?? [];
  return Math.min(1, Number(text));
}
