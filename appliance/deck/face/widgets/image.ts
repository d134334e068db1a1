import { chooseColors, dimmed } from "../colors.ts";
import type { FaceContext, FittedImage } from "../face-context.ts";
import type { PlainFace } from "../plain.ts";
import type { Shape } from "../shapes.ts";
import type { TextBox } from "../text-fit.ts";
import type { ImageWidget } from "../widget.ts";

export interface ImageFace {
  kind: "image";
  image: FittedImage;
  background: string;
}

export function imageFace(widget: ImageWidget, { image }: FaceContext): ImageFace | PlainFace {
  const colors = chooseColors({}, widget);
  if (image === "missing") return { kind: "text", text: "Picture\nmissing", ...dimmed(colors) };
  if (image === undefined) return { kind: "text", text: "…", ...dimmed(colors) };
  return { kind: "image", image, background: colors.background };
}

/** The picture, which has the slot's size already, or as many times that as the painter asked for. */
export function layoutImage({ image }: ImageFace, size: TextBox): Shape[] {
  return [{ kind: "pixels", pixels: image.pixels, ...size }];
}
