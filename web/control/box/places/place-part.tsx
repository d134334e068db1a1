import { useState } from "preact/hooks";
import type { PlaceAlarm, PlaceStanding } from "../../../../appliance/control/wire.ts";
import { counted } from "../../../shared/format.ts";
import { ask } from "../../api.ts";
import { AskFirst } from "../../confirm.tsx";
import { useShell } from "../../context.ts";
import { NameField } from "../../deck/fields/label-field.tsx";
import { Problem, Select, Switch, useNow } from "../../parts.tsx";
import { WebhookField } from "../../push/allow-origin.tsx";
import { ago } from "../../times.ts";
import { useAction } from "../../use-action.ts";
import { otherThere, toDo } from "./place-words.ts";

/** A change of a place. */
type Change = Partial<Pick<PlaceStanding, "name" | "makesSites">> & {
  sites?: Pick<PlaceStanding["sites"][number], "id" | "as">[];
};

interface PlacePartProps {
  place: PlaceStanding & PlaceAlarm;
  /** its own, in the control API */
  path: string;
  /** Reads all places again. */
  read: () => Promise<void>;
}

/** A place: how it stands, which of our sites it counts, and its name here. */
export function PlacePart({ place, path, read }: PlacePartProps) {
  const { busy, problem, run } = useAction(read);
  const { name, address, sites } = place;
  const change = (to: Change) => run(() => ask("PATCH", path, to));
  return (
    <li>
      <section class="stack" aria-label={name}>
        <div>
          <h3>{name}</h3>
          <p class="hint">
            <code>{address}</code>
          </p>
        </div>
        <Standing place={place} busy={busy} onBelieve={() => change({})} />
        {sites.length > 0 && <Sites place={place} busy={busy} onChange={change} />}
        <Problem text={problem} />
        <AlarmPart
          webhook={place.webhook}
          onSet={(webhook) => run(() => ask("PUT", `${path}/alarm`, { webhook }))}
        />
        <details class="part">
          <summary>Name and removal</summary>
          <NameField label="Name" name={name} onSet={(next) => change({ name: next })} />
          <div class="row">
            <AskFirst
              label="Remove"
              class="danger"
              aria-label={`Remove ${name}`}
              disabled={busy}
              title={`Remove “${name}”?`}
              text="Nothing more is fetched from there. What came stays here, as a source. The place counts on, and its invitation holds until it is taken back there."
              yes="Remove"
              onYes={() => run(() => ask("DELETE", path))}
            />
          </div>
        </details>
      </section>
    </li>
  );
}

interface AlarmPartProps {
  webhook: string | null;
  onSet: (webhook: string | null) => void;
}

function AlarmPart({ webhook, onSet }: AlarmPartProps) {
  const [typed, setTyped] = useState<string | null>();
  return (
    <details class="part">
      <summary>Alarm{webhook !== null && ", by webhook"}</summary>
      <WebhookField
        url={typed === undefined ? webhook : typed}
        hint="It gets a POST when nothing was fetched for ten minutes, and when it comes again. Keys and dashboards say so in any case."
        onText={setTyped}
        onSet={onSet}
      />
    </details>
  );
}

interface StandingProps {
  place: PlaceStanding;
  busy: boolean;
  onBelieve: () => void;
}

function Standing({ place, busy, onBelieve }: StandingProps) {
  const now = useNow();
  const { lie, problem, isSilent, answeredAt, hits, disobeyed } = place;
  return (
    <div role="status" class="stack">
      {lie !== null && (
        <div class="notice bad stack">
          <p>
            Nothing more of it is taken. {lie} See to it there, then have it asked again: what it
            counts meanwhile comes then.
          </p>
          <div class="row">
            <button type="button" disabled={busy} onClick={onBelieve}>
              Ask it again
            </button>
          </div>
        </div>
      )}
      {lie === null && problem !== null && (
        <p class="notice bad">
          {isSilent
            ? "Nothing was fetched for more than ten minutes"
            : "Nothing could be fetched just now"}
          : {problem}. {toDo(problem)}
        </p>
      )}
      {answeredAt === null
        ? lie === null && problem === null && <p>It is being asked…</p>
        : lie === null && (
            <p>
              It answered {ago(answeredAt, now)}.{hits > 0 && ` ${counted(hits, "hit")} came live.`}
            </p>
          )}
      {[...new Set(disobeyed.map(({ outcome }) => outcome))].map((outcome) => (
        <p key={outcome} class="hint">
          {otherThere(
            outcome,
            disobeyed.filter((one) => one.outcome === outcome),
          )}
        </p>
      ))}
    </div>
  );
}

interface SitesProps {
  place: PlaceStanding;
  busy: boolean;
  onChange: (change: Change) => void;
}

/** No site has this id. */
const NONE = "-";
/** A site that nobody has chosen for, and of which none here has the id. */
const UNDECIDED = { id: "", name: "Not here yet" };

function Sites({ place: { sites, makesSites }, busy, onChange }: SitesProps) {
  const { sites: ours } = useShell().box;
  const known = new Set(ours.map(({ id }) => id));
  const missing = sites.filter(({ id, as, isNone }) => as === null && !isNone && !known.has(id));
  // It stays open while somebody chooses.
  const [isOpen] = useState(sites.some(({ as, isNone }) => as === null && !isNone));
  const options = [{ id: NONE, name: "None of them" }, ...ours.map(({ id }) => ({ id, name: id }))];
  return (
    <>
      <Switch
        name="Make new sites here"
        hint={
          makesSites || missing.length === 0
            ? "Those that it has and this machine lacks are made."
            : `This machine lacks ${missing.map(({ id }) => id).join(", ")}.`
        }
        isOn={makesSites}
        disabled={busy}
        onSwitch={(isOn) => onChange({ makesSites: isOn })}
      />
      <details class="part" open={isOpen}>
        <summary>{counted(sites.length, "site")}, and which of yours each is</summary>
        {sites.map(({ id, host, as, isNone }) => (
          <Select
            // A list that gets options later does not choose one by itself.
            key={`${id} ${ours.length}`}
            label={host === null ? id : `${id} (${host})`}
            value={as ?? (isNone ? NONE : "")}
            options={as === null && !isNone ? [UNDECIDED, ...options] : options}
            disabled={busy}
            onChoose={(to) => to && onChange({ sites: [{ id, as: to === NONE ? null : to }] })}
          />
        ))}
      </details>
    </>
  );
}
