import type { Release } from "../../../base/release/release.ts";
import type { UpdateProgress, UpdaterState } from "../../../base/release/updater-state.ts";
import { outcomeText } from "../../../base/text/update-outcome.ts";
import type { ReadyRelease, UpdateView } from "../../../links/updates/view.ts";
import { sizeText } from "../size-text.ts";

/**
 * The running release and its slot, and how the last attempt at another release ended, in one line.
 */
export function systemText({ running, last }: UpdaterState): string {
  const ended = last === undefined ? "" : `. ${outcomeText(last, running.version)}`;
  return `release ${running.release} (${running.version}) in slot ${running.slot}${ended}`;
}

const STEPS: Readonly<Record<UpdateProgress["step"], string>> = {
  download: "being downloaded",
  verify: "being checked",
  write: "being written to the other slot",
  "read-back": "being read back",
  arm: "about to start",
  restart: "about to start",
};

/** `writing: 34 %` */
export function progressText({ step, done, of }: UpdateProgress): string {
  return of === 0 ? STEPS[step] : `${STEPS[step]}: ${Math.floor((100 * done) / of)} %`;
}

const STATES: Readonly<Record<ReadyRelease["state"], string>> = {
  offered: "not downloaded yet",
  downloading: "being downloaded",
  downloaded: "on this box",
  writing: "being written",
  prepared: "written to the other slot",
};

/** Rows of a table: a name, and a text. */
export function updateRows(view: UpdateView, timeOf: (epochMs: number) => string) {
  const { running, other, ready, progress, restartsAt, last, mode, problem } = view;
  const row = (name: string, text: string | false | null): [string, string][] =>
    text ? [[name, text]] : [];
  return [
    ...row("Runs", `${releaseName(running)} in slot ${running.slot}`),
    ...row("Other slot", other && `${releaseName(other)}: \`tallydeck update back\` starts it`),
    ...row("Ready", ready && readyText(ready)),
    ...row("Now", progress && progressText(progress)),
    ...row("Restarts", restartsAt === null ? null : timeOf(restartsAt)),
    ...row("Mode", mode !== "normal" && MODES[mode]),
    ...row("Last", last && `${timeOf(last.at * 1_000)}: ${outcomeText(last, running.version)}`),
    ...row("Looks", looksText(view, timeOf)),
    ...row("Problem", problem),
  ];
}

const MODES = {
  trial: "this release is tried: it stays if the box is well with it",
  visit: "this system is only visited: a restart without the jumper starts the other one",
};

function looksText(
  { updates, source, checkedAt, isUntriedBoard }: UpdateView,
  timeOf: (epochMs: number) => string,
): string {
  if (updates === "off") return "for no release (UPDATES=off)";
  if (source === null) return "for no release: nobody said where they are (UPDATE_URL)";
  const when = checkedAt === null ? "not yet" : `last on ${timeOf(checkedAt * 1_000)}`;
  const byItself = isUntriedBoard
    ? "installs it at night once one was installed by hand"
    : "installs it at night";
  const then = updates === "auto" ? byItself : "tells of it";
  return `at ${source} once a week, ${when}; ${then}`;
}

function readyText({ bytes, source, state, failedBefore, isSkipped, ...release }: ReadyRelease) {
  const size = bytes === 0 ? [] : [sizeText(bytes)];
  const from = {
    network: "",
    upload: ", uploaded",
    card: ", from the card",
    stick: ", from a stick",
  };
  const words = [
    ...size,
    `${STATES[state]}${from[source]}`,
    ...(failedBefore ? ["it failed here before"] : []),
    ...(isSkipped ? ["left out"] : []),
  ];
  return `${releaseName(release)}: ${words.join(", ")}`;
}

/** `0.3.0 (release 12)` */
export function releaseName({ version, release }: Release): string {
  return `${version} (release ${release})`;
}
