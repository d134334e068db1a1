import type Koa from "koa";
import type { Middleware } from "koa";
import type { Client } from "../../base/http/client.ts";
import type { Listener } from "../../base/http/listen.ts";
import type { Pages } from "../../base/http/pages.ts";
import type { Log } from "../../base/log.ts";
import type { Numbers } from "../../store/store.ts";
import { TagPlaces } from "../places/tags.ts";
import { Access } from "./access.ts";
import { alive, fixedRoutes, withRoutes } from "./frame.ts";
import { HitCounter } from "./hit-counter.ts";
import { type PublicFacts, publicSurface, REACHED_PATH } from "./public-surface.ts";
import type { ReadSessions } from "./read-sessions.ts";
import { readinessRoute, whenReady } from "./readiness.ts";
import { badgeRoute } from "./routes/badge.ts";
import { goalsRoute, marksRoute } from "./routes/goals.ts";
import { countHits, HitsApp, hitRoute } from "./routes/hits.ts";
import { placeRoutes } from "./routes/place.ts";
import { publicAddressRoute, reachedRoute } from "./routes/public-address.ts";
import { overviewRoute, statsRoute } from "./routes/stats.ts";
import { surveyPreflight, surveyRoute } from "./routes/survey.ts";
import { surveysExportRoute, surveysRoute, surveyVersionsRoute } from "./routes/surveys.ts";
import { webUiRoute } from "./routes/web-ui.ts";
import { ShareUses } from "./share-uses.ts";
import type { Sites } from "./sites.ts";
import type { SessionAnswer, SiteEntry, Warning } from "./wire.ts";

interface CollectorParts {
  numbers: Numbers;
  sites: Sites;
  readSessions: ReadSessions;
  client: Client;
  log: Log;
  /** The files of the web build. */
  pages: Pages;
  /** The problems that the box has now. */
  warnings: () => readonly Warning[];
  door: PublicFacts;
  /** Whether the service is about to stop. */
  isDraining?: () => boolean;
  tally?: HitCounter;
  /** The listener of the Web UI, once there is one. */
  control?: () => Listener | undefined;
  /** Aborted when the service is about to stop: a home that waits for changes is answered. */
  stopping: AbortSignal;
}

/** The public listener: collection, reads, badge, pages. */
export function createCollector(parts: CollectorParts): Koa {
  const { numbers, sites, readSessions, client, log, warnings, door } = parts;
  const { clock } = numbers;
  const { isDraining = () => false } = parts;
  const readiness = {
    get ready() {
      return numbers.ready;
    },
    get draining() {
      return isDraining();
    },
  };
  const shareUses = new ShareUses(numbers);
  const access = new Access({ sites, readSessions, shareUses, client, clock });
  const { tally = new HitCounter(), control = () => undefined } = parts;
  const places = placeRoutes(parts);
  const tagPlaces = new TagPlaces(numbers);
  const hits = countHits({ ...parts, tally });

  const ahead = () => numbers.zone.wall(clock.now()) - clock.now();
  const router = fixedRoutes(parts.pages, ahead, {
    root: readinessRoute(readiness, alive),
    reached: async () => (await tagPlaces.find()).addresses,
  })
    .options("/s", surveyPreflight)
    .use(whenReady(readiness))
    .get("/e", hitRoute(hits["/e"]))
    .get("/a", hitRoute(hits["/a"]))
    .post("/s", surveyRoute({ ...parts, tally }))
    .post("/session", sessionRoute(access))
    .get("/stats", statsRoute(access, { numbers, warnings }))
    .get("/goals", goalsRoute(access, numbers))
    .get("/marks", marksRoute(access, numbers))
    .get("/overview", overviewRoute(access, sites, { numbers, warnings }))
    .get("/surveys", surveysRoute(access, numbers))
    .get("/surveys/versions", surveyVersionsRoute(access, numbers))
    .get("/surveys/export", surveysExportRoute(access, numbers))
    .get("/sites", sitesRoute(access, sites))
    .get("/public-address", publicAddressRoute(door, access, tagPlaces))
    .get("/web-ui", webUiRoute(access, client, control))
    .get("/place/changes", places.changes)
    .put("/place/sites", places.sites)
    .get("/badge", badgeRoute(sites, numbers, client))
    .get(`${REACHED_PATH}:nonce`, reachedRoute(door, client));
  return withRoutes(new HitsApp(hits, readiness), router, log, publicSurface(door, client));
}

function sitesRoute(access: Access, sites: Sites): Middleware {
  return (ctx) => {
    access.admin(ctx);
    ctx.set("Cache-Control", "no-store");
    ctx.body = sites.all.map(({ id, host }): SiteEntry => ({ id, host }));
  };
}

/** `POST /session` with a code as the token → `{token}`, which reads every site for a while. */
function sessionRoute(access: Access): Middleware {
  return (ctx) => {
    ctx.set("Cache-Control", "no-store");
    ctx.body = { token: access.redeem(ctx) } satisfies SessionAnswer;
  };
}
