import { useState } from "preact/hooks";
import type { PublicAnswer, PublicChange } from "../../../../appliance/control/wire.ts";
import { Field } from "../../../shared/field.tsx";
import { ask } from "../../api.ts";
import { Problem, Select, Switch } from "../../parts.tsx";
import { useAction } from "../../use-action.ts";
import { type Row, SettingsForm } from "../settings-form.tsx";
import { TELLERS, type Teller, tellerOf } from "./public-words.ts";

const PATH = "api/public";

type Fields = PublicAnswer & { ddnsToken?: string };

interface FieldsProps {
  fields: Fields;
  onEdit: (change: PublicChange) => void;
}

/** Switches for the public address, and for dashboards there. Both take effect at once. */
export function PublicSwitches({ enabled, dashboard }: PublicAnswer) {
  const { busy, problem, run } = useAction();
  const save = (change: PublicChange) => run(() => ask("PUT", PATH, change));
  return (
    <>
      <Switch
        name="On"
        isOn={enabled}
        disabled={busy}
        onSwitch={(isOn) => void save({ enabled: isOn })}
      />
      {enabled && (
        <Switch
          name="Dashboard from outside"
          isOn={dashboard}
          disabled={busy}
          onSwitch={(isOn) => void save({ dashboard: isOn })}
          hint="Dashboards open there for who has a site’s token or a shared link. The admin token and this page stay in your network."
        />
      )}
      <Problem text={problem} />
    </>
  );
}

const ROWS: readonly Row<Fields>[] = [
  {
    key: "name",
    label: "Name",
    placeholder: "stats.example.com",
    hint: "A name of yours in the DNS, or a free one: tally-home.dedyn.io, tally-home.duckdns.org. A fixed public address works, too.",
    isRequired: true,
  },
  { kind: "own", show: (fields, onEdit) => <ProviderFields fields={fields} onEdit={onEdit} /> },
  { kind: "own", show: (fields, onEdit) => <Agreement fields={fields} onEdit={onEdit} /> },
];
const MORE: readonly Row<Fields>[] = [
  { kind: "check", key: "openPort", label: "Ask the router to open port 443" },
  {
    key: "directory",
    label: "Directory of the certificate authority",
    placeholder: "Let’s Encrypt",
    hint: "The https:// address of another one’s ACME directory.",
  },
  {
    kind: "certificates",
    key: "ca",
    label: "Certificates to trust there",
    hint: "PEM, for a directory whose certificate nobody else has signed.",
  },
];

/**
 * The owner's decisions: the name, the provider that points it at the home, and consent to the terms.
 */
export function PublicSettings({ answer }: { answer: PublicAnswer }) {
  const isNew = answer.name === "";
  return (
    // The answer also comes as an event.
    <SettingsForm<Fields, PublicAnswer>
      path={PATH}
      answer={answer}
      rows={ROWS}
      more={MORE}
      submit={isNew ? "Turn on" : "Save"}
      // The first name switches the public address on.
      along={isNew ? { enabled: true } : undefined}
    >
      {({ openPort }) => !answer.enabled && <Needs port={answer.port} openPort={openPort} />}
    </SettingsForm>
  );
}

/** The provider of dynamic DNS, with its fields. */
function ProviderFields({
  fields: { ddns, ddnsUser, ddnsToken = "", hasToken },
  onEdit,
}: FieldsProps) {
  const [chosen, setChosen] = useState<Teller | null>(null);
  const teller = chosen ?? tellerOf(ddns);
  const choose = (next: Teller) => {
    setChosen(next);
    const isKnown = next === "desec" || next === "duckdns";
    onEdit({ ddns: isKnown ? next : "", ddnsUser: "", ddnsToken: "" });
  };
  return (
    <>
      <Select
        label="Who tells the DNS where your home is"
        value={teller}
        options={TELLERS}
        onChoose={choose}
      />
      {teller === "other" && (
        <Field
          label="Provider"
          placeholder="noip"
          hint="Its short name, or its address with {name} and {ip4} where they belong."
          isRequired
          value={ddns}
          onInput={(provider) => onEdit({ ddns: provider })}
        />
      )}
      {teller !== "none" && (
        <div class={teller === "other" ? "pair" : ""}>
          {teller === "other" && (
            <Field label="User" value={ddnsUser} onInput={(user) => onEdit({ ddnsUser: user })} />
          )}
          <Field
            label={teller === "other" ? "Password" : "Token"}
            isSecret
            autocomplete="new-password"
            placeholder={hasToken ? "unchanged" : ""}
            value={ddnsToken}
            onInput={(token) => onEdit({ ddnsToken: token })}
          />
        </div>
      )}
    </>
  );
}

function Agreement({ fields: { terms, directory, agreed }, onEdit }: FieldsProps) {
  const authority = directory === "" ? "Let’s Encrypt" : "the certificate authority";
  return (
    <label class="agreement">
      <input
        type="checkbox"
        checked={agreed}
        onChange={(event) => onEdit({ agreed: event.currentTarget.checked })}
      />
      <span>
        I agree to the{" "}
        {terms === null ? (
          `terms of ${authority}`
        ) : (
          <a href={terms} target="_blank" rel="noreferrer">
            terms of {authority}
          </a>
        )}
        . I know that the name goes into public logs of certificates, for everybody to read, for
        ever.
      </span>
    </label>
  );
}

/** The ways that have to be open, before the owner turns it on. A checkout has no port for them yet. */
function Needs({ port, openPort }: Pick<PublicAnswer, "port" | "openPort">) {
  const asked = openPort
    ? "The machine asks your router for that (UPnP, PCP or NAT-PMP); forward it by hand where the router refuses."
    : "Forward it by hand.";
  if (port === null)
    return (
      <p class="notice">
        No visitor can come in yet: here Tallydeck answers <code>https://</code> on no port. Start
        it with <code>--tls-port 8443</code> first, or another free port. Then TCP port 443 of your
        router has to lead there. {asked}
      </p>
    );
  return (
    <p class="hint">
      Visitors come in by TCP port 443 of your router, which has to lead to port {port} of this
      machine, and by no other. {asked} Your provider has to give you an IPv4 address of your own.
    </p>
  );
}
