import type { Clock } from "../../../base/clock.ts";
import { jsonBody } from "../../../base/http/body.ts";
import { DIGEST, readDigest } from "../../../base/input/digest.ts";
import { siteIdOf } from "../../../base/names.ts";
import { closeWith } from "../../../base/tasks/closing.ts";
import { type DigestSettings, NO_DIGEST } from "../../../base/text/digest.ts";
import type { Origins } from "../../../deck/actions/origins.ts";
import type { RequestSender } from "../../../deck/actions/request-sender.ts";
import type { Channels } from "../../../deck/push/channels.ts";
import type { MailServer } from "../../../links/mail/mail-server.ts";
import { documentsIn, type Numbers, settingOfSite } from "../../../store/store.ts";
import { ALARM_LOG, AlarmLog } from "../../../traffic/alarms/alarm-log.ts";
import type { Alarms } from "../../../traffic/alarms/alarms.ts";
import { Digests } from "../../../traffic/digest/digests.ts";
import { digestPost } from "../../../traffic/digest/post.ts";
import { DIGEST_RECORD } from "../../../traffic/digest/record.ts";
import type { OwnerContext } from "../../context.ts";
import type { ControlContext, Handler } from "../../route.ts";
import type { DigestAnswer, DigestSentAnswer } from "../../wire.ts";
import { expectAllowed } from "./site-alarms.ts";
import { expectDone, noSuchSite } from "./sites.ts";

interface DigestParts {
  numbers: Numbers;
  clock: Pick<Clock, "now">;
  digests: Digests;
  origins: Pick<Origins, "isAllowed">;
}

/** `GET /api/sites/:id/digest` */
const findDigest: Handler<DigestParts, DigestAnswer> = async (ctx, parts) => {
  const { numbers, digests } = parts;
  const { key } = siteOf(ctx, parts);
  const asker = { lane: "owner", gone: () => ctx.socket.destroyed } as const;
  const kept = await settingOfSite(numbers, DIGEST, key, asker);
  if (kept === undefined) {
    ctx.body = { ...NO_DIGEST, isElsewhere: false, next: null, last: null };
    return;
  }
  const { box, since: _, ...settings } = kept;
  ctx.body = { ...answerOf(parts, key, settings), isElsewhere: box !== digests.box };
};

/** `PUT /api/sites/:id/digest`: it takes the place of the one before, and is this box's from now on. */
const changeDigest: Handler<DigestParts, DigestAnswer> = async (ctx, parts) => {
  const { numbers, clock, digests, origins } = parts;
  const id = siteIdOf(ctx.params.id);
  const settings = readDigest(await jsonBody(ctx));
  expectAllowed(settings.webhook, origins);
  const body = { ...settings, box: digests.box, since: clock.now() };
  expectDone(await numbers.write("setOfSite", { id, kind: DIGEST.name, body }), id, numbers);
  await digests.reload();
  ctx.body = { ...answerOf(parts, siteOf(ctx, parts).key, settings), isElsewhere: false };
};

/** `POST /api/sites/:id/digest`: sends it now, once more → what came of it */
const sendDigest: Handler<DigestParts, DigestSentAnswer> = async (ctx, parts) => {
  const sent = await parts.digests.sendNow(siteOf(ctx, parts).key);
  ctx.body = {
    sent: sent.map(({ target, outcome }) => ({
      target,
      problem: outcome.kind === "sent" ? null : outcome.why,
    })),
  };
};

function answerOf(
  { digests }: DigestParts,
  key: number,
  settings: DigestSettings,
): Omit<DigestAnswer, "isElsewhere"> {
  const { next, last } = digests.standing(key) ?? { next: null, last: null };
  return { ...settings, next, last };
}

/** @throws {Refusal} `not_found` */
function siteOf(ctx: ControlContext, { numbers }: Pick<DigestParts, "numbers">) {
  const id = siteIdOf(ctx.params.id);
  const site = numbers.directory.sites.find((one) => one.id === id);
  if (site === undefined) throw noSuchSite(id);
  return site;
}

interface Sending {
  readonly outgoing: RequestSender;
  readonly origins: Origins;
  readonly channels: Channels;
  readonly mail: MailServer;
  readonly alarms: Pick<Alarms, "changed">;
  /** The id of this box. */
  readonly id: string;
}

/** The digests that this box sends. */
export async function startDigests({
  clock,
  log,
  random,
  store: { box, numbers },
  routes,
  ends,
  ...sending
}: OwnerContext & Sending): Promise<void> {
  const { outgoing, origins, channels, mail, alarms, id } = sending;
  const alarmLog = await AlarmLog.open(documentsIn(box, ALARM_LOG));
  ends.defer(alarms.changed.on((alarm) => alarmLog.note(alarm, clock.now())));
  const newId = () => random.bytes(16).toString("hex");
  const digests = await Digests.open({
    numbers,
    clock,
    log,
    box: id,
    documents: documentsIn(box, DIGEST_RECORD),
    post: digestPost({
      request: (request) => outgoing.send(request, 1),
      mail: (each) => mail.send({ ...each, id: newId(), date: clock.now() }),
      push: (channel, text) => void channels.set(channel, { text, ttl: 0 }),
    }),
    alarms: (site, from, until) => alarmLog.within(site, from, until),
  });
  closeWith(ends, digests);
  ends.defer(mail.changed.on(() => digests.tryAgain()));
  routes.owner(
    { numbers, clock, digests, origins },
    ["GET", "/api/sites/:id/digest", findDigest],
    ["PUT", "/api/sites/:id/digest", changeDigest],
    ["POST", "/api/sites/:id/digest", sendDigest],
  );
}
