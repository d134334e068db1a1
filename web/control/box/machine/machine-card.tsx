import { useState } from "preact/hooks";
import type {
  MachineAnswer,
  MachineChange,
  MachineSettings,
} from "../../../../appliance/control/wire.ts";
import { Field } from "../../../shared/field.tsx";
import { ask } from "../../api.ts";
import { Card, CodeArea, Form, Problem } from "../../parts.tsx";
import { useAction } from "../../use-action.ts";
import { usePolled } from "../../use-polled.ts";

const PATH = "api/machine";
const AGAIN_MS = 10_000;
const PENDING_MS = 700;

/** Name, time zone and ssh keys of the box; nothing where the system is not ours. */
export function MachineCard() {
  const [answer, setAnswer] = usePolled<MachineAnswer>(PATH, (last) =>
    last !== undefined && (last.pending || last.confirmWithin !== null) ? PENDING_MS : AGAIN_MS,
  );
  const { busy, problem, run } = useAction();
  if (answer === undefined || answer.settings === null) return null;
  const { settings, pending, confirmWithin } = answer;
  const change = (wish: MachineWish) =>
    void run(async () => setAnswer(await ask<MachineAnswer>("PUT", PATH, wish)));
  const parts = { settings, disabled: busy || pending || confirmWithin !== null, change };
  return (
    <Card id="machine" title="Name, zone and ssh" help="image#name-zone-and-ssh-keys">
      <Text
        {...parts}
        label="Name in the network"
        what="name"
        field="hostname"
        hint={`The box is found as ${settings.hostname}.local. After a change open it by its new name, or by its number, which stays.`}
      />
      <Text
        {...parts}
        label="Time zone"
        what="time zone"
        field="timezone"
        hint="Of clocks on keys, and of the hour for updates. The service starts again with it: a few seconds."
      />
      <Keys {...parts} />
      {confirmWithin !== null && (
        <Confirm seconds={confirmWithin} disabled={busy} change={change} />
      )}
      <Problem text={problem || (settings.problem ?? "")} />
      <p role="status">{pending ? "The box changes it…" : ""}</p>
    </Card>
  );
}

/** A change, or the code that confirms the one before. */
type MachineWish = MachineChange | { code: string };

interface Part {
  settings: MachineSettings;
  disabled: boolean;
  change: (wish: MachineWish) => void;
}

/** The way in for a key, which a session alone cannot let in. */
function Confirm({
  seconds,
  disabled,
  change,
}: Pick<Part, "disabled" | "change"> & { seconds: number }) {
  const [typed, setTyped] = useState("");
  const code = typed.replaceAll(" ", "");
  const submit = () => {
    change({ code });
    setTyped("");
  };
  return (
    <Form onSubmit={submit}>
      <p role="status">
        The key opens all of the box, so somebody there has to say yes: press the key of the deck
        that shows “ssh key”, or type the code that the box's screen shows. {seconds} seconds are
        left.
      </p>
      <Field
        label="Code on the screen"
        hint="Without a deck and a screen, write SSH_KEY into tallydeck.env on the card."
        value={typed}
        onInput={setTyped}
      />
      <div class="row">
        <button type="submit" disabled={disabled || !/^\d{8}$/.test(code)}>
          Confirm
        </button>
      </div>
    </Form>
  );
}

interface TextProps extends Part {
  label: string;
  what: string;
  field: "hostname" | "timezone";
  hint: string;
}

function Text({ settings, disabled, change, label, what, field, hint }: TextProps) {
  const [typed, setTyped] = useState<string>();
  const now = settings[field];
  const before = settings.before[field];
  const submit = () => {
    if (typed !== undefined) change({ [field]: typed.trim() });
    setTyped(undefined);
  };
  return (
    <Form onSubmit={submit}>
      <Field label={label} hint={hint} isRequired value={typed ?? now} onInput={setTyped} />
      <div class="row">
        <button
          type="submit"
          disabled={disabled || typed === undefined || typed.trim() === now || typed.trim() === ""}
        >
          Change {what}
        </button>
        {before !== undefined && before !== now && (
          <button type="button" disabled={disabled} onClick={() => change({ [field]: before })}>
            Back to {before}
          </button>
        )}
      </div>
    </Form>
  );
}

function Keys({ settings: { keys, before }, disabled, change }: Part) {
  const [typed, setTyped] = useState("");
  const submit = () => {
    change({ addKey: typed.trim() });
    setTyped("");
  };
  const removed = before.key;
  const isBack = keys.some(({ id }) => removed?.includes(id));
  return (
    <Form onSubmit={submit}>
      {keys.map(({ id, type, comment }) => (
        <div key={id} class="row">
          <span>
            {comment || type} <small>…{id}</small>
          </span>
          <button type="button" disabled={disabled} onClick={() => change({ removeKey: id })}>
            Remove<span class="offscreen"> key {id}</span>
          </button>
        </div>
      ))}
      <CodeArea
        label="Public ssh key"
        hint={
          keys.length === 0
            ? "Nobody reaches the box by ssh. With the line of a file like id_ed25519.pub its owner does, as root."
            : "These keys reach the box by ssh, as root. Without any, ssh is off."
        }
        rows={2}
        placeholder="ssh-ed25519 AAAA… me@laptop"
        value={typed}
        onText={setTyped}
      />
      <div class="row">
        <button type="submit" disabled={disabled || typed.trim() === ""}>
          Add key
        </button>
        {removed !== undefined && !isBack && (
          <button type="button" disabled={disabled} onClick={() => change({ addKey: removed })}>
            Put back {removed.split(" ").slice(2).join(" ") || "the key that was removed"}
          </button>
        )}
      </div>
    </Form>
  );
}
