interface ReadSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface ReadFamily {
  readonly name: string;
  type?: string;
  unit?: string;
  help?: string;
  readonly samples: ReadSample[];
}

const DESCRIPTION = /^# (TYPE|UNIT|HELP) ([a-zA-Z_:][\w:]*) (.+)$/;
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[+-]Inf|NaN)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\n"])*)"(,|$)/y;
/** Suffixes of the names of samples, by type of the family. */
type Suffixes = Readonly<Record<string, readonly string[]>>;
const HISTOGRAM = ["_bucket", "_count", "_sum"];
const SUFFIXES: Suffixes = {
  counter: ["_total"],
  gauge: [""],
  info: ["_info"],
  histogram: HISTOGRAM,
};
const PROMETHEUS_SUFFIXES: Suffixes = { counter: [""], gauge: [""], histogram: HISTOGRAM };

/**
 * Reads OpenMetrics 1.0 text as strictly as its specification is, as far as we write it.
 * @throws {Error} with the line that is against it
 */
export function readOpenMetrics(text: string): ReadonlyMap<string, ReadFamily> {
  if (!text.endsWith("\n# EOF\n")) throw new Error("it does not end with # EOF");
  return read(text.slice(0, -"# EOF\n".length), SUFFIXES);
}

/**
 * Reads the text of Prometheus, version 0.0.4, as strictly as `promtool check metrics`, as far as we
 * write it. @throws {Error} with the line that is against it
 */
export function readPrometheusText(text: string): ReadonlyMap<string, ReadFamily> {
  const families = read(text, PROMETHEUS_SUFFIXES);
  for (const { name, type, unit } of families.values()) {
    if (unit !== undefined) throw new Error(`${name} has a unit`);
    if ((type === "counter") !== name.endsWith("_total")) throw new Error(`${name}: ${type}`);
    if (/_(?:bucket|count|sum)$/.test(name)) throw new Error(`${name} is called as a part of one`);
  }
  return families;
}

function read(text: string, suffixes: Suffixes): ReadonlyMap<string, ReadFamily> {
  if (!text.endsWith("\n")) throw new Error("it does not end its last line");
  const families = new Map<string, ReadFamily>();
  let current: ReadFamily | undefined;
  for (const line of text.slice(0, -1).split("\n")) {
    const [, what, name = "", rest = ""] = DESCRIPTION.exec(line) ?? [];
    if (what !== undefined) {
      if (current?.name !== name) {
        if (families.has(name)) throw new Error(`twice: ${line}`);
        current = { name, samples: [] };
        families.set(name, current);
      }
      const key = what.toLowerCase() as "type" | "unit" | "help";
      if (current[key] !== undefined || current.samples.length > 0) throw new Error(line);
      current[key] = rest;
    } else if (current === undefined) throw new Error(`of no family: ${line}`);
    else current.samples.push(sampleOf(line, current, suffixes));
  }
  for (const family of families.values()) check(family);
  return families;
}

function sampleOf(line: string, { name, type = "" }: ReadFamily, suffixes: Suffixes): ReadSample {
  const [, full = "", labels = "", number = ""] = SAMPLE.exec(line) ?? [];
  if (!suffixes[type]?.some((suffix) => full === name + suffix)) throw new Error(line);
  const value = number === "+Inf" ? Number.POSITIVE_INFINITY : Number(number);
  if (type !== "gauge" && !(value >= 0)) throw new Error(line);
  return { name: full, labels: labelsOf(labels), value };
}

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const [, key = "", value = ""] = LABEL.exec(text) ?? [];
    if (key === "" || key in labels) throw new Error(`labels: ${text}`);
    labels[key] = value.replace(/\\(.)/g, (_, sign) => (sign === "n" ? "\n" : sign));
  }
  return labels;
}

function check({ name, type, unit, help, samples }: ReadFamily): void {
  if (type === undefined || help === undefined) throw new Error(`${name} is not described`);
  if (unit !== undefined && !name.endsWith(`_${unit}`)) throw new Error(`${name} in ${unit}`);
  const keys = samples.map((each) => JSON.stringify([each.name, each.labels]));
  if (new Set(keys).size < keys.length) throw new Error(`${name} has a sample twice`);
  if (type === "info" && samples.some(({ value }) => value !== 1)) throw new Error(name);
  if (type !== "histogram") return;
  const buckets = samples.filter((each) => each.name === `${name}_bucket`);
  const bounds = buckets.map(({ labels }) => Number(labels.le?.replace("+Inf", "Infinity")));
  const counts = [...buckets, ...samples.filter((each) => each.name === `${name}_count`)];
  const isAscending = (numbers: number[]) => numbers.every((n, i) => n >= (numbers[i - 1] ?? 0));
  if (bounds.at(-1) !== Number.POSITIVE_INFINITY || !isAscending(bounds)) throw new Error(name);
  if (!isAscending(counts.map(({ value }) => value))) throw new Error(`${name} is not cumulative`);
  if (counts.at(-1)?.value !== counts.at(-2)?.value) throw new Error(`${name} counts otherwise`);
}
