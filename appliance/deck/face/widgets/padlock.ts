import { ageText, nextAgeText } from "../age.ts";
import { AMBER, chooseColors, dimmed, RED } from "../colors.ts";
import { type FaceContext, isWide, type PublicStanding } from "../face-context.ts";
import type { TextFace } from "../plain.ts";
import { SOFT_BREAK } from "../text-fit.ts";
import type { PlainWidget } from "../widget.ts";

/** Shows the state of the public address: a closed padlock while visitors reach the box by it. */
export function padlockFace(widget: PlainWidget, situation: FaceContext): TextFace {
  const { publicAddress: standing } = situation;
  const own = chooseColors({}, widget);
  if (standing === undefined)
    return { ...padlock("lock-open", "No public address", situation), ...dimmed(own) };
  switch (standing.state) {
    case "live":
      return { ...padlock("lock", reachedText(standing, situation), situation), ...own };
    case "working":
      return { ...padlock("lock-open", wordsOf(standing, situation), situation), ...own };
    case "warning":
      return { ...padlock("lock", wordsOf(standing, situation), situation), ...AMBER };
    case "wrong":
      return { ...padlock("lock-open", wordsOf(standing, situation), situation), ...RED };
  }
}

/** The time at which the shown age changes, in epoch milliseconds. */
export function nextReached({ publicAddress, now }: FaceContext): number | undefined {
  const { state, reachedAt = null } = publicAddress ?? {};
  return state === "live" && reachedAt !== null ? nextAgeText(reachedAt, now) : undefined;
}

function padlock(
  name: string,
  text: string,
  { icons }: FaceContext,
): Omit<TextFace, "color" | "background"> {
  const icon = icons?.path(name);
  return { kind: "text", text, ...(icon !== undefined && { icon }) };
}

function reachedText({ name, reachedAt }: PublicStanding, situation: FaceContext): string {
  // A name is broken where it is put together.
  if (reachedAt === null) return name.replaceAll(".", `${SOFT_BREAK}.`);
  const reached = `reached ${ageText(reachedAt, situation.now)} ago`;
  return isWide(situation) ? `${name}\n${reached}` : reached;
}

function wordsOf({ words, sentence }: PublicStanding, situation: FaceContext): string {
  return isWide(situation) ? sentence : words;
}
