import { useState } from "preact/hooks";
import type { BoxAnswer, WifiAnswer } from "../../../../appliance/control/wire.ts";
import { ask } from "../../api.ts";
import { Card, Check, Form, Input, Problem, VERBATIM } from "../../parts.tsx";
import { useAction } from "../../use-action.ts";
import type { Polled } from "../../use-polled.ts";
import { wifiText } from "../box-words.ts";

const PATH = "api/wifi";
const MOST_SIGNS = 32;

/** The Wi-Fi of a box with a radio, and the way to another. */
export function WifiCard({
  polled: [answer, show],
  wifi,
}: {
  polled: Polled<WifiAnswer>;
  wifi: BoxAnswer["wifi"] | undefined;
}) {
  if (!answer?.possible) return null;
  const { joining, trouble } = answer;
  return (
    <Card id="wifi" title="Wi-Fi" help="wifi">
      <p>{wifi === undefined ? "Not joined: the box is on its cable." : wifiText(wifi)}</p>
      {joining === null
        ? trouble !== null && <p class="notice bad">{trouble}</p>
        : joining !== "" && <p role="status">The box joins {joining}…</p>}
      <details>
        <summary>Join another network</summary>
        <Another isBusy={joining !== null} onAnswer={show} />
      </details>
    </Card>
  );
}

function Another({
  isBusy,
  onAnswer,
}: {
  isBusy: boolean;
  onAnswer: (answer: WifiAnswer) => void;
}) {
  const { busy, problem, run } = useAction();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [country, setCountry] = useState("");
  const [isShown, setShown] = useState(false);
  const [hidden, setHidden] = useState(false);
  const [asked, setAsked] = useState("");
  const submit = () =>
    run(async () => {
      const wish = { name, password, country: country.toUpperCase(), hidden };
      onAnswer(await ask<WifiAnswer>("POST", PATH, wish));
      setAsked(name);
      setPassword("");
    });
  return (
    <Form onSubmit={submit} autocomplete="off">
      <p class="hint">
        The box leaves its network for this one. If it is not joined within a minute, the box joins
        the old one again: you find it where it is now. If it is, look for it on the other network.
      </p>
      <Input label="Name" {...VERBATIM} maxLength={MOST_SIGNS} value={name} onText={setName} />
      <Input
        label="Password"
        hint="Empty for an open network."
        type={isShown ? "text" : "password"}
        {...VERBATIM}
        maxLength={64}
        value={password}
        onText={setPassword}
      />
      <Check name="Show the password" isOn={isShown} onSet={setShown} />
      <Check name="The network does not show its name" isOn={hidden} onSet={setHidden} />
      <Input
        label="Country"
        hint="Two letters, like CH. Empty: as it was."
        maxLength={2}
        value={country}
        onText={setCountry}
      />
      <Problem text={problem} />
      <p role="status">{asked !== "" && `The box was asked to join ${asked}.`}</p>
      <div class="row">
        <button type="submit" disabled={busy || isBusy || name === ""}>
          Join
        </button>
      </div>
    </Form>
  );
}
