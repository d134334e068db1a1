import { useEffect, useState } from "preact/hooks";
import { LEFT_OUT_LIMITS } from "../../../appliance/base/text/left-out.ts";
import type { SeenHostsAnswer, StaysOut } from "../../../appliance/control/wire.ts";
import { counted } from "../../shared/format.ts";
import { ask } from "../api.ts";
import { Problem, VERBATIM } from "../parts.tsx";
import { Entries } from "./list-field.tsx";
import { Section } from "./section.tsx";
import { useSetting } from "./use-setting.ts";

type List = keyof StaysOut;

const LISTS: readonly {
  readonly name: List;
  /** of what is added */
  readonly label: string;
  /** of the list, before the hint */
  readonly title: string;
  readonly hint: string;
  readonly example: string;
  readonly most: number;
}[] = [
  {
    name: "hosts",
    label: "Host that counts",
    title: "Hosts",
    hint: "that count; with none, all do. Whoever copies the tag onto another site counts nothing here then.",
    example: "*.example.org",
    most: LEFT_OUT_LIMITS.host,
  },
  {
    name: "paths",
    label: "Path that does not count",
    title: "Pages",
    hint: "that do not count. A star at the end takes in all that begin so.",
    example: "/preview/*",
    most: LEFT_OUT_LIMITS.path,
  },
  {
    name: "referrers",
    label: "Referrer that does not count",
    title: "Referrers",
    hint: "that do not count: domains, each with all below.",
    example: "spam.example",
    most: LEFT_OUT_LIMITS.referrer,
  },
  {
    name: "countries",
    label: "Country that does not count",
    title: "Countries",
    hint: "that do not count, by their two letters.",
    example: "CH",
    most: 2,
  },
];

/** The views and events of a site that do not count. */
export function LeftOutField({ site }: { site: string }) {
  const { busy, problem, kept, save } = useSetting<StaysOut>(`${site}/left-out`);
  return (
    <Section title="What stays out" state={kept === null ? undefined : headingOf(kept)}>
      {kept !== null && (
        <>
          <p class="hint">
            What stays out counts as “left out” and as nothing else, from now on. What is counted
            already stays.
          </p>
          {LISTS.map(({ name, label, title, hint, example, most }) => (
            <div key={name} class="stack">
              <Entries<string>
                entries={kept[name]}
                busy={busy}
                most={LEFT_OUT_LIMITS.entries}
                change={(entries) => save({ ...kept, [name]: entries })}
                hint={
                  <>
                    <strong>{title}</strong> {hint}
                  </>
                }
                nameOf={(entry) => entry}
                show={(entry) => <bdi>{entry}</bdi>}
                read={(given) => String(given.get("entry")).trim()}
              >
                <input
                  name="entry"
                  required
                  aria-label={label}
                  placeholder={example}
                  {...VERBATIM}
                  maxLength={most}
                />
              </Entries>
              {name === "hosts" && (
                <SeenHosts
                  site={site}
                  known={kept.hosts}
                  busy={busy}
                  add={(host) => void save({ ...kept, hosts: [...kept.hosts, host] })}
                />
              )}
            </div>
          ))}
        </>
      )}
      <Problem text={problem} />
    </Section>
  );
}

/** The most hosts that are proposed: a tag that was copied often has very many. */
const PROPOSED = 8;

interface SeenHostsProps {
  site: string;
  /** the hosts that are in the list */
  known: readonly string[];
  busy: boolean;
  add: (host: string) => void;
}

/** The hosts that were seen, to be added by a press each. */
function SeenHosts({ site, known, busy, add }: SeenHostsProps) {
  const [seen, setSeen] = useState<readonly string[]>([]);
  useEffect(() => {
    // Any host can be typed all the same.
    ask<SeenHostsAnswer>("GET", `${site}/seen-hosts`).then(
      ({ hosts }) => setSeen(hosts),
      () => {},
    );
  }, [site]);
  const others = seen.filter((host) => !known.includes(host)).slice(0, PROPOSED);
  if (others.length === 0 || known.length >= LEFT_OUT_LIMITS.entries) return null;
  return (
    <div class="row">
      <span class="hint">Seen in 30 days:</span>
      {others.map((host) => (
        <button
          key={host}
          type="button"
          disabled={busy}
          aria-label={`Count ${host}`}
          onClick={() => add(host)}
        >
          + <bdi>{host}</bdi>
        </button>
      ))}
    </div>
  );
}

/** `other hosts, 1 path` */
function headingOf({ hosts, paths, referrers, countries }: StaysOut): string {
  const others = [
    counted(paths.length, "path"),
    counted(referrers.length, "referrer"),
    counted(countries.length, "country", "countries"),
  ].filter((text) => !text.startsWith("0 "));
  const parts = [...(hosts.length === 0 ? [] : ["other hosts"]), ...others];
  return parts.length === 0 ? "nothing" : parts.join(", ");
}
