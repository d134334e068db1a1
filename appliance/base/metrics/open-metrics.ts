/**
 * Writes metrics in OpenMetrics 1.0 text
 * (https://github.com/prometheus/OpenMetrics/blob/v1.0.0/specification/OpenMetrics.md), and in the
 * older text of Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats/).
 */

export const OPEN_METRICS_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";
export const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** One number of a family, with its labels. */
interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The figures of a `Histogram`. */
interface Distribution {
  readonly sum: number;
  readonly buckets: readonly (readonly [bound: number, count: number])[];
}

interface FamilyBase {
  /** Without the suffix of its type; ends with its unit, where there is one. */
  readonly name: string;
  readonly help: string;
  readonly unit?: "seconds" | "bytes";
}

/** Numbers of one kind. */
export type Family = FamilyBase &
  (
    | { readonly type: "counter" | "gauge"; readonly samples: readonly Sample[] }
    | { readonly type: "info"; readonly labels: Readonly<Record<string, string>> }
    | { readonly type: "histogram"; readonly of: Distribution }
  );

/** All families, in the order given. */
export function openMetrics(families: readonly Family[]): string {
  return `${families.flatMap(linesOf).join("\n")}\n# EOF\n`;
}

/** The same in Prometheus text, where families have the names of their samples. */
export function prometheusText(families: readonly Family[]): string {
  return `${families.flatMap(plainLinesOf).join("\n")}\n`;
}

function plainLinesOf(family: Family): string[] {
  const name = family.name + (SUFFIX[family.type] ?? "");
  return [
    `# HELP ${name} ${escapedLine(family.help)}`,
    `# TYPE ${name} ${family.type === "info" ? "gauge" : family.type}`,
    ...samplesOf(family),
  ];
}

/** The suffix of sample names, for types whose samples all have one. */
const SUFFIX: { readonly [type in Family["type"]]?: string } = { counter: "_total", info: "_info" };

function linesOf(family: Family): string[] {
  const { name, help, unit, type } = family;
  return [
    `# TYPE ${name} ${type}`,
    ...(unit === undefined ? [] : [`# UNIT ${name} ${unit}`]),
    `# HELP ${name} ${escaped(help)}`,
    ...samplesOf(family),
  ];
}

function samplesOf(family: Family): string[] {
  if (family.type === "histogram") return histogramOf(family.name, family.of);
  const name = family.name + (SUFFIX[family.type] ?? "");
  if (family.type === "info") return [sample(name, { labels: family.labels, value: 1 })];
  return family.samples.map((each) => sample(name, each));
}

function histogramOf(name: string, { sum, buckets }: Distribution): string[] {
  const [, count = 0] = buckets.at(-1) ?? [];
  return [
    ...buckets.map(([bound, value]) =>
      sample(`${name}_bucket`, { labels: { le: boundOf(bound) }, value }),
    ),
    sample(`${name}_count`, { value: count }),
    sample(`${name}_sum`, { value: sum }),
  ];
}

function sample(name: string, { labels = {}, value }: Sample): string {
  const all = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text)}"`);
  return `${name}${all.length === 0 ? "" : `{${all.join(",")}}`} ${value}`;
}

/** Always with its point, `1.0`: readers compare bounds by their text. */
function boundOf(bound: number): string {
  if (bound === Number.POSITIVE_INFINITY) return "+Inf";
  return Number.isInteger(bound) ? `${bound}.0` : `${bound}`;
}

function escaped(text: string): string {
  return escapedLine(text).replaceAll('"', '\\"');
}

function escapedLine(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
