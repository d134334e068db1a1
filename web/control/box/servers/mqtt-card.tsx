import type { MqttAnswer, MqttChange } from "../../../../appliance/control/wire.ts";
import { Field } from "../../../shared/field.tsx";
import { CardTitle, Choice, Problem, Switch, useNow } from "../../parts.tsx";
import { ago } from "../../times.ts";
import { usePolled } from "../../use-polled.ts";
import { CertificatesField } from "../certificates-field.tsx";
import { SignInFields } from "./sign-in-fields.tsx";
import { useSettings } from "./use-settings.ts";

const PATH = "api/mqtt";
const AGAIN_MS = 2_000;

/** The broker of the owner's home automation, and how it stands with it. */
export function MqttCard() {
  const [mqtt, show] = usePolled<MqttAnswer>(PATH, AGAIN_MS);
  return (
    <section class="card stack" aria-labelledby="mqtt-title" aria-busy={mqtt === undefined}>
      <CardTitle id="mqtt-title" help="mqtt">
        Home automation
      </CardTitle>
      <p class="hint">
        With the address of an MQTT broker the machine is a device in Home Assistant: texts on keys,
        presses, numbers of your sites. Other programs use its topics.
      </p>
      {mqtt === undefined ? (
        <p class="hint">Asking the machine…</p>
      ) : (
        <>
          <Standing mqtt={mqtt} />
          {mqtt.declared ? <Declared mqtt={mqtt} /> : <Settings mqtt={mqtt} onSaved={show} />}
        </>
      )}
    </section>
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
  const { busy, problem, done, draft, isChanged, edit, save } = useSettings<MqttChange, MqttAnswer>(
    PATH,
    onSaved,
  );
  const now = { ...mqtt, password: "", ...draft };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    // Naming the first broker switches MQTT on.
    void save(mqtt.url === "" ? { enabled: true, ...draft } : draft);
  };
  return (
    <form class="stack" onSubmit={submit}>
      {mqtt.url !== "" && (
        <Switch
          name="Connect with the broker"
          isOn={now.enabled}
          disabled={busy}
          onSwitch={(enabled) => void save({ enabled })}
        />
      )}
      <Field
        label="Broker"
        placeholder="192.168.1.5"
        isRequired
        value={now.url}
        onInput={(url) => edit({ url })}
      />
      <SignInFields
        user={now.user}
        password={now.password}
        hasPassword={mqtt.hasPassword}
        onEdit={edit}
      />
      <More fields={now} onEdit={edit} />
      <Problem text={problem} />
      <div class="row">
        <button type="submit" class="primary" disabled={busy || !isChanged}>
          {mqtt.url === "" ? "Connect" : "Save"}
        </button>
        <p role="status">{done}</p>
      </div>
    </form>
  );
}

type MoreFields = Pick<MqttAnswer, "prefix" | "discovery" | "version" | "ca">;

/** The settings that are right for most as they are. */
function More({
  fields: { prefix, discovery, version, ca },
  onEdit,
}: {
  fields: MoreFields;
  onEdit: (change: Partial<MoreFields>) => void;
}) {
  return (
    <details class="part">
      <summary>More settings</summary>
      <div class="stack">
        <div class="pair">
          <Field
            label="Topic prefix"
            isRequired
            value={prefix}
            onInput={(text) => onEdit({ prefix: text })}
          />
          <Field
            label="Discovery prefix"
            isRequired
            value={discovery}
            onInput={(text) => onEdit({ discovery: text })}
          />
        </div>
        <Choice
          legend="Version of MQTT"
          value={version}
          options={[
            { id: "5", name: "5" },
            { id: "3.1.1", name: "3.1.1" },
          ]}
          onChoose={(chosen) => onEdit({ version: chosen })}
        />
        <CertificatesField
          label="Certificates to trust"
          hint="PEM, for a broker at mqtts:// whose certificate nobody else has signed."
          value={ca}
          onInput={(text) => onEdit({ ca: text })}
        />
      </div>
    </details>
  );
}
