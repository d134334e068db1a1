import { useEffect, useState } from "preact/hooks";
import type { PlacesAnswer } from "../../../../appliance/control/wire.ts";
import { Snippet } from "../../../shared/copy-button.tsx";
import { ask } from "../../api.ts";
import { useShell } from "../../context.ts";
import { AnswerCard, Form, Input, Problem, VERBATIM } from "../../parts.tsx";
import { useAction } from "../../use-action.ts";
import type { Polled } from "../../use-polled.ts";
import { PlacePart } from "./place-part.tsx";

const PATH = "api/places";

/** Other Tallydecks whose counts are fetched from here. */
export function PlacesCard({ polled: [answer, show] }: { polled: Polled<PlacesAnswer> }) {
  const read = async () => show(await ask<PlacesAnswer>("GET", PATH));
  return (
    <AnswerCard id="places" title="Places" help="places" answer={answer}>
      {({ places }) => (
        <>
          <KnownPlaces places={places} read={read} />
          <NewPlace read={read} />
        </>
      )}
    </AnswerCard>
  );
}

interface KnownPlacesProps {
  places: PlacesAnswer["places"];
  read: () => Promise<void>;
}

function KnownPlaces({ places, read }: KnownPlacesProps) {
  const { actions } = useShell();
  // Sites are made without this page, and tags name the places that count.
  const counting = JSON.stringify(
    places.map(({ name, address, lie, answeredAt, sites }) => [
      name,
      address,
      lie === null && answeredAt !== null,
      sites.map(({ as }) => as),
    ]),
  );
  useEffect(() => void actions.readSites(), [counting]);
  if (places.length === 0) return <FirstWords />;
  return (
    <ul class="entries">
      {places.map((place) => (
        <PlacePart key={place.id} path={`${PATH}/${place.id}`} place={place} read={read} />
      ))}
    </ul>
  );
}

function FirstWords() {
  return (
    <>
      <p class="hint">
        A place is another Tallydeck, on a rented server or at another home, that counts where this
        machine is not reached. Its counts are fetched from here over HTTPS and shown beside your
        own; it never needs to reach this machine.
      </p>
      <p class="hint">
        <a href="docs/places">Set one up</a>, then run there:
      </p>
      <Snippet text="tallydeck place invite" label="the command for the place" />
    </>
  );
}

function NewPlace({ read }: { read: () => Promise<void> }) {
  const { busy, problem, run } = useAction(read);
  const [invitation, setInvitation] = useState("");
  const submit = async () => {
    if (await run(() => ask("POST", PATH, { invitation }))) setInvitation("");
  };
  return (
    <Form onSubmit={submit}>
      <Input
        label="Invitation"
        hint="The line that was shown at the place."
        placeholder="tallydeck-place:https://…#…"
        required
        {...VERBATIM}
        value={invitation}
        onText={setInvitation}
      />
      <Problem text={problem} />
      <div class="row">
        <button type="submit" class="primary" disabled={busy}>
          Add the place
        </button>
      </div>
    </Form>
  );
}
