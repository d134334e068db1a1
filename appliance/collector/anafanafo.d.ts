declare module "anafanafo" {
  /** The width of `text` in pixels. */
  export default function textWidth(
    text: string,
    options: { font: "11px Verdana"; guess?: boolean },
  ): number;
}
