import { originOf } from "../../../base/input/origin.ts";
import { FLAG, type SchemaOf } from "../../../base/input/schema.ts";
import { shape } from "../../../base/input/shape.ts";
import { invalidField } from "../../../base/refusal.ts";
import { closeWith } from "../../../base/tasks/closing.ts";
import type { Origins } from "../../../deck/actions/origins.ts";
import type { RequestSender } from "../../../deck/actions/request-sender.ts";
import { type Numbers, SITE_ALARMS } from "../../../store/store.ts";
import { Alarms, type SiteAlarm, webhookRequest } from "../../../traffic/alarms/alarms.ts";
import type { OwnerContext } from "../../context.ts";
import type { Handler } from "../../route.ts";
import type { SiteActivityAnswer, SiteAlarms } from "../../wire.ts";
import { settingRoutes } from "./site-setting.ts";

const NONE: SiteAlarms = { silence: false, rush: false, webhook: null };

/** The form of a webhook; null for none. */
export const WEBHOOK: SchemaOf<string | null> = {
  type: ["string", "null"],
  maxLength: 2_048,
  description: "must be the address of a webhook of at most 2,048 characters, or null",
};

const readAlarms = shape<SiteAlarms>({
  properties: {
    silence: FLAG,
    rush: FLAG,
    webhook: WEBHOOK,
  },
  required: ["silence", "rush", "webhook"],
});

/** Refuses a webhook that its owner has not allowed. @throws {Refusal} `invalid_field` */
export function expectAllowed(webhook: string | null, origins: Pick<Origins, "isAllowed">): void {
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

interface ActivityParts {
  numbers: Pick<Numbers, "clock" | "directory" | "live" | "read" | "zone">;
  alarms: Pick<Alarms, "stateOf">;
}

/** `GET /api/site-activity`: the activity of each site. */
const showSiteActivity: Handler<ActivityParts> = async (
  ctx,
  { numbers, alarms },
): Promise<SiteActivityAnswer> => {
  const { sites } = numbers.directory;
  const now = numbers.clock.now();
  const found = await numbers.read("siteActivity", {
    sites: sites.map(({ key, id }) => ({ key, id })),
    today: numbers.zone.today(now),
  });
  const live = new Map(sites.map(({ key, id }) => [id, numbers.live.of(key)]));
  ctx.set("Cache-Control", "no-store");
  return {
    zone: numbers.zone.nameAt(now),
    sites: found.map((site) => ({
      ...site,
      live: live.get(site.id) ?? 0,
      alarms: {
        silence: alarms.stateOf(site.id, "silence"),
        rush: alarms.stateOf(site.id, "rush"),
      },
    })),
  };
};

export function startAlarms({
  store: { numbers },
  routes,
  ends,
  outgoing,
  origins,
}: OwnerContext & { outgoing: RequestSender; origins: Origins }): Alarms {
  // `since` is epoch milliseconds.
  const send = (url: string, { site, kind, state, since, sentence }: SiteAlarm) =>
    outgoing.send(webhookRequest(url, { site, alarm: kind, state, since, text: sentence }));
  const alarms = closeWith(ends, new Alarms({ numbers, send }));
  const setting = {
    kind: SITE_ALARMS,
    read: (input: unknown) => {
      const wanted = readAlarms(input);
      expectAllowed(wanted.webhook, origins);
      return wanted;
    },
    none: NONE,
    shown: ({ silence, rush, webhook }: SiteAlarms) => ({ silence, rush, webhook }),
    changed: () => alarms.reload(),
  };
  // `PUT` takes `{silence, rush, webhook}`, in the place of those before.
  routes.owner({ numbers }, settingRoutes("alarms", setting));
  routes.owner({ numbers, alarms }, { "GET /api/site-activity": showSiteActivity });
  return alarms;
}
