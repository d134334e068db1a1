import type { MqttAnswer, MqttChange } from "../../../../appliance/control/wire.ts";
import { ask } from "../../api.ts";
import { AnswerCard, Problem, Switch, useNow } from "../../parts.tsx";
import { ago } from "../../times.ts";
import { useAction } from "../../use-action.ts";
import type { Polled } from "../../use-polled.ts";
import { type Row, SettingsForm } from "../settings-form.tsx";

const PATH = "api/mqtt";

const ROWS: readonly Row<MqttChange>[] = [
  { key: "url", label: "Broker", placeholder: "192.168.1.5", isRequired: true },
  { kind: "sign-in" },
];
const MORE: readonly Row<MqttChange>[] = [
  {
    kind: "pair",
    of: [
      { key: "prefix", label: "Topic prefix", isRequired: true },
      { key: "discovery", label: "Discovery prefix", isRequired: true },
    ],
  },
  {
    kind: "choice",
    key: "version",
    label: "Version of MQTT",
    options: [
      { id: "5", name: "5" },
      { id: "3.1.1", name: "3.1.1" },
    ],
  },
  {
    kind: "certificates",
    key: "ca",
    label: "Certificates to trust",
    hint: "PEM, for a broker at mqtts:// whose certificate nobody else has signed.",
  },
];

/** The broker of the owner's home automation, and how it stands with it. */
export function MqttCard({ polled: [answer, show] }: { polled: Polled<MqttAnswer> }) {
  return (
    <AnswerCard
      id="mqtt"
      title="Home automation"
      help="mqtt"
      answer={answer}
      hint="With the address of an MQTT broker the machine is a device in Home Assistant: texts on keys, presses, numbers of your sites. Other programs use its topics."
    >
      {(mqtt) => (
        <>
          <Standing mqtt={mqtt} />
          {mqtt.declared ? <Declared mqtt={mqtt} /> : <Settings mqtt={mqtt} onSaved={show} />}
        </>
      )}
    </AnswerCard>
  );
}

function Standing({ mqtt: { state, prefix, box, version } }: { mqtt: MqttAnswer }) {
  const now = useNow();
  if (state === null) return null;
  if (!state.connected)
    return state.problem === null ? (
      <p role="status">Connecting…</p>
    ) : (
      <p role="status" class="notice bad">
        {state.problem}
      </p>
    );
  return (
    <div role="status" class="stack">
      <p>
        Connected, {ago(state.since, now)}. Topics begin with{" "}
        <code>
          {prefix}/{box}/
        </code>
        .
      </p>
      {state.version !== version && (
        <p>
          The broker does not speak MQTT {version}, so the machine speaks {state.version} with it.
        </p>
      )}
      {state.problems.map((problem) => (
        <p key={problem} class="notice bad">
          {problem}
        </p>
      ))}
    </div>
  );
}

/** The configuration alone can change it. */
function Declared({ mqtt: { url, user } }: { mqtt: MqttAnswer }) {
  return (
    <p>
      The configuration names the broker <code>{url}</code>
      {user !== "" && (
        <>
          {" "}
          and the user <code>{user}</code>
        </>
      )}
      , and all of this can only be changed there.
    </p>
  );
}

function Settings({ mqtt, onSaved }: { mqtt: MqttAnswer; onSaved: (answer: MqttAnswer) => void }) {
  const { busy, problem, run } = useAction();
  const isNew = mqtt.url === "";
  const turn = (enabled: boolean) =>
    run(async () => onSaved(await ask<MqttAnswer>("PUT", PATH, { enabled } satisfies MqttChange)));
  return (
    <>
      {!isNew && (
        <Switch
          name="Connect with the broker"
          isOn={mqtt.enabled}
          disabled={busy}
          onSwitch={turn}
        />
      )}
      <Problem text={problem} />
      <SettingsForm<MqttChange, MqttAnswer>
        path={PATH}
        answer={mqtt}
        rows={ROWS}
        more={MORE}
        submit={isNew ? "Connect" : "Save"}
        // Naming the first broker switches MQTT on.
        along={isNew ? { enabled: true } : undefined}
        onSaved={onSaved}
      />
    </>
  );
}
