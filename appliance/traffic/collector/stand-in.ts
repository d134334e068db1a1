import Koa, { type Middleware } from "koa";
import type { Client } from "../../base/http/client.ts";
import { HttpError } from "../../base/http/errors.ts";
import type { Pages } from "../../base/http/pages.ts";
import type { Log } from "../../base/log.ts";
import { fixedRoutes, withRoutes } from "./frame.ts";
import { type PublicFacts, publicSurface } from "./public-surface.ts";
import { answerGif } from "./routes/hits.ts";
import { surveyPreflight } from "./routes/survey.ts";

const READS = [
  "/stats",
  "/goals",
  "/marks",
  "/overview",
  "/surveys",
  "/surveys/export",
  "/surveys/versions",
  "/sites",
  "/public-address",
  "/web-ui",
  "/badge",
];

interface StandInParts {
  pages: Pages;
  log: Log;
  client: Client;
  door: PublicFacts;
}

/** The public listener while the data cannot be used: visitors notice nothing, and nothing counts. */
export function createStandIn({ pages, log, client, door }: StandInParts): Koa {
  const router = fixedRoutes(pages, () => 0)
    .get("/e", answerGif)
    .get("/a", answerGif)
    .post("/s", surveyRefused)
    .options("/s", surveyPreflight);
  router.post("/session", readRefused);
  for (const path of READS) router.get(path, readRefused);
  return withRoutes(new Koa(), router, log, publicSurface(door, client));
}

const surveyRefused: Middleware = (ctx) => {
  ctx.set("Access-Control-Allow-Origin", "*");
  throw unavailable("Nothing can be stored at the moment. Try again later.");
};

const readRefused: Middleware = () => {
  throw unavailable(
    "The data of this machine cannot be used at the moment. Its owner finds out more in the Web UI.",
  );
};

function unavailable(message: string): HttpError {
  return new HttpError(503, "storage_unavailable", message, { "Retry-After": "60" });
}
