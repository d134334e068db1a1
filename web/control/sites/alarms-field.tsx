import { useState } from "preact/hooks";
import type { SiteActivity, SiteAlarms } from "../../../appliance/control/wire.ts";
import { Problem, Switch, useNow } from "../parts.tsx";
import { WebhookField } from "../push/allow-origin.tsx";
import { alarmState } from "./alarm-words.ts";
import { Section } from "./section.tsx";
import { useSetting } from "./use-setting.ts";

interface AlarmsFieldProps {
  /** of the site */
  id: string;
  /** how far its alarms are; undefined until it is known */
  states: SiteActivity["alarms"] | undefined;
}

const NAMES = { silence: "When it is silent", rush: "When there is a rush" } as const;

/** The alarms of a site, and the URL that they notify. */
export function AlarmsField({ id, states }: AlarmsFieldProps) {
  const { busy, problem, kept: alarms, save } = useSetting<SiteAlarms>(`api/sites/${id}/alarms`);
  const now = useNow();
  const [typed, setTyped] = useState<string | null>();
  const change = (part: Partial<SiteAlarms>) => void save({ ...alarms, ...part });
  return (
    <Section title="Alarms" state={alarms === null ? undefined : headingOf(alarms)}>
      {alarms !== null && (
        <>
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
                onSwitch={(isOn) => change({ [kind]: isOn })}
              />
              {alarms[kind] && states !== undefined && (
                <p class="hint">{alarmState(kind, states[kind], now)}</p>
              )}
            </div>
          ))}
          <WebhookField
            url={typed === undefined ? alarms.webhook : typed}
            hint="It gets a POST when an alarm begins and when it is over."
            onText={setTyped}
            onSet={(webhook) => change({ webhook })}
          />
        </>
      )}
      <Problem text={problem} />
    </Section>
  );
}

function headingOf({ silence, rush, webhook }: SiteAlarms): string {
  if (!silence && !rush) return "off";
  return webhook === null ? "on" : "on, by webhook";
}
