import type { Listener } from "../http/listen.ts";
import type { MetricsParts } from "./metrics.ts";
import type { Stops } from "./stops.ts";

/** Serves `/metrics` where a port for it is named; loads nothing for it elsewhere. */
export async function metricsOf(parts: MetricsParts, stops: Stops): Promise<Listener | undefined> {
  if (parts.config.metricsPort === undefined) return undefined;
  const { showMetrics } = await import("./metrics.ts");
  return showMetrics(parts, parts.config.metricsPort, stops);
}
