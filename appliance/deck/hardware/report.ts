/**
 * Reports of real hardware: a text file that a person reads, and may paste into an issue. It has facts as `key: value`, then
 * steps with their results, then every report that went over the wire. Strangers send them, so all is bounded.
 */

const HEADING = "Tallydeck hardware report, format 1";
const STEPS = "Steps";
const EXCHANGE = "Exchange";

/** `absent`: the hardware has no such thing, or this system does not show it. */
const RESULTS = ["ok", "failed", "skipped", "absent"] as const;

export interface ReportStep {
  /** `press k3`, `clock` */
  readonly name: string;
  readonly result: (typeof RESULTS)[number];
  readonly ms: number;
  /** More about the result, in a few words; empty where there is nothing to say. */
  readonly note: string;
}

/**
 * The kinds of lines of an exchange. `do`: a call of our driver; `draw`: a slot that it paints; `jpeg`: the bytes of a
 * picture that it encoded; `out`, `set`, `get`, `in`: output reports, feature reports, input reports; `heard`: the driver's
 * words for one; `failed`: the end of a call that failed; `gone`: the device could not be read any more.
 */
const KINDS = ["do", "draw", "jpeg", "out", "set", "get", "in", "heard", "failed", "gone"] as const;

export interface ExchangeLine {
  /** Milliseconds since the beginning. */
  readonly ms: number;
  readonly kind: (typeof KINDS)[number];
  readonly text: string;
}

export interface HardwareReport {
  /** In the order of the file. */
  readonly facts: Readonly<Record<string, string>>;
  readonly steps: readonly ReportStep[];
  readonly exchange: readonly ExchangeLine[];
}

/** The file of a report. */
export function reportText({ facts, steps, exchange }: HardwareReport): string {
  const width = (column: (step: ReportStep) => string) =>
    Math.max(0, ...steps.map((step) => column(step).length));
  const [names, times] = [width(({ name }) => name), width(({ ms }) => `${ms}`)];
  const lines = [
    HEADING,
    ...Object.entries(facts).map(([key, value]) => `${key}: ${plain(value)}`),
    "",
    STEPS,
    ...steps.map(
      ({ name, result, ms, note }) =>
        `  ${name.padEnd(names)}  ${result.padEnd(7)} ${`${ms}`.padStart(times)} ms  ${plain(note)}`,
    ),
    ...(exchange.length === 0 ? [] : ["", EXCHANGE]),
    ...exchange.map(
      ({ ms, kind, text }) => `${`${ms}`.padStart(7)} ${kind.padEnd(6)} ${plain(text)}`,
    ),
  ];
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

/** A text in one line, since a device or a system may say anything. */
function plain(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]+/g, "?").slice(0, MOST_TEXT);
}

const MOST_BYTES = 4 * 1024 * 1024;
const MOST_LINES = 50_000;
const MOST_FACTS = 40;
const MOST_STEPS = 500;
/** The characters of a value, a note or a line of the exchange; a report has at most 8 kB, mostly zeros. */
const MOST_TEXT = 20_000;

const FACT = /^([a-z][a-z ]{0,30}): ?(.*)$/;
const STEP = /^ {2}([a-z][a-z0-9 ]{0,30}?) {2,}([a-z]{2,7}) +(\d{1,9}) ms(?: {2}(.*))?$/;
const LINE = /^ *(\d{1,9}) ([a-z]{2,6}) *(.*)$/;

/**
 * Reads the file of a report, as strangers send it.
 * @throws {Error} with a sentence that names the line, where it is none, or larger than any of ours
 */
export function parseReport(file: string): HardwareReport {
  if (file.length > MOST_BYTES) throw new Error("It is larger than any report of hardware.");
  const lines = file.replaceAll("\r\n", "\n").trimEnd().split("\n");
  if (lines.length > MOST_LINES) throw new Error("It has more lines than any report of hardware.");
  if (lines[0] !== HEADING) throw new Error(`Line 1 is not “${HEADING}”.`);
  const facts: Record<string, string> = {};
  const steps: ReportStep[] = [];
  const exchange: ExchangeLine[] = [];
  let part: typeof STEPS | typeof EXCHANGE | undefined;
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line === "") continue;
    const wrong = (why: string) =>
      new Error(`Line ${index + 1} ${why}: ${plain(line).slice(0, 80)}`);
    if (line.length > MOST_TEXT || !/^[\x20-\x7e]*$/.test(line))
      throw wrong("is too long or has characters that no report has");
    if (line === STEPS || line === EXCHANGE) part = line;
    else if (part === undefined) {
      const [, key = "", value = ""] = FACT.exec(line) ?? [];
      if (key === "" || Object.hasOwn(facts, key) || Object.keys(facts).length >= MOST_FACTS)
        throw wrong("is no fact, or one too many");
      facts[key] = value;
    } else if (part === STEPS) {
      const step = stepOf(line);
      if (step === undefined || steps.length >= MOST_STEPS)
        throw wrong("is no step, or one too many");
      steps.push(step);
    } else {
      const [, ms, word, text = ""] = LINE.exec(line) ?? [];
      const kind = KINDS.find((each) => each === word);
      if (kind === undefined) throw wrong("is nothing that was exchanged");
      exchange.push({ ms: Number(ms), kind, text });
    }
  }
  return { facts, steps, exchange };
}

function stepOf(line: string): ReportStep | undefined {
  const [, name = "", word, ms, note = ""] = STEP.exec(line) ?? [];
  const result = RESULTS.find((each) => each === word);
  return result && { name, result, ms: Number(ms), note };
}

/** The result of all steps in a few words: `31 of 33 steps went well; failed: press k3; skipped: swipe left`. */
export function outcomeOf(steps: readonly ReportStep[]): string {
  const named = (result: ReportStep["result"]) => {
    const names = steps.filter((step) => step.result === result).map(({ name }) => name);
    return names.length === 0 ? [] : [`${result}: ${names.join(", ")}`];
  };
  const well = steps.filter(({ result }) => result === "ok").length;
  return [
    `${well} of ${steps.length} steps went well`,
    ...named("failed"),
    ...named("skipped"),
    ...named("absent"),
  ].join("; ");
}
