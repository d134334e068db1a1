const WHOLE = new Intl.NumberFormat("en");
const BRIEF = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
const RATIO = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const PERCENT = new Intl.NumberFormat("en", {
  style: "percent",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

/** The sign in the place of a figure that has no base. */
export const NO_FIGURE = "–";

/** `1,234` */
export const whole = (n: number): string => WHOLE.format(n);

/** `12.3 M` */
export const brief = (n: number): string => BRIEF.format(n).replace(/(?=[A-Z])/, "\u00a0");

/** `1.83` */
export const ratio = (n: number): string => RATIO.format(n);

/**
 * A share of one → `12.5%`, `8.0%`. Only none is `0%`, and only all is `100%`; values that would round to them are
 * `<0.1%` and `>99.9%`.
 */
export function percent(share: number): string {
  if (share === 0 || share === 1) return `${share * 100}%`;
  if (share > 0 && share < 0.0005) return "<0.1%";
  return share >= 0.9995 && share < 1 ? ">99.9%" : PERCENT.format(share);
}

/** `1 view`, `2 views` */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${whole(n)} ${n === 1 ? one : many}`;
}

/** `−14`, `0`, `62` */
export const signed = (n: number): string => WHOLE.format(n).replace("-", "−");
