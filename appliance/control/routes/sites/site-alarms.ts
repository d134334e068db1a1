import { jsonBody } from "../../../base/http/body.ts";
import { originOf } from "../../../base/input/origin.ts";
import { siteIdOf } from "../../../base/names.ts";
import { invalidField } from "../../../base/refusal.ts";
import { closeWith } from "../../../base/tasks/closing.ts";
import type { Origins } from "../../../deck/actions/origins.ts";
import type { RequestSender } from "../../../deck/actions/request-sender.ts";
import type { Numbers } from "../../../store/store.ts";
import { Alarms, type SiteAlarm, webhookRequest } from "../../../traffic/alarms/alarms.ts";
import type { OwnerContext } from "../../context.ts";
import { shape, TRUTH } from "../../input.ts";
import type { Handler } from "../../route.ts";
import type { SiteAlarms } from "../../wire.ts";
import { showSiteActivity } from "./site-activity.ts";
import { expectDone, noSuchSite } from "./sites.ts";

interface AlarmsParts {
  numbers: Numbers;
  alarms: Pick<Alarms, "reload" | "stateOf">;
  origins: Pick<Origins, "isAllowed">;
}

const NONE: SiteAlarms = { silence: false, rush: false, webhook: null };

const readAlarms = shape<SiteAlarms>({
  properties: {
    silence: TRUTH,
    rush: TRUTH,
    webhook: {
      type: ["string", "null"],
      maxLength: 2_048,
      description: "must be the address of a webhook of at most 2,048 characters, or null",
    },
  },
  required: ["silence", "rush", "webhook"],
});

/** `GET /api/sites/:id/alarms` → the alarms of a site */
const findAlarms: Handler<AlarmsParts, SiteAlarms> = async (ctx, { numbers }) => {
  const id = siteIdOf(ctx.params.id);
  const site = numbers.directory.sites.find((one) => one.id === id);
  if (site === undefined) throw noSuchSite(id);
  const all = await numbers.read("siteAlarms", undefined, {
    lane: "owner",
    gone: () => ctx.socket.destroyed,
  });
  const { silence, rush, webhook } = all.find((one) => one.site === site.key) ?? NONE;
  ctx.body = { silence, rush, webhook };
};

/** `PUT /api/sites/:id/alarms` `{silence, rush, webhook}`: replaces the alarms of a site. */
const changeAlarms: Handler<AlarmsParts, SiteAlarms> = async (ctx, parts) => {
  const id = siteIdOf(ctx.params.id);
  const { numbers, alarms } = parts;
  const wanted = readAlarms(await jsonBody(ctx));
  expectAllowed(wanted.webhook, parts.origins);
  expectDone(await numbers.write("setSiteAlarms", { id, alarms: wanted }), id, numbers);
  await alarms.reload();
  ctx.body = wanted;
};

/** Refuses a webhook that its owner has not allowed. @throws {Refusal} `invalid_field` */
export function expectAllowed(webhook: string | null, origins: AlarmsParts["origins"]): void {
  if (webhook === null) return;
  const origin = originOf(webhook);
  if (origin === undefined)
    throw invalidField(
      "webhook",
      "must be an address that begins with http:// or https://, without a user name.",
    );
  if (!origins.isAllowed(origin))
    throw invalidField(
      "webhook",
      `goes to ${origin}, which is not allowed yet. Allow it in the Web UI under Push, Allowed addresses.`,
    );
}

/** The alarms of sites. */
export function startAlarms({
  clock,
  store: { numbers },
  routes,
  ends,
  outgoing,
  origins,
}: OwnerContext & { outgoing: RequestSender; origins: Origins }): Alarms {
  const send = (url: string, alarm: SiteAlarm) => outgoing.send(webhookRequest(url, alarm));
  const alarms = closeWith(ends, new Alarms({ numbers, clock, send }));
  routes.owner(
    { numbers, alarms, origins },
    ["GET", "/api/sites/:id/alarms", findAlarms],
    ["PUT", "/api/sites/:id/alarms", changeAlarms],
  );
  routes.owner({ numbers, clock, alarms }, ["GET", "/api/site-activity", showSiteActivity]);
  return alarms;
}
