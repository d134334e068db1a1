import { kindOfSource, type SourceKind } from "./source-kind.ts";

/** Lines of 16 by 16 units. */
const LINES: Readonly<Record<SourceKind, string>> = {
  direct: "M2 8h8.5M7 4.5 10.5 8 7 11.5M13.5 3v10",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.3 10.3 14 14",
  assistant: "M8 2c.5 4 2 5.5 6 6-4 .5-5.5 2-6 6-.5-4-2-5.5-6-6 4-.5 5.5-2 6-6z",
  social: "M2.5 3h11v7.5h-6l-3 2.5v-2.5h-2z",
  mail: "M2 3.8h12v8.4H2zM2 4.5 8 9l6-4.5",
  other:
    "m6.5 9.5 3-3M7 4.8l1.3-1.3a2.6 2.6 0 0 1 3.7 3.7L10.7 8.5M9 11.2l-1.3 1.3A2.6 2.6 0 0 1 4 8.8l1.3-1.3",
};

/** The sign of a source's kind. */
export function SourceMark({ of }: { of: string }) {
  return (
    <svg class="source-mark" viewBox="0 0 16 16" aria-hidden="true">
      <path d={LINES[kindOfSource(of)]} />
    </svg>
  );
}
