import { useEffect, useState } from "preact/hooks";
import { BOUNDS } from "../../../../appliance/base/bounds.ts";
import type { ImageAnswer, ImageWidget } from "../../../../appliance/control/wire.ts";
import { ask } from "../../api.ts";
import { Labelled, Problem } from "../../parts.tsx";
import { useAction } from "../../use-action.ts";
import type { FieldsProps } from "./widgets.ts";

/** Which picture: it is uploaded as soon as it is chosen. */
export function ImageFields({ widget, onEdit }: FieldsProps<ImageWidget>) {
  const { problem, run } = useAction();
  const [preview, setPreview] = useState("");
  useEffect(() => () => URL.revokeObjectURL(preview), [preview]);
  const upload = (file: File) =>
    run(async () => {
      const { image } = await ask<ImageAnswer>("PUT", "api/images", file);
      setPreview(URL.createObjectURL(file));
      onEdit({ ...widget, image });
    });
  return (
    <>
      <Labelled
        label="Picture"
        hint={`A PNG or JPEG of up to ${BOUNDS.images.bytes / 1_024} kB. It is fitted to the key.`}
      >
        {(at) => (
          <input
            {...at}
            type="file"
            accept="image/png,image/jpeg"
            onChange={(event) => {
              const [file] = event.currentTarget.files ?? [];
              if (file) void upload(file);
            }}
          />
        )}
      </Labelled>
      <Problem text={problem} />
      {preview !== "" && <img class="preview" src={preview} alt="What was chosen" />}
    </>
  );
}
