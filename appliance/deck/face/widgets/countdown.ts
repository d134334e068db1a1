import { chooseColors, dimmed } from "../colors.ts";
import type { FaceContext } from "../face-context.ts";
import { type FigureFace, figureOf } from "../plain.ts";
import type { CountdownWidget } from "../widget.ts";

const [SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS] = [1_000, 60_000, 3_600_000, 86_400_000];

/** Shows the time until a channel's value expires, or until it is late or down. */
export function countdownFace(widget: CountdownWidget, situation: FaceContext): FigureFace {
  const { channel, label = channel } = widget;
  const colors = chooseColors({}, widget);
  const left = timeLeft(situation);
  if (situation.value === undefined) return figureOf(dimmed(colors), label, "…");
  if (left === undefined) return figureOf(dimmed(colors), label, "–", "no end");
  return left === 0
    ? figureOf(dimmed(colors), label, "0:00")
    : figureOf(colors, label, inWords(left));
}

/** The time of the next change of the face, in epoch milliseconds. */
export function nextCount(situation: FaceContext): number | undefined {
  const left = timeLeft(situation);
  if (left === undefined || left === 0) return undefined;
  const step = left > HOUR_MS ? MINUTE_MS : SECOND_MS;
  return situation.now + (left % step || step);
}

/** Milliseconds; 0 when it is over, undefined when there is no end. */
function timeLeft({ value, now }: FaceContext): number | undefined {
  const ends = value?.stepsAt ?? value?.expiresAt ?? undefined;
  return ends === undefined ? undefined : Math.max(0, ends - now);
}

/** `4:59`, `2 h 05`, `3 d 4 h`: begun seconds and minutes count. */
function inWords(ms: number): string {
  const two = (number: number) => String(number).padStart(2, "0");
  if (ms <= HOUR_MS) {
    const seconds = Math.ceil(ms / SECOND_MS);
    return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
  }
  const minutes = Math.ceil(ms / MINUTE_MS);
  if (ms <= DAY_MS) return `${Math.floor(minutes / 60)} h ${two(minutes % 60)}`;
  return `${Math.floor(minutes / 1_440)} d ${Math.floor((minutes % 1_440) / 60)} h`;
}
