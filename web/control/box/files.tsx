import { useRef } from "preact/hooks";
import { download } from "../../shared/download.ts";
import { askRaw } from "../api.ts";

/** Saves an answer of the box as a file. */
export async function saveFile(path: string, name: string): Promise<void> {
  const response = await askRaw("GET", path);
  download(name, "application/json", [await response.text()]);
}

interface FileButtonProps {
  label: string;
  accept: string;
  disabled: boolean;
  onFile: (file: File) => void;
}

/** A button that opens the choice of a file. */
export function FileButton({ label, accept, disabled, onFile }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" disabled={disabled} onClick={() => input.current?.click()}>
        {label}
      </button>
      <input
        ref={input}
        type="file"
        accept={accept}
        hidden
        aria-label={label}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          event.currentTarget.value = "";
          if (file) onFile(file);
        }}
      />
    </>
  );
}
