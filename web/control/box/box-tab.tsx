import type { ComponentChildren } from "preact";
import { useShell } from "../context.ts";
import { PARTS, type PartId } from "../view/view.ts";
import { ViewLink } from "../view/view-link.tsx";
import { DiagnosticsCard, PrivacyCard, VersionCard } from "./about.tsx";
import { AccessCard } from "./access-card.tsx";
import { type Answers, noteOf, useAnswers } from "./answers.ts";
import { BackupCard } from "./backups/backup-card.tsx";
import { BackupsCard } from "./backups/backups-card.tsx";
import { SettingsCard } from "./backups/settings-card.tsx";
import { MailCard } from "./connections/mail-card.tsx";
import { MqttCard } from "./connections/mqtt-card.tsx";
import { WifiCard } from "./connections/wifi-card.tsx";
import { MachineCard } from "./machine/machine-card.tsx";
import { ResetCard } from "./machine/reset-card.tsx";
import { StatusCard } from "./machine/status-card.tsx";
import { HomesCard } from "./places/homes-card.tsx";
import { PlacesCard } from "./places/places-card.tsx";
import { PublicCard } from "./public/public-card.tsx";
import { UpdateCard } from "./update-card.tsx";

/** The cards about the box as a whole, in groups with a list of them. */
export function BoxTab() {
  const { box, view } = useShell();
  const answers = useAnswers();
  return (
    <div class="in-parts">
      <nav aria-label="Machine" class="parts">
        {PARTS.map(({ id, name }) => {
          const note = noteOf(id, answers, box);
          return (
            <ViewLink
              key={id}
              to={{ tab: "box", part: id }}
              aria-current={id === view.part ? "page" : undefined}
            >
              {name}
              {note !== undefined && (
                <small class={note.isBad ? "bad" : ""}>
                  <span class="offscreen">, </span>
                  {note.text}
                </small>
              )}
            </ViewLink>
          );
        })}
      </nav>
      <div key={view.part} class="columns together">
        {columnsOf(view.part, answers).map((cards, at) => (
          <div key={at} class="column">
            {cards}
          </div>
        ))}
      </div>
    </div>
  );
}

/** The cards of a group, which stand in columns where there is room. */
function columnsOf(part: PartId, answers: Answers): readonly ComponentChildren[] {
  const { status, backups, wifi, mqtt, mail, places } = answers;
  switch (part) {
    case "machine":
      return [<StatusCard status={status} />, <OwnCards />];
    case "access":
      return [<AccessCard />];
    case "public":
      return [<PublicCard />];
    case "places":
      return [<PlacesCard polled={places} />, <HomesCard polled={places} />];
    case "backups":
      return [
        <BackupsCard polled={backups} />,
        <>
          <BackupCard numbersElsewhere={status?.numbersElsewhere === true} />
          <SettingsCard />
        </>,
      ];
    case "connections":
      return [
        <>
          <WifiCard polled={wifi} wifi={status?.wifi} />
          <MqttCard polled={mqtt} />
        </>,
        <MailCard polled={mail} />,
      ];
    case "about":
      return [
        <>
          <VersionCard status={status} />
          <DiagnosticsCard status={status} />
        </>,
        <PrivacyCard />,
      ];
  }
}

/** The cards that only a box has. */
function OwnCards() {
  const { update } = useShell().box;
  return (
    <>
      <UpdateCard update={update} />
      <MachineCard />
      <ResetCard />
    </>
  );
}
