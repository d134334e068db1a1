import { readBytes } from "../../../base/http/body.ts";
import type { Decks } from "../../../deck/decks.ts";
import { IMAGE_BYTES } from "../../../deck/face/image-file.ts";
import type { Images } from "../../../deck/settings/images.ts";
import type { Handler } from "../../route.ts";
import type { ImageAnswer } from "../../wire.ts";

interface ImageParts {
  images: Pick<Images, "add">;
  decks: Pick<Decks, "setUp">;
}

/** `PUT /api/images`, the body being a PNG or a JPEG → `{image}`, its name for a widget. */
export const keepImage: Handler<ImageParts, ImageAnswer> = async (ctx, { images, decks }) => {
  const file = await readBytes(ctx.req, IMAGE_BYTES);
  ctx.body = { image: await images.add(file, imagesOf(decks)) };
};

/** The names of the pictures of keys, on all decks and pages. */
function imagesOf({ setUp }: Pick<Decks, "setUp">): Set<string> {
  const widgets = setUp
    .settings()
    .flatMap(({ pages, fixed }) => [fixed, ...pages.map(({ slots }) => slots)])
    .flatMap((slots) => Object.values(slots))
    .flatMap(({ widget }) => widget ?? []);
  return new Set(widgets.flatMap((widget) => (widget.type === "image" ? widget.image : [])));
}
