import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import {
  type Condition,
  conditionText,
  isOfPart,
  TEST_NAMES,
  TESTS,
} from "../../../appliance/base/text/condition.ts";
import { ONE_OF } from "../../../appliance/base/text/dimensions.ts";
import { whole } from "../../shared/format.ts";
import { WeekLine } from "../../shared/week-line.tsx";
import { trendOf } from "../traffic/chart/trend-model.ts";
import { totalText } from "../traffic/figures.ts";
import type { Shown } from "../traffic/shown.ts";
import { valueLabel } from "../traffic/values.ts";
import type { View } from "../view.ts";
import { alike, isFree } from "./where.ts";

interface AskingProps
  extends Pick<Shown, "history" | "range" | "compared" | "where" | "metric" | "now" | "change"> {
  tab: View["tab"];
  isOld: boolean;
  /** the reason of a refused request; null without one */
  refusal: string | null;
}

/**
 * A chip for each condition, and below them a note about the accuracy of the answer. It stays on the screen; where the chart
 * does not, a small line stands in for it.
 */
export function Asking({ where, metric, now, change, ...props }: AskingProps) {
  const { history, range } = props;
  const [isAway, setAway] = useState(false);
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) =>
      setAway(entry !== undefined && !entry.isIntersecting),
    );
    const chart = document.querySelector(".trend");
    if (chart) observer.observe(chart);
    else setAway(false);
    return () => observer.disconnect();
  }, [props.tab]);
  // The list of the pressed row may be shorter now: the row stays below the bar.
  useLayoutEffect(() => {
    const row = document.activeElement?.closest("tbody tr");
    const covered = bar.current && row ? bottomOf(bar.current) - topOf(row) : 0;
    if (covered > 0) scrollBy({ top: -covered - GAP, behavior: "instant" });
  }, [history.where, where]);
  const days = useMemo(() => {
    const { lines } = trendOf(history, { range, compared: null, metric, bots: false, now });
    return (lines[0]?.values ?? []).map((value) => value ?? 0);
  }, [history, range, metric, now]);

  const replace = (old: Condition[], by: Condition[]) =>
    change({
      where: where.flatMap((one) => (one === old[0] ? by : old.includes(one) ? [] : [one])),
    });
  const isOwn = isFree(history.bound);
  const chips = alike(where);
  return (
    <section ref={bar} class={`asking ${isAway ? "away" : ""}`} aria-label="Filters">
      <ul class="chips">
        {chips.map((group) =>
          group.slice(0, 1).map((one) => (
            <Chip
              key={conditionText(one)}
              condition={one}
              isBound={!group.every(isOwn)}
              // A test for a part takes one spelling of a value; others take all, which must hold together for `not`.
              onChange={(part) =>
                replace(
                  group,
                  (part.test && isOfPart(part.test) ? [one] : group).map((each) => ({
                    ...each,
                    ...part,
                  })),
                )
              }
              onRemove={() => replace(group, [])}
            />
          )),
        )}
        {chips.filter((group) => group.every(isOwn)).length > 1 && (
          <li>
            <button type="button" class="quiet" onClick={() => change({ where: [] })}>
              Show everything
            </button>
          </li>
        )}
      </ul>
      <p class="hint" role="status">
        <Worth {...props} change={change} />
      </p>
      <p class="glance">
        {totalText(history, metric, range)}
        <WeekLine days={days} />
      </p>
    </section>
  );
}

const GAP = 8;

const topOf = (element: Element): number => element.getBoundingClientRect().top;
const bottomOf = (element: Element): number => element.getBoundingClientRect().bottom;

interface ChipProps {
  condition: Condition;
  /** a shared link shows nothing else */
  isBound: boolean;
  onChange: (part: Partial<Condition>) => void;
  onRemove: () => void;
}

function Chip({ condition: { dimension, test, value }, isBound, onChange, onRemove }: ChipProps) {
  const label = valueLabel(dimension, value);
  const name = ONE_OF[dimension];
  if (isBound)
    return (
      <li class="chip bound" title="This link shows nothing else">
        Only {name} {TEST_NAMES[test]}
        <b dir="auto">{label}</b>
      </li>
    );
  return (
    <li class="chip">
      {name}
      <select
        aria-label={`${name} ${label}: how it is compared`}
        value={test}
        onChange={({ currentTarget }) =>
          onChange({ test: TESTS.find((one) => one === currentTarget.value) ?? "is" })
        }
      >
        {TESTS.map((one) => (
          <option key={one} value={one}>
            {TEST_NAMES[one]}
          </option>
        ))}
      </select>
      {isOfPart(test) ? (
        <input
          aria-label={`${name} ${TEST_NAMES[test]}`}
          dir="auto"
          size={Math.min(24, value.length + 1)}
          defaultValue={value}
          spellcheck={false}
          onChange={({ currentTarget }) =>
            currentTarget.value === "" ? onRemove() : onChange({ value: currentTarget.value })
          }
        />
      ) : (
        <b dir="auto" title={value}>
          {label}
        </b>
      )}
      <button
        type="button"
        class="quiet"
        aria-label={`Take away ${name} ${TEST_NAMES[test]} ${label}`}
        title="Key: Esc takes the newest away"
        onClick={onRemove}
      >
        ×
      </button>
    </li>
  );
}

type WorthProps = Omit<AskingProps, "where" | "metric" | "now">;

/** Whether days compared with count, and the size of the sample; or the reason for a refusal. */
function Worth({ history, range, compared, tab, isOld, refusal, change }: WorthProps) {
  if (refusal !== null)
    return (
      <>
        {refusal} What you see is from before.{" "}
        <button type="button" onClick={() => change({ where: [...history.where] })}>
          Take it back
        </button>
      </>
    );
  if (isOld) return <span aria-hidden="true">Counting…</span>;
  if (tab === "surveys") return <>Surveys are of everybody: filters are for traffic.</>;
  const { since, sampled, margin, last } = history;
  if (since > last) return <>No day is kept in a form that can be filtered.</>;
  return (
    <>
      {since <= range.from &&
        since > (compared?.from ?? since) &&
        "The days compared with cannot be filtered. "}
      {sampled > 1 && `1 in ${sampled} counted, scaled: pageviews ±${whole(margin)}. `}
    </>
  );
}
