import type { Listener } from "../../base/http/listen.ts";
import type { MetricsParts } from "./metrics.ts";

/** Serves `/metrics` where a port for it is named; loads nothing for it elsewhere. */
export async function metricsOf(
  parts: MetricsParts,
  ends: AsyncDisposableStack,
): Promise<Listener | undefined> {
  if (parts.config.metricsPort === undefined) return undefined;
  const { showMetrics } = await import("./metrics.ts");
  return showMetrics(parts, parts.config.metricsPort, ends);
}
