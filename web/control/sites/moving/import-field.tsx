import { useEffect, useRef, useState } from "preact/hooks";
import type {
  ImportOptions,
  ImportsAnswer,
  ImportUpload,
} from "../../../../appliance/control/wire.ts";
import { counted } from "../../../shared/format.ts";
import { Help } from "../../../shared/help.tsx";
import { ask } from "../../api.ts";
import { FileButton } from "../../box/files.tsx";
import { Problem } from "../../parts.tsx";
import { useAction } from "../../use-action.ts";
import { Section } from "../section.tsx";
import { ImportUploadPart } from "./import-upload.tsx";
import { ImportsList } from "./imports-list.tsx";
import { isSent, sendFile, stopSending, uploadPath } from "./send-file.ts";

/** The time after which to look how an upload is, where somebody else changes it. */
const PAUSE_MS: Partial<Record<ImportUpload["state"], number>> = {
  reading: 500,
  writing: 500,
  sending: 2_000,
};

/** Brings what another tool has counted into a site, and lists what was brought. */
export function ImportField({ site }: { site: string }) {
  const { busy, problem, run } = useAction();
  const [answer, setAnswer] = useState<ImportsAnswer | null>(null);
  const [wishes, setWishes] = useState<ImportOptions>({});
  const panel = useRef<HTMLDivElement>(null);
  const path = `api/sites/${site}`;
  const upload = answer?.upload ?? null;
  const isFree = upload === null || upload.state === "done";

  const read = async () => setAnswer(await ask<ImportsAnswer>("GET", `${path}/imports`));
  const keep = (now: ImportUpload) => setAnswer((before) => before && { ...before, upload: now });
  const inspect = async (of: ImportUpload, by: ImportOptions) => {
    setWishes(by);
    keep(await ask<ImportUpload>("POST", `${uploadPath(of)}/inspect`, by));
  };
  const send = async (file: File, begun: ImportUpload) => {
    keep(begun);
    if (await sendFile(file, begun, keep)) await inspect(begun, {});
  };
  const begin = async (file: File) => {
    const named = { name: file.name, size: file.size };
    await send(file, await ask<ImportUpload>("POST", `${path}/uploads`, named));
  };
  const take = (file: File) => run(() => begin(file));
  const takeAnother = (file: File, before: ImportUpload) =>
    run(async () => {
      await ask("DELETE", uploadPath(before));
      await begin(file);
    });
  const goOn = (file: File, begun: ImportUpload) =>
    run(async () => {
      if (file.size !== begun.size || file.name !== begun.name)
        throw new Error(`This is another file. Choose ${begun.name}, or cancel first.`);
      await send(file, await ask<ImportUpload>("GET", uploadPath(begun)));
    });
  const bring = (of: ImportUpload, replace: boolean) =>
    run(async () =>
      keep(await ask<ImportUpload>("POST", `${uploadPath(of)}/bring`, { ...wishes, replace })),
    );
  const cancel = async (of: ImportUpload) => {
    stopSending(of.id);
    await run(() => ask("DELETE", uploadPath(of)));
    await run(read);
  };

  useEffect(() => void run(read), []);
  const everyMs = upload === null ? undefined : PAUSE_MS[upload.state];
  useEffect(() => {
    if (upload === null || everyMs === undefined) return;
    const look = () => ask<ImportUpload>("GET", uploadPath(upload)).then(keep, () => run(read));
    const timer = setInterval(() => void look(), everyMs);
    return () => clearInterval(timer);
  }, [upload?.id, everyMs]);
  useEffect(() => {
    if (upload?.state === "done") void run(read);
    // The button that had the focus is gone.
    if (upload !== null && document.activeElement === document.body)
      panel.current?.focus({ preventScroll: true });
  }, [upload?.id, upload?.state]);

  return (
    <Section title="Import" state={answer === null ? undefined : headingOf(answer, site)}>
      {answer !== null && (
        <div class="stack moving" ref={panel} tabIndex={-1}>
          {upload !== null && (
            <ImportUploadPart
              site={site}
              upload={upload}
              wishes={wishes}
              busy={busy && !isSent(upload.id)}
              onRead={(by) => void run(() => inspect(upload, by))}
              onImport={(replace) => void bring(upload, replace)}
              onAnother={(file) => void takeAnother(file, upload)}
              onGoOn={(file) => void goOn(file, upload)}
              onCancel={() => void cancel(upload)}
            />
          )}
          {isFree && <Drop busy={busy} onFile={(file) => void take(file)} />}
          <Problem text={problem} />
          {answer.imports.length > 0 && (
            <ImportsList site={site} imports={answer.imports} onDeleted={read} />
          )}
        </div>
      )}
    </Section>
  );
}

function headingOf({ imports, upload }: ImportsAnswer, site: string): string {
  if (upload !== null && upload.site === site && upload.state !== "done") return "a file waits";
  return imports.length === 0 ? "none" : counted(imports.length, "file");
}

/** A place for a file, chosen or dropped. */
function Drop({ busy, onFile }: { busy: boolean; onFile: (file: File) => void }) {
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer?.files ?? [];
    if (file !== undefined && !busy) onFile(file);
  };
  return (
    // The button in it does the same by keyboard.
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    <div
      class={`drop stack${isOver ? " over" : ""}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <p class="hint">
        What Plausible, GoatCounter, Umami, the log of a web server or another Tallydeck has counted
        becomes days of this site. You see first what it is. What was counted here is never changed.
      </p>
      <div class="row">
        <FileButton label="Choose a file…" accept="" disabled={busy} onFile={onFile} />
        <span class="hint">or drop it here</span>
        <span class="spacer" />
        <Help of="moving" about="Import" />
      </div>
    </div>
  );
}
