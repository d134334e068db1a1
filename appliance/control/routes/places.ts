import { FLAG, listOf, nullable, objectOf, textUpTo } from "../../base/input/schema.ts";
import { invalidField, Refusal } from "../../base/refusal.ts";
import { closeWith } from "../../base/tasks/closing.ts";
import type { Origins } from "../../deck/actions/origins.ts";
import type { RequestSender } from "../../deck/actions/request-sender.ts";
import type { Numbers } from "../../store/store.ts";
import { webhookRequest } from "../../traffic/alarms/alarms.ts";
import { PlaceAlarms } from "../../traffic/places/alarms.ts";
import { PlaceLine } from "../../traffic/places/ask.ts";
import { homesChange, homesOf, inviteHome } from "../../traffic/places/homes.ts";
import { placeAddress, readInvitation } from "../../traffic/places/invitation.ts";
import { NOT_TAKEN } from "../../traffic/places/matching.ts";
import { type KnownPlace, newPlace, Places } from "../../traffic/places/places.ts";
import type { OwnerContext } from "../context.ts";
import { bodyWith } from "../input.ts";
import type { RoutesOf } from "../route.ts";
import type { PlaceWatch } from "../standing/place-watch.ts";
import type { NewHome, PlaceAlarm, PlaceStanding, PlacesAnswer } from "../wire.ts";
import { codeRows, type PublicParts } from "./box/public-address.ts";
import { expectAllowed, WEBHOOK } from "./sites/site-alarms.ts";

interface Parts {
  readonly places: Places;
  readonly alarms: PlaceAlarms;
  readonly origins: Pick<Origins, "isAllowed">;
  readonly numbers: Numbers;
  readonly randomId: () => string;
  readonly randomBytes: (bytes: number) => Buffer;
  /** The public address of this machine, live or on its way; null for none. */
  readonly publicUrl: () => string | null;
  readonly code: PublicParts["code"];
}

const ADDRESS = "must be like https://stats.example.com, without a path";
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

const readHome = bodyWith(
  {},
  {
    name: { ...textUpTo(40), minLength: 1, description: "must be a name of 1 to 40 characters" },
    address: { ...textUpTo(280), description: ADDRESS },
  },
);

const ROUTES: RoutesOf<Parts> = {
  "GET /api/places": async (_, { places, numbers, alarms }): Promise<PlacesAnswer> => {
    const webhooks = await alarms.webhooks();
    return {
      places: (await places.list()).map((known) => ({
        ...viewOf(known),
        webhook: webhooks.get(known.id) ?? null,
      })),
      homes: (await homesOf(numbers)).map(({ id, body: { name, madeAt, askedAt } }) => ({
        id,
        name,
        madeAt,
        askedAt,
      })),
    };
  },

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

  /** `{name?, address?}` → 201 with the invitation of a home, which is shown this once */
  "POST /api/homes": async (ctx, { numbers, publicUrl, code, randomBytes }): Promise<NewHome> => {
    const { name = "home", address: given } = await readHome(ctx);
    const text = given ?? publicUrl();
    if (text === null)
      throw new Refusal(
        "no_public_address",
        "There is no public address yet: give it a name first, or say at which address home finds this machine.",
      );
    const address = placeAddress(text);
    if (address === undefined) throw invalidField("address", `${ADDRESS}.`);
    const invited = { name: name.trim(), address, now: numbers.clock.now() };
    if (invited.name === "") throw invalidField("name", "must be a name of 1 to 40 characters.");
    const invitation = await inviteHome(numbers, invited, randomBytes);
    ctx.status = 201;
    return { invitation, code: codeRows(code(invitation)) };
  },

  /** Makes an invitation worthless at once */
  "DELETE /api/homes/:id": async (ctx, { numbers }) => {
    const { id } = ctx.params;
    if (!(await homesOf(numbers)).some((home) => home.id === id))
      throw new Refusal("not_found", "There is no such invitation.");
    await numbers.write("changePlaces", [homesChange({ remove: [id] })]);
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
      isNone: site.as === NOT_TAKEN,
    })),
    disobeyed: disobeyed.map(([site, outcome]) => ({ site, outcome })),
  };
}

/** Fetches from places, and lets the owner say from which. */
export function startPlaces({
  placeWatch,
  outgoing,
  origins,
  address,
  code,
  ...context
}: OwnerContext & {
  readonly address: PublicParts["address"];
  readonly code: PublicParts["code"];
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
  routes.owner(
    {
      places,
      alarms,
      origins,
      numbers,
      code,
      publicUrl: () => address.view().url,
      randomBytes: random.bytes,
      randomId: () => random.bytes(8).toString("hex"),
    },
    ROUTES,
  );
}
