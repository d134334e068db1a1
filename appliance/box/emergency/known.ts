import { join } from "node:path";
import { fieldsIn, hasFields, isObject, isText } from "../../base/input/json.ts";
import { parseRelease } from "../../base/release/release.ts";
import { endOfService } from "../../base/release/service-end.ts";
import { STATE_FILE } from "../../base/release/updater-state.ts";
import { textOf } from "../../base/system/files.ts";
import { outcomeText } from "../../base/text/update-outcome.ts";
import { keptLogIn } from "../kept-log.ts";

/** Files of the box, below its root. */
export const BOX_FILES = {
  /** A line for each failure in a row: `exit-code 1`, by /usr/lib/tallydeck/after-stop. */
  failures: "run/tallydeck/failures",
  release: "etc/tallydeck-release",
  updater: "run/tallydeck-update",
  reset: "run/tallydeck-reset",
  name: "run/tallydeck-name/name",
  log: "data/tallydeck-log/before-failure.txt",
} as const;

/** The facts about a service that cannot start. Each part may be missing. */
export interface Known {
  /** Sentences about the failure. */
  readonly why: string;
  /** The running release: `0.3.0 (12)`. */
  readonly release?: string;
  readonly slot?: "a" | "b";
  /** The version of the other system, where it can be started. */
  readonly other?: string;
  /** Whether the updater is at work, or this system is only tried. */
  readonly isUpdating: boolean;
  /** Sentences by the updater: its last outcome, and its problem. */
  readonly told: readonly string[];
}

/** Reads what is known. @param root `/`, or a folder */
export function readKnown(root: string): Known {
  const release = parseRelease(textOf(join(root, BOX_FILES.release)) ?? "");
  const running = release && { release: `${release.version} (${release.release})` };
  return { why: whyOf(root), ...running, ...updaterOf(root, release?.version ?? "") };
}

function whyOf(root: string): string {
  const lines = (textOf(join(root, BOX_FILES.failures)) ?? "")
    .split("\n")
    .filter((line) => line !== "");
  const [, result = "", status = ""] = /^([a-z-]+) ?(\w*)$/.exec(lines.at(-1) ?? "") ?? [];
  const sentence = endOfService({
    result,
    exitStatus: status === "" ? Number.NaN : Number(status),
  });
  if (result === "") return sentence;
  const times = lines.length === 1 ? "once" : `${lines.length} times in a row`;
  return `${sentence} It failed ${times}, the last time with “${`${result} ${status}`.trim()}”.`;
}

/** The parts of the updater's state that are shown. Another release may have written it. */
function updaterOf(root: string, version: string): Omit<Known, "why" | "release"> {
  const state = fieldsIn(textOf(join(root, BOX_FILES.updater, STATE_FILE)));
  const { running, other, mode, work, last, problem } = state;
  const slot = isObject(running) ? running.slot : undefined;
  const isNormal = mode === "normal" && work === undefined;
  const told = [
    ...(isOutcome(last) ? [outcomeText(last, version)] : []),
    ...(isText(problem) && problem !== "" ? [problem] : []),
  ];
  return {
    ...((slot === "a" || slot === "b") && { slot }),
    ...(isNormal && isObject(other) && isText(other.version) && { other: other.version }),
    isUpdating: work !== undefined || mode === "trial",
    told,
  };
}

type Kind = Parameters<typeof outcomeText>[0]["kind"];
const OUTCOMES: readonly unknown[] = ["updated", "back", "failed", "interrupted", "refused"];

const isOutcome = hasFields({
  kind: (kind): kind is Kind => OUTCOMES.includes(kind),
  version: isText,
  reason: (reason) => reason === null || isText(reason),
});

const MOST_LINES = 24;
const MOST_SIGNS = 240;
/** Lines of our programs, and of systemd about the service. */
const OURS = /^\S+ (?:tallydeck-node\[\d+\]|after-stop\[\d+\]|systemd\[1\]: tallydeck\.service): /;

/** The last lines of the log before the failure, as root keeps it: without addresses and values of visitors. */
export function endOfLog(root: string): readonly string[] {
  const bytes = keptLogIn(join(root, BOX_FILES.log)).read();
  if (bytes === undefined) return [];
  return Buffer.from(bytes)
    .toString("utf8")
    .split("\n")
    .filter((line) => OURS.test(line))
    .slice(-MOST_LINES)
    .map((line) => line.slice(0, MOST_SIGNS));
}
