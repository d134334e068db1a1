import { memoize } from "../../../base/memoize.ts";
import { type Colors, chooseColors, dimmed } from "../colors.ts";
import { type FaceContext, isWide } from "../face-context.ts";
import { type FigureFace, figureOf, type TextFace } from "../plain.ts";
import type { WorldclockWidget } from "../widget.ts";

const NO_DATE = "–";
/** Keys show few; a format takes some 65 kB. */
const ZONES_KEPT = 8;

/** The box's time. */
export function clockFace({ now, clockSure, timeZone }: FaceContext, colors: Colors): TextFace {
  if (!clockSure) return { kind: "text", text: "--:--", ...dimmed(colors) };
  return { kind: "text", text: timeIn(now, timeZone), ...colors };
}

/** The time and the weekday in another zone. */
export function worldclockFace(
  widget: WorldclockWidget,
  { now, clockSure }: FaceContext,
): FigureFace {
  const { timeZone, label = cityOf(timeZone) } = widget;
  const colors = chooseColors({}, widget);
  if (!clockSure) return figureOf(dimmed(colors), label, "--:--");
  const [day] = weekdayParts(now, timeZone);
  return figureOf(colors, label, timeIn(now, timeZone), day?.value);
}

/** `America/Argentina/Buenos_Aires` → `Buenos Aires` */
export function cityOf(timeZone: string): string {
  return (timeZone.split("/").at(-1) ?? timeZone).replaceAll("_", " ");
}

/** `14:05` */
export function timeIn(now: number, timeZone: string): string {
  const time = timeParts(now, timeZone).map(({ value }) => value);
  return time.join("");
}

/** Whether clocks of two zones show the same day and time. */
export function showSame(now: number, zone: string, other: string): boolean {
  const shown = (name: string) =>
    [dateParts, timeParts].flatMap((parts) => parts(now, name).map(({ value }) => value)).join();
  return zone === other || shown(zone) === shown(other);
}

/** The day in the box's zone. */
export function dateFace(situation: FaceContext, colors: Colors): FigureFace {
  const { now, clockSure, timeZone } = situation;
  if (!clockSure) return figureOf(dimmed(colors), "Date", NO_DATE);
  const named = Object.fromEntries(
    dateParts(now, timeZone).map(({ type, value }) => [type, value]),
  );
  const { weekday = "", day = "", month = "" } = named;
  return isWide(situation)
    ? figureOf(colors, weekday, `${day} ${month}`)
    : figureOf(colors, weekday.slice(0, 3), day, month);
}

const timeParts = partsBy({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const weekdayParts = partsBy({ weekday: "short" });
const dateParts = partsBy({ weekday: "long", day: "numeric", month: "short" });

/** Formats are cached, since creating one takes longer than all other work of a key with the time. */
function partsBy(options: Intl.DateTimeFormatOptions) {
  const formatOf = memoize(
    (timeZone) => new Intl.DateTimeFormat("en", { ...options, timeZone }),
    2 * ZONES_KEPT,
  );
  return (now: number, timeZone: string) => formatOf(timeZone).formatToParts(now);
}
