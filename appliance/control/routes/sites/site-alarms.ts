import { jsonBody } from "../../../base/http/body.ts";
import { originOf } from "../../../base/input/origin.ts";
import { siteIdOf } from "../../../base/names.ts";
import { invalidField } from "../../../base/refusal.ts";
import type { Origins } from "../../../deck/actions/origins.ts";
import type { Numbers } from "../../../store/store.ts";
import type { Alarms } from "../../../traffic/alarms/alarms.ts";
import { shape, TRUTH } from "../../input.ts";
import type { Handler } from "../../route.ts";
import type { SiteAlarms } from "../../wire.ts";
import { expectDone, noSuchSite } from "./sites.ts";

export interface AlarmsParts {
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
export const findAlarms: Handler<AlarmsParts, SiteAlarms> = async (ctx, { numbers }) => {
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
export const changeAlarms: Handler<AlarmsParts, SiteAlarms> = async (ctx, parts) => {
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
