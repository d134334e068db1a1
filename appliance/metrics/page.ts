import type { RequestListener } from "node:http";
import { HttpError, sendError } from "../http/errors.ts";
import type { App } from "../http/listen.ts";
import { type Family, OPEN_METRICS_TYPE, openMetrics } from "./open-metrics.ts";

/** Serves `/metrics`, and nothing else. */
export function metricsApp(families: () => readonly Family[]): App {
  const serve: RequestListener = ({ method = "", url = "" }, response) => {
    if (url.split("?", 1)[0] !== "/metrics")
      return sendError(response, new HttpError(404, "not_found", "Metrics are at /metrics."));
    if (method !== "GET" && method !== "HEAD") return sendError(response, readOnly());
    response.writeHead(200, { "Content-Type": OPEN_METRICS_TYPE, "Cache-Control": "no-store" });
    response.end(method === "HEAD" ? "" : openMetrics(families()));
  };
  return { callback: () => serve };
}

function readOnly(): HttpError {
  return new HttpError(405, "method_not_allowed", "Metrics are only read.", { Allow: "GET, HEAD" });
}
