import { FLAG, listOf, nullable, objectOf, textUpTo } from "../../base/input/schema.ts";
import { invalidField } from "../../base/refusal.ts";
import { closeWith } from "../../base/tasks/closing.ts";
import type { Origins } from "../../deck/actions/origins.ts";
import type { RequestSender } from "../../deck/actions/request-sender.ts";
import type { Numbers } from "../../store/store.ts";
import { webhookRequest } from "../../traffic/alarms/alarms.ts";
import { PlaceAlarms } from "../../traffic/places/alarms.ts";
import { PlaceLine } from "../../traffic/places/ask.ts";
import { homesOf } from "../../traffic/places/homes.ts";
import { readInvitation } from "../../traffic/places/invitation.ts";
import { NOT_TAKEN } from "../../traffic/places/matching.ts";
import { type KnownPlace, newPlace, Places } from "../../traffic/places/places.ts";
import type { OwnerContext } from "../context.ts";
import { bodyWith } from "../input.ts";
import type { RoutesOf } from "../route.ts";
import type { PlaceWatch } from "../standing/place-watch.ts";
import type { PlaceAlarm, PlaceStanding, PlacesAnswer } from "../wire.ts";
import { expectAllowed, WEBHOOK } from "./sites/site-alarms.ts";

interface Parts {
  readonly places: Places;
  readonly alarms: PlaceAlarms;
  readonly origins: Pick<Origins, "isAllowed">;
  readonly numbers: Numbers;
  readonly randomId: () => string;
}

const NAME = { ...textUpTo(40), description: "must be a name of at most 40 characters" };

const readNew = bodyWith(
  { invitation: { ...textUpTo(400), description: "must be the line that the place printed" } },
  { name: NAME, makesSites: FLAG },
);

const readChange = bodyWith(
  {},
  {
    name: NAME,
    /** Which of ours those of the place are; null for none. Others stay as they are. */
    sites: {
      ...listOf(objectOf({ id: textUpTo(64), as: nullable(textUpTo(64)) }), 10_000),
      description: "must be a list of sites of the place",
    },
    makesSites: FLAG,
  },
);

const readAlarm = bodyWith({ webhook: WEBHOOK });

const ROUTES: RoutesOf<Parts> = {
  "GET /api/places": async (_, { places, numbers, alarms }): Promise<PlacesAnswer> => ({
    places: await Promise.all(
      (await places.list()).map(async (known) => ({
        ...viewOf(known),
        webhook: await alarms.webhookOf(known.id),
      })),
    ),
    homes: (await homesOf(numbers)).map(({ body: { name, madeAt, askedAt } }) => ({
      name,
      madeAt,
      askedAt,
    })),
  }),

  /** `{invitation, name?, makesSites?}` → 201 with the place, from which is fetched from now on */
  "POST /api/places": async (ctx, { places, randomId }): Promise<PlaceStanding> => {
    const { invitation, name, makesSites = false } = await readNew(ctx);
    const found = readInvitation(invitation);
    if (found === undefined)
      throw invalidField(
        "invitation",
        "must be the line that the place printed, which begins with tallydeck-place:https://.",
      );
    const known = await places.list();
    const twin = known.find(({ place }) => place.address === found.address);
    const about = { ...found, name: name ?? new URL(found.address).hostname, makesSites };
    // Another invitation of the same place takes the place of the one before: its token was lost, or it moved.
    const kept = twin && { ...twin.place, ...about, name: name ?? twin.place.name, lie: null };
    ctx.status = 201;
    return viewOf(await places.put(twin?.id ?? randomId(), kept ?? newPlace(about)));
  },

  /** `{name?, sites?, makesSites?}`; a place that is not believed is asked again */
  "PATCH /api/places/:id": async (ctx, { places }): Promise<PlaceStanding> => {
    const { name, sites = [], makesSites } = await readChange(ctx);
    const { id, place } = await places.find(ctx.params.id);
    const wanted = new Map(sites.map((site) => [site.id, site.as ?? NOT_TAKEN]));
    const next = {
      ...place,
      lie: null,
      ...(name !== undefined && { name }),
      ...(makesSites !== undefined && { makesSites }),
      sites: place.sites.map((site) => {
        const as = wanted.get(site.id);
        return as === undefined || as === site.as ? site : { ...site, as, number: null };
      }),
    };
    const isOther = next.sites.some((site, at) => site !== place.sites[at]);
    return viewOf(await places.put(id, next, isOther));
  },

  /** `{webhook}`, which is told that nothing comes from there, and that it does again; null for none → the same */
  "PUT /api/places/:id/alarm": async (ctx, { places, alarms, origins }): Promise<PlaceAlarm> => {
    const { webhook } = await readAlarm(ctx);
    expectAllowed(webhook, origins);
    const { id } = await places.find(ctx.params.id);
    await alarms.setWebhook(id, webhook);
    return { webhook };
  },

  /** Fetches from there no more; its counts stay, as a source */
  "DELETE /api/places/:id": async (ctx, { places, alarms }) => {
    await alarms.end(await places.find(ctx.params.id));
    await places.remove(ctx.params.id);
  },
};

function viewOf({ id, place, state, problem, disobeyed, isSilent }: KnownPlace): PlaceStanding {
  const { name, address, lie, makesSites } = place;
  return {
    id,
    name,
    address,
    lie,
    problem,
    isSilent,
    makesSites,
    answeredAt: state?.at ?? null,
    hits: state?.hits ?? 0,
    sites: place.sites.map((site) => ({
      id: site.id,
      host: site.host,
      as: site.as === NOT_TAKEN ? null : site.as,
    })),
    disobeyed: disobeyed.map(([site, outcome]) => ({ site, outcome })),
  };
}

/** Fetches from places, and lets the owner say from which. */
export function startPlaces({
  placeWatch,
  outgoing,
  origins,
  ...context
}: OwnerContext & {
  readonly placeWatch: PlaceWatch;
  readonly outgoing: RequestSender;
  readonly origins: Origins;
}): void {
  const { clock, log, random, store, routes, ends } = context;
  const { numbers } = store;
  const line = new PlaceLine(clock);
  const places = closeWith(ends, new Places({ numbers, clock, log, line, random: Math.random }));
  places.begin();
  ends.defer(placeWatch.follow(places));
  const send = (url: string, alarm: object) => outgoing.send(webhookRequest(url, alarm));
  const alarms = closeWith(ends, new PlaceAlarms({ numbers, clock, places, send }));
  const randomId = () => random.bytes(8).toString("hex");
  routes.owner({ places, alarms, origins, numbers, randomId }, ROUTES);
}
