import { parseDay } from "../../../../appliance/base/calendar.ts";
import type { ImportOptions, UploadPreview } from "../../../../appliance/control/wire.ts";
import { weekdayAndDay } from "../../../shared/dates.ts";
import { Field } from "../../../shared/field.tsx";
import { counted, whole } from "../../../shared/format.ts";
import { WeekLine } from "../../../shared/week-line.tsx";
import { AskFirst } from "../../confirm.tsx";
import { Fact, Form, Input } from "../../parts.tsx";
import { daysName, leftOutLines, replacedBy, totalsText } from "./import-words.ts";

interface ImportPreviewProps {
  site: string;
  preview: UploadPreview;
  busy: boolean;
  onImport: (replace: boolean) => void;
}

/** The contents of a file, and a button to bring them. */
export function ImportPreview({ site, preview, busy, onImport }: ImportPreviewProps) {
  const { brings } = preview;
  const left = leftOutLines(preview);
  const replaced = replacedBy(preview);
  const isReplacing = replaced.days > 0;
  const isNew = brings !== null && (brings.fresh > 0 || isReplacing);
  return (
    <>
      <dl class="facts">
        <Fact name="It is">{preview.format}</Fact>
        <Fact name="Days">
          {daysName(preview)}
          <small>{counted(preview.days, "day")} with counts</small>
        </Fact>
        <Fact name="In all">{totalsText(preview.totals)}</Fact>
        <Fact name="Days begin in">
          {preview.zone}
          {preview.isZoneGuessed && <small>the file does not say it: name another below</small>}
        </Fact>
      </dl>
      <DaysChart preview={preview} />
      {left.length > 0 && (
        <div>
          <p>Left out:</p>
          <ul class="plain">
            {left.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      )}
      {preview.notes.map((note) => (
        <p key={note} class="notice">
          {note}
        </p>
      ))}
      {isReplacing && <p class="notice">{replaced.text}</p>}
      {brings === null ? (
        <p class="notice">Nothing of it can be imported into {site}.</p>
      ) : isNew ? (
        <div class="row">
          <AskFirst
            label={`Import ${counted(brings.fresh, "day")}${isReplacing ? "…" : ""}`}
            class="primary"
            disabled={busy}
            asks={isReplacing}
            title={`Replace these ${counted(replaced.days, "day")}?`}
            text={`${replaced.text} This file takes their place. What was counted here stays as it is.`}
            yes="Replace"
            onYes={() => onImport(isReplacing)}
          />
          <span class="hint">{daysName(brings)}</span>
        </div>
      ) : (
        <p class="notice">All of it is here already: {counted(brings.days, "day")}.</p>
      )}
    </>
  );
}

function DaysChart({ preview: { perDay, totals, from } }: { preview: UploadPreview }) {
  const most = Math.max(...perDay);
  const day = weekdayAndDay((parseDay(from) ?? 0) + perDay.indexOf(most));
  const what = totals.views === null ? "Sessions" : "Views";
  return (
    <figure class="days-chart">
      <WeekLine days={perDay.length === 1 ? [most, most] : perDay} areOver />
      <figcaption class="hint">
        {what} by day: {whole(most)} at most, on {day}.
      </figcaption>
    </figure>
  );
}

interface WishesFormProps {
  /** as the file was read last */
  wishes: ImportOptions;
  /** a problem that these may solve is there */
  isOpen: boolean;
  busy: boolean;
  onRead: (wishes: ImportOptions) => void;
}

/** The choices of the owner about a file, which is read anew by them. */
export function ImportForm({ wishes, isOpen, busy, onRead }: WishesFormProps) {
  const submit = (form: HTMLFormElement) => {
    const entries = [...new FormData(form)].map(
      ([name, value]) => [name, String(value).trim()] as const,
    );
    onRead(Object.fromEntries(entries.filter(([, text]) => text !== "")));
  };
  return (
    <details open={isOpen}>
      <summary>Other days, or another zone or shape of a log</summary>
      <Form onSubmit={({ currentTarget }) => submit(currentTarget)}>
        <div class="row">
          <Input label="From" type="date" name="from" defaultValue={wishes.from ?? ""} />
          <Input label="To" type="date" name="to" defaultValue={wishes.to ?? ""} />
        </div>
        <p class="hint">
          Without days, those before the first one that was counted here. Days that are named fill
          gaps; what was counted here is never changed.
        </p>
        <Field
          label="Days of the file begin at midnight in"
          name="zone"
          initial={wishes.zone ?? ""}
          placeholder="Europe/Zurich"
          hint="Where the file does not say it."
        />
        <Field
          label="Host"
          name="host"
          initial={wishes.host ?? ""}
          placeholder="example.com"
          hint="Of an access log with several."
        />
        <Field
          label="Lines of the log"
          name="logFormat"
          initial={wishes.logFormat ?? ""}
          placeholder={'$remote_addr [$time_local] "$request" $status'}
          hint="As --log-format, where the shape of an access log is not known."
        />
        <div class="row">
          <button type="submit" disabled={busy}>
            Read again
          </button>
        </div>
      </Form>
    </details>
  );
}
