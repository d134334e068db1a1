import { useState } from "preact/hooks";
import { formatDay } from "../../../appliance/base/calendar.ts";
import { medianTime, TIMES, timeText } from "../../../appliance/base/reading.ts";
import { conditionText } from "../../../appliance/base/text/condition.ts";
import { counted, whole } from "../../shared/format.ts";
import { useReading } from "../use-reading.ts";
import { type Row, TOP } from "./breakdown-model.ts";
import { Rows } from "./rows.tsx";
import type { Shown } from "./shown.ts";
import { valueName } from "./values.ts";

/** The least readings of a page whose median is told, unless no page has as many. */
const ENOUGH = 5;

interface ReadPagesProps extends Pick<Shown, "history" | "range" | "token"> {
  origin: string | null;
  ask: (path: string) => void;
}

/** The part of `GET /stats` that is needed. */
interface PagesRead {
  path?: Readonly<Record<string, number>>;
}

/** The pages that were in sight the longest, by the median of what their readings tell. */
export function ReadPages({ history, range, token, origin, ask }: ReadPagesProps) {
  const [copied, copy] = useState<string | null>(null);
  const query = {
    site: history.site,
    source: history.only ? String(history.only.number) : "",
    from: formatDay(range.from),
    to: formatDay(range.to),
  };
  const where = history.where.slice(history.bound.length).map(conditionText);
  // Which pages a time was told of is a question of its own. There are always as many of them.
  const reads = TIMES.map((time) =>
    useReading<PagesRead>("stats", { ...query, where: [...where, `time:is:${time}`] }, token, 0),
  );
  const problem = reads.find((one) => one.problem !== "")?.problem;
  if (problem) return <p role="alert">{problem}</p>;
  if (reads.some(({ answer }) => answer === null)) return <p class="hint">Adding up the times…</p>;
  const pages = pagesOf(reads.map(({ answer }) => answer?.path ?? {}));
  const often = pages.filter(({ readings }) => readings >= ENOUGH);
  const shown = often.length > 0 ? often : pages;
  const longest = shown[0]?.seconds ?? 1;
  const rows = shown.slice(0, TOP).map(
    ({ path, seconds, readings }, place): Row => ({
      value: path,
      place,
      name: valueName("path", path),
      count: readings,
      share: seconds / longest,
      texts: [timeText(seconds), `of ${whole(readings)}`],
      search: path,
    }),
  );
  return (
    <>
      <Rows
        dimension="path"
        counts="Median time"
        rows={rows}
        filter=""
        pressed={NONE}
        starred={NONE}
        star={ask}
        goalUrl={null}
        mergeUrl={null}
        choose={null}
        {...{ origin, ask, copied, copy }}
      />
      {shown.length < pages.length && (
        <p class="hint">
          {counted(pages.length - shown.length, "page")} with fewer than {ENOUGH} readings left out.
        </p>
      )}
    </>
  );
}

const NONE = new Set<string>();

interface ReadPage {
  path: string;
  seconds: number;
  readings: number;
}

/** Pages by their medians, the longest first. @param paths readings by page, for each class of time */
function pagesOf(paths: readonly Readonly<Record<string, number>>[]): ReadPage[] {
  const names = new Set(paths.flatMap((one) => Object.keys(one)));
  names.delete("(other)");
  return [...names]
    .map((path) => {
      const counts = paths.map((one) => one[path] ?? 0);
      const readings = counts.reduce((sum, n) => sum + n, 0);
      return { path, readings, seconds: medianTime(counts) ?? 0 };
    })
    .sort((a, b) => b.seconds - a.seconds || b.readings - a.readings);
}
