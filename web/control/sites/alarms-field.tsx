import { useState } from "preact/hooks";
import type { SiteActivity, SiteAlarms } from "../../../appliance/control/wire.ts";
import { ask } from "../api.ts";
import { Input, Problem, Switch, useNow } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { alarmState } from "./alarm-words.ts";

interface AlarmsFieldProps {
  /** of the site */
  id: string;
  /** how far its alarms are; undefined until it is known */
  states: SiteActivity["alarms"] | undefined;
}

const NAMES = { silence: "When it is silent", rush: "When there is a rush" } as const;

/** The alarms of a site, and the URL that they notify. */
export function AlarmsField({ id, states }: AlarmsFieldProps) {
  const { busy, problem, run } = useAction();
  const now = useNow();
  const [alarms, setAlarms] = useState<SiteAlarms | null>(null);
  const path = `api/sites/${id}/alarms`;
  const read = () => run(async () => setAlarms(await ask<SiteAlarms>("GET", path)));
  const change = (changed: SiteAlarms) =>
    run(async () => setAlarms(await ask<SiteAlarms>("PUT", path, changed)));
  return (
    <details onToggle={(event) => event.currentTarget.open && alarms === null && void read()}>
      <summary>Alarms</summary>
      {alarms !== null && (
        <div class="stack alarms">
          <p class="hint">
            The machine knows what each hour of the week usually brings this site. It says when no
            view comes for improbably long, and when far more come than usual: on the keys that show
            the site's numbers, and to a webhook.
          </p>
          {(["silence", "rush"] as const).map((kind) => (
            <div key={kind}>
              <Switch
                name={NAMES[kind]}
                isOn={alarms[kind]}
                disabled={busy}
                onSwitch={(isOn) => void change({ ...alarms, [kind]: isOn })}
              />
              {alarms[kind] && states !== undefined && (
                <p class="hint">{alarmState(kind, states[kind], now)}</p>
              )}
            </div>
          ))}
          <Input
            label="Webhook"
            hint="It gets a POST when an alarm begins and when it is over. Allow its address first, under Push."
            type="url"
            spellcheck={false}
            defaultValue={alarms.webhook ?? ""}
            placeholder="none"
            onSet={(text) => void change({ ...alarms, webhook: text || null })}
          />
        </div>
      )}
      <Problem text={problem} />
    </details>
  );
}
