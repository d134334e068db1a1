import { HOUR_MS } from "../../base/calendar.ts";
import type { Clock } from "../../base/clock.ts";
import type { Listenable } from "../../base/signal.ts";
import { outcomeText } from "../../base/text/update-outcome.ts";
import type { StandingSource } from "../../box/box-notices.ts";
import type { UpdateStanding } from "../../deck/face/notices.ts";
import type { UpdateView } from "../../links/updates/view.ts";
import { isRestart } from "../../links/updates/view-of.ts";

/** The time for which a success is shown. A failure is shown until the owner has seen it. */
const TOLD_MS = HOUR_MS;
/** A restart is announced at the box so long before. */
const SOON_MS = HOUR_MS / 4;

export function updatesOnBoard(
  updates: { readonly changed: Listenable; view(): UpdateView | undefined },
  clock: Pick<Clock, "now">,
): StandingSource<UpdateStanding> {
  return {
    changed: updates.changed,
    standing() {
      const view = updates.view();
      return view && standingOf(view, clock.now());
    },
  };
}

/** The notice to show now, the most urgent first. */
function standingOf(view: UpdateView, now: number): UpdateStanding | undefined {
  return (
    systemStanding(view) ??
    restartStanding(view, now) ??
    failureStanding(view) ??
    workStanding(view) ??
    successStanding(view, now) ??
    readyStanding(view)
  );
}

/** The state of a box that is about to restart, or runs a release on trial. */
function systemStanding({ mode, progress, running, next }: UpdateView): UpdateStanding | undefined {
  if (progress !== null && isRestart(progress))
    return says(
      "away",
      ["Updating", "back in 2 min"],
      `The box restarts into ${next?.version}: back in about two minutes.`,
    );
  if (mode === "trial")
    return says(
      "news",
      ["Update", running.version, "on trial"],
      `${running.version} runs on trial: the box keeps it once all was well for two minutes.`,
    );
  if (mode === "visit")
    return says(
      "warning",
      ["Visiting", running.version],
      `${running.version} was started by the jumper on pins 5 and 6, or by somebody else. The next start without the jumper is as ever.`,
    );
  return undefined;
}

function restartStanding(
  { restartsAt, next }: UpdateView,
  now: number,
): UpdateStanding | undefined {
  if (restartsAt === null || next === null) return undefined;
  const { version } = next;
  const [weight, bottom, when] =
    restartsAt - now < SOON_MS
      ? (["news", "soon", "soon"] as const)
      : (["hint", "at 4", "at 4 at night"] as const);
  const sentence = `The box restarts into ${version} ${when}. The Web UI can cancel it.`;
  return says(weight, ["Update", version, bottom], sentence);
}

function failureStanding({ last, running }: UpdateView): UpdateStanding | undefined {
  if (last === null || last.isSeen) return undefined;
  const { kind, version, reason } = last;
  const sentence = outcomeText(last, running.version);
  const because = (top: string, otherwise: string): UpdateStanding => {
    const main = (reason ?? otherwise).replace(/\.$/, "");
    return says("warning", [top, main], sentence);
  };
  switch (kind) {
    case "failed":
      return because("Went back", `${version} was not well`);
    case "refused":
      return because("Not taken", version);
    case "interrupted":
      return says("warning", ["Update", version, "interrupted"], sentence);
    default:
      return undefined;
  }
}

const STEPS: Readonly<Record<NonNullable<UpdateView["progress"]>["step"], string>> = {
  download: "is fetched",
  verify: "is checked",
  write: "is written",
  "read-back": "is read back",
  arm: "",
  restart: "",
};

function workStanding({ progress, next }: UpdateView): UpdateStanding | undefined {
  if (progress === null || next === null) return undefined;
  const { version } = next;
  const does = STEPS[progress.step];
  return says("hint", ["Update", version, does], `Update ${version} ${does}.`);
}

function successStanding({ last, running }: UpdateView, now: number): UpdateStanding | undefined {
  if (last === null || last.isSeen || now - last.at * 1_000 > TOLD_MS) return undefined;
  const { kind, version } = last;
  if (kind !== "updated" && kind !== "back") return undefined;
  const sentence = outcomeText(last, running.version);
  const top = kind === "updated" ? "Updated" : "Went back";
  return says("news", [top, version], sentence);
}

function readyStanding({ ready }: UpdateView): UpdateStanding | undefined {
  if (ready === null || ready.isSkipped || ready.failedBefore) return undefined;
  const sentence = `Update ${ready.version} is ready: see Box in the Web UI.`;
  return says("hint", ["Update", ready.version, "ready"], sentence);
}

function says(
  weight: UpdateStanding["weight"],
  [top, main, bottom = ""]: readonly [top: string, main: string, bottom?: string],
  sentence: string,
): UpdateStanding {
  return { weight, top, main, bottom, sentence };
}
