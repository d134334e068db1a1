import type { Clock } from "../../../base/clock.ts";
import { DIGEST, type KeptDigest, readDigest } from "../../../base/input/digest.ts";
import { closeWith } from "../../../base/tasks/closing.ts";
import { NO_DIGEST } from "../../../base/text/digest.ts";
import type { Origins } from "../../../deck/actions/origins.ts";
import type { RequestSender } from "../../../deck/actions/request-sender.ts";
import type { Channels } from "../../../deck/push/channels.ts";
import type { MailServer } from "../../../links/mail/mail-server.ts";
import { documentsIn, type Numbers, type SiteKey } from "../../../store/store.ts";
import { ALARM_LOG, AlarmLog } from "../../../traffic/alarms/alarm-log.ts";
import type { Alarms } from "../../../traffic/alarms/alarms.ts";
import { Digests } from "../../../traffic/digest/digests.ts";
import { digestPost } from "../../../traffic/digest/post.ts";
import { DIGEST_RECORD } from "../../../traffic/digest/record.ts";
import type { OwnerContext } from "../../context.ts";
import type { Handler } from "../../route.ts";
import type { DigestAnswer, DigestSentAnswer } from "../../wire.ts";
import { expectAllowed } from "./site-alarms.ts";
import { settingRoutes } from "./site-setting.ts";
import { siteOf } from "./sites.ts";

interface DigestParts {
  numbers: Numbers;
  clock: Pick<Clock, "now">;
  digests: Digests;
  origins: Pick<Origins, "isAllowed">;
}

/** The digest of a site: a change makes it this box's from then on. */
const digestSetting = ({ clock, digests, origins }: DigestParts) => ({
  kind: DIGEST,
  read: (input: unknown): KeptDigest => {
    const settings = readDigest(input);
    expectAllowed(settings.webhook, origins);
    return { ...settings, box: digests.box, since: clock.now() };
  },
  none: { ...NO_DIGEST, isElsewhere: false, next: null, last: null },
  shown: ({ box, since: _, ...settings }: KeptDigest, site: SiteKey): DigestAnswer => {
    const { next, last } = digests.standing(site) ?? { next: null, last: null };
    return { ...settings, next, last, isElsewhere: box !== digests.box };
  },
  changed: () => digests.reload(),
});

/** `POST /api/sites/:id/digest`: sends it now, once more → what came of it */
const sendDigest: Handler<DigestParts> = async (ctx, parts): Promise<DigestSentAnswer> => {
  const sent = await parts.digests.sendNow(siteOf(ctx, parts.numbers).key);
  return {
    sent: sent.map(({ target, outcome }) => ({
      target,
      problem: outcome.kind === "sent" ? null : outcome.why,
    })),
  };
};

interface Sending {
  readonly outgoing: RequestSender;
  readonly origins: Origins;
  readonly channels: Channels;
  readonly mail: MailServer;
  readonly alarms: Pick<Alarms, "changed">;
  /** The id of this box. */
  readonly id: string;
}

export async function startDigests({
  log,
  random,
  store: { local, numbers },
  routes,
  ends,
  ...sending
}: OwnerContext & Sending): Promise<void> {
  const { outgoing, origins, channels, mail, alarms, id } = sending;
  const { clock } = numbers;
  const alarmLog = await AlarmLog.open(documentsIn(local, ALARM_LOG));
  ends.defer(alarms.changed.on((alarm) => alarmLog.note(alarm, clock.now())));
  const newId = () => random.bytes(16).toString("hex");
  const digests = await Digests.open({
    numbers,
    clock,
    log,
    box: id,
    documents: documentsIn(local, DIGEST_RECORD),
    post: digestPost({
      request: (request) => outgoing.send(request, 1),
      mail: (each) => mail.send({ ...each, id: newId(), date: clock.now() }),
      push: (channel, text, site) => {
        const isOneOfMany = numbers.directory.sites.length > 1;
        channels.set(channel, { text, ttl: 0 }, isOneOfMany ? site : null);
      },
    }),
    alarms: (site, from, until) => alarmLog.within(site, from, until),
  });
  closeWith(ends, digests);
  ends.defer(mail.changed.on(() => digests.tryAgain()));
  const parts = { numbers, clock, digests, origins };
  routes.owner(parts, settingRoutes("digest", digestSetting(parts)));
  routes.owner(parts, { "POST /api/sites/:id/digest": sendDigest });
}
