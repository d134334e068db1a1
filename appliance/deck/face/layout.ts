import type { Face } from "./face.ts";
import { layoutPlain } from "./plain.ts";
import type { Fonts, Shape } from "./shapes.ts";
import type { TextBox } from "./text-fit.ts";
import { layoutAddress } from "./widgets/address.ts";
import { layoutGauge } from "./widgets/gauge.ts";
import { layoutImage } from "./widgets/image.ts";
import { layoutStat } from "./widgets/stat.ts";

/** Lays a face out: what to draw on its background, in order. */
export function layout(face: Face, size: TextBox, fonts: Fonts): Shape[] {
  switch (face.kind) {
    case "stat":
      return layoutStat(face, size, fonts);
    case "gauge":
    case "bar":
      return layoutGauge(face, size, fonts);
    case "image":
      return layoutImage(face);
    case "address":
      return layoutAddress(face, size, fonts);
    default:
      return layoutPlain(face, size, fonts);
  }
}
