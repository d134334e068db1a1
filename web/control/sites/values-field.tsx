import { useEffect, useState } from "preact/hooks";
import {
  MAX_VALUE_RULES,
  MERGEABLE,
  ONE_OF,
  type ValueRule,
} from "../../../appliance/base/text/dimensions.ts";
import type { ValueRulesAnswer } from "../../../appliance/control/wire.ts";
import type { DraftOf } from "../../shared/draft.ts";
import { whole } from "../../shared/format.ts";
import { ask } from "../api.ts";
import { Problem, VERBATIM } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { Entries } from "./list-field.tsx";
import { Section } from "./section.tsx";

interface ValuesFieldProps {
  /** the path of the site in the control API */
  site: string;
  draft: DraftOf<"value"> | null;
}

/** The values of a site that count as others: a page that moved, a source with two names. */
export function ValuesField({ site, draft }: ValuesFieldProps) {
  const { busy, problem, run } = useAction();
  const [rules, setRules] = useState<readonly ValueRule[] | undefined>();
  const tell = async (answer: Promise<ValueRulesAnswer>) => setRules((await answer).rules);
  useEffect(() => void run(() => tell(ask("GET", `${site}/values`))), [site]);
  const change = (next: readonly ValueRule[]) => {
    const added = next.find((rule) => !rules?.includes(rule));
    const gone = rules?.find((rule) => !next.includes(rule));
    const { dimension, from } = gone ?? {};
    return run(() =>
      tell(
        added
          ? ask("POST", `${site}/values/merge`, added)
          : ask("POST", `${site}/values/forget`, { dimension, from }),
      ),
    );
  };
  return (
    <Section
      title="Values made one"
      state={rules && (rules.length === 0 ? "none" : whole(rules.length))}
      isOpen={draft !== null}
    >
      <Entries<ValueRule>
        {...{ entries: rules, busy, change }}
        most={MAX_VALUE_RULES}
        hint={
          <>
            Two values that are one thing, such as a page that moved, become one: in all that is
            counted already, which cannot be undone, and in what comes, until the rule is removed.
            Whoever saw both counts twice.
          </>
        }
        filled={draft && { dimension: draft.of, from: draft.value }}
        nameOf={({ from }) => from}
        show={({ dimension, from, to }) => (
          <span dir="auto">
            {from} → {to} <small>{ONE_OF[dimension].toLowerCase()}</small>
          </span>
        )}
        read={(given) => ({
          dimension: String(given.get("dimension")) as ValueRule["dimension"],
          from: String(given.get("from")),
          to: String(given.get("to")),
        })}
      >
        <select name="dimension" aria-label="Kind of value">
          {MERGEABLE.map((name) => (
            <option key={name} value={name}>
              {ONE_OF[name]}
            </option>
          ))}
        </select>
        <input name="from" required aria-label="Value that goes" placeholder="/old" {...VERBATIM} />
        <input name="to" required aria-label="Value that stays" placeholder="/new" {...VERBATIM} />
      </Entries>
      <Problem text={problem} />
    </Section>
  );
}
