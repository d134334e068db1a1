import { useState } from "preact/hooks";
import type { NewHome, PlacesAnswer } from "../../../../appliance/control/wire.ts";
import { ask } from "../../api.ts";
import { AskFirst } from "../../confirm.tsx";
import { useShell } from "../../context.ts";
import { AnswerCard, Form, Input, Problem, Secret, useNow, VERBATIM } from "../../parts.tsx";
import { QrCode } from "../../qr-code.tsx";
import { ago } from "../../times.ts";
import { useAction } from "../../use-action.ts";
import type { Polled } from "../../use-polled.ts";

const PATH = "api/homes";
/** The name of an invitation that was given none. */
const USUAL_NAME = "home";
type Home = PlacesAnswer["homes"][number];

/** Others who fetch what is counted here. */
export function HomesCard({ polled: [answer, show] }: { polled: Polled<PlacesAnswer> }) {
  const read = async () => show(await ask<PlacesAnswer>("GET", "api/places"));
  return (
    <AnswerCard
      id="homes"
      title="This machine as a place"
      help="places#add-one"
      answer={answer}
      hint="Another Tallydeck can fetch what is counted here, by this machine’s public address and an invitation."
    >
      {({ homes }) => (
        <>
          {homes.length === 0 ? (
            <p>Nobody is invited.</p>
          ) : (
            <ul class="entries">
              {homes.map((home) => (
                <KnownHome key={home.id} home={home} read={read} />
              ))}
            </ul>
          )}
          <Invite homes={homes} read={read} />
        </>
      )}
    </AnswerCard>
  );
}

interface KnownHomeProps {
  home: Home;
  read: () => Promise<void>;
}

function KnownHome({ home: { id, name, madeAt, askedAt }, read }: KnownHomeProps) {
  const { busy, problem, run } = useAction(read);
  const now = useNow();
  return (
    <li>
      <div class="entry">
        <h3>{name}</h3>
        <span class="spacer" />
        <AskFirst
          label="Take back"
          class="danger"
          aria-label={`Take back the invitation of ${name}`}
          disabled={busy}
          title={`Take back the invitation of “${name}”?`}
          text="Nothing is fetched with it any more. What was fetched stays there."
          yes="Take back"
          onYes={() => run(() => ask("DELETE", `${PATH}/${id}`))}
        />
      </div>
      <p class="hint">
        invited {ago(madeAt, now)} ·{" "}
        {askedAt === null ? "has not asked yet" : `asked last ${ago(askedAt, now)}`}
      </p>
      <Problem text={problem} />
    </li>
  );
}

function Invite({ homes, read }: { homes: readonly Home[]; read: () => Promise<void> }) {
  const { busy, problem, run } = useAction(read);
  const url = useShell().box.public?.view.url ?? null;
  const [name, setName] = useState("");
  const [address, setAddress] = useState("");
  const [made, setMade] = useState<(NewHome & { name: string }) | null>(null);
  const submit = () =>
    run(async () => {
      const wish = { ...(name !== "" && { name }), ...(address !== "" && { address }) };
      setMade({ ...(await ask<NewHome>("POST", PATH, wish)), name: name.trim() || USUAL_NAME });
      setName("");
    });
  return (
    <>
      {made !== null && homes.some((home) => home.name === made.name) && (
        <>
          <Secret
            title="The invitation. Paste it there, under Machine → Places."
            token={made.invitation}
            label="the invitation"
          />
          <QrCode rows={made.code} of="the invitation" />
        </>
      )}
      <Form onSubmit={submit}>
        <Input
          label="Whose it is"
          placeholder={USUAL_NAME}
          maxLength={40}
          value={name}
          onText={setName}
        />
        <Input
          label="Address of this machine"
          hint={
            url === null
              ? "It has no public address of its own yet: that of a proxy that leads here by https://."
              : "Its public address, unless a proxy leads here by another."
          }
          placeholder={url ?? "https://stats.example.com"}
          type="url"
          required={url === null}
          {...VERBATIM}
          value={address}
          onText={(text) => setAddress(text.trim())}
        />
        <Problem text={problem} />
        <div class="row">
          <button type="submit" disabled={busy}>
            Make an invitation
          </button>
        </div>
      </Form>
    </>
  );
}
