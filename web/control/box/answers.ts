import type {
  BackupsAnswer,
  BoxAnswer,
  MailAnswer,
  MqttAnswer,
  PlacesAnswer,
  WifiAnswer,
} from "../../../appliance/control/wire.ts";
import { useShell } from "../context.ts";
import type { Box } from "../use-box.ts";
import { usePolled } from "../use-polled.ts";
import type { PartId } from "../view/view.ts";
import { waits } from "./update-words.ts";

/** The pause for a group that is not open: only what is wrong there is shown. */
const AGAIN_MS = 10_000;

/** The answers of the machine that all groups know. */
export function useAnswers() {
  const open = useShell().view.part;
  const every = (ms: number, part: PartId) => (part === open ? ms : AGAIN_MS);
  return {
    status: usePolled<BoxAnswer>("api/box", AGAIN_MS)[0],
    backups: usePolled<BackupsAnswer>("api/backups", every(3_000, "backups")),
    wifi: usePolled<WifiAnswer>("api/wifi", every(3_000, "connections")),
    mqtt: usePolled<MqttAnswer>("api/mqtt", every(2_000, "connections")),
    places: usePolled<PlacesAnswer>("api/places", every(2_000, "places")),
    mail: usePolled<MailAnswer>("api/mail", AGAIN_MS),
  };
}

export type Answers = ReturnType<typeof useAnswers>;

/** A few words about what a group has for its owner; nothing where all is well. */
interface Note {
  text: string;
  isBad: boolean;
}

export function noteOf(
  part: PartId,
  {
    status,
    backups: [backups],
    wifi: [wifi],
    mqtt: [mqtt],
    mail: [mail],
    places: [places],
  }: Answers,
  box: Pick<Box, "update" | "public">,
): Note | undefined {
  const bad = (text: string): Note => ({ text, isBad: true });
  switch (part) {
    case "machine":
      if (status?.warnings.some((code) => code.startsWith("storage")))
        return bad("its storage fails");
      if (box.update !== null && waits(box.update))
        return { text: "an update waits", isBad: box.update.last?.kind === "failed" };
      return;
    case "public":
      if (box.public?.enabled && box.public.view.steps.some(({ state }) => state === "wrong"))
        return bad("a step needs you");
      return;
    case "backups":
      if (backups?.targets.some(({ tries, isRunning }) => tries > 0 && !isRunning))
        return bad("the last one failed");
      if (backups?.targets.some(({ isOverdue }) => isOverdue)) return bad("none for a week");
      if (backups?.stick && backups.stickProblem !== null) return bad("the stick is of no use");
      return;
    case "places":
      if (places?.places.some(({ lie }) => lie !== null)) return bad("one is not believed");
      if (places?.places.some(({ isSilent }) => isSilent)) return bad("one is silent");
      return;
    case "connections":
      if (wifi !== undefined && wifi.joining === null && wifi.trouble !== null)
        return bad("a Wi-Fi was not joined");
      if (mqtt?.state?.connected === false && mqtt.state.problem !== null)
        return bad("the broker is away");
      if (mail?.last && mail.last.problem !== null) return bad("a mail was not sent");
      return;
    case "access":
    case "about":
      return;
  }
}
