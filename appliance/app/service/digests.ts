import type { Outgoing } from "../../deck/actions/outgoing.ts";
import type { Channels } from "../../deck/push/channels.ts";
import { MAIL, MailServer } from "../../links/mail/mail-server.ts";
import { type Box, documentsIn, type Store } from "../../store/store.ts";
import { ALARM_LOG, AlarmLog } from "../../traffic/alarms/alarm-log.ts";
import type { Alarms } from "../../traffic/alarms/alarms.ts";
import { Digests } from "../../traffic/digest/digests.ts";
import { digestPost } from "../../traffic/digest/post.ts";
import { DIGEST_RECORD } from "../../traffic/digest/record.ts";
import type { Closing } from "./closing.ts";
import type { ServiceParts, Shared } from "./parts.ts";

interface DigestParts {
  readonly store: Pick<Store, "box" | "numbers">;
  readonly outgoing: Outgoing;
  readonly channels: Channels;
  readonly mail: MailServer;
  readonly alarms: Pick<Alarms, "changed">;
  /** The id of this box. */
  readonly id: string;
}

/** The digests that this box sends. */
export async function startDigests(
  { clock, log }: ServiceParts,
  { random }: Pick<Shared, "random">,
  closing: Closing,
  { store: { box, numbers }, outgoing, channels, mail, alarms, id }: DigestParts,
): Promise<Digests> {
  const alarmLog = await AlarmLog.open(documentsIn(box, ALARM_LOG));
  closing.add(alarms.changed.on((alarm) => alarmLog.note(alarm, clock.now())));
  const digests = await Digests.open({
    ...{ numbers, clock, log, box: id },
    documents: documentsIn(box, DIGEST_RECORD),
    post: digestPost({
      request: (request) => outgoing.send(request, 1),
      mail: (each) =>
        mail.send({ ...each, id: random.bytes(16).toString("hex"), date: clock.now() }),
      push: (channel, text) => void channels.set(channel, { text, ttl: 0 }),
    }),
    alarms: (site, from, until) => alarmLog.within(site, from, until),
  });
  closing.add(
    () => digests.close(),
    mail.changed.on(() => digests.tryAgain()),
  );
  return digests;
}

/** The mail server of the box's owner. */
export async function startMail(
  { clock }: Pick<ServiceParts, "clock">,
  closing: Closing,
  box: Box,
): Promise<MailServer> {
  const mail = await MailServer.open({
    documents: documentsIn(box, MAIL),
    now: () => clock.now(),
  });
  closing.add(() => mail.close());
  return mail;
}
