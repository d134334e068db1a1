import type { RequestListener } from "node:http";
import { HttpError, sendError } from "../http/errors.ts";
import type { App } from "../http/listen.ts";
import { prefersPlainText } from "./accept.ts";
import {
  type Family,
  OPEN_METRICS_TYPE,
  openMetrics,
  PROMETHEUS_TYPE,
  prometheusText,
} from "./open-metrics.ts";

const OPEN = { type: OPEN_METRICS_TYPE, write: openMetrics };
const PLAIN = { type: PROMETHEUS_TYPE, write: prometheusText };

/** Serves `/metrics` only, in OpenMetrics, or in Prometheus text on request. */
export function metricsApp(families: () => readonly Family[]): App {
  const serve: RequestListener = ({ method = "", url = "", headers }, response) => {
    if (url.split("?", 1)[0] !== "/metrics")
      return sendError(response, new HttpError(404, "not_found", "Metrics are at /metrics."));
    if (method !== "GET" && method !== "HEAD") return sendError(response, readOnly());
    const { type, write } = prefersPlainText(headers.accept ?? "") ? PLAIN : OPEN;
    const about = { "Content-Type": type, "Cache-Control": "no-store", Vary: "Accept" };
    response.writeHead(200, about);
    response.end(method === "HEAD" ? "" : write(families()));
  };
  return { callback: () => serve };
}

function readOnly(): HttpError {
  return new HttpError(405, "method_not_allowed", "Metrics are only read.", { Allow: "GET, HEAD" });
}
