import type { Context } from "koa";
import { formatDay, parseDay } from "../../../base/calendar.ts";
import { optionalJson, readBytes } from "../../../base/http/body.ts";
import { allowUpload } from "../../../base/http/connection.ts";
import { integerFrom, textUpTo } from "../../../base/input/schema.ts";
import { shape } from "../../../base/input/shape.ts";
import { siteIdOf } from "../../../base/names.ts";
import { invalidField, Refusal } from "../../../base/refusal.ts";
import { isTimeZone } from "../../../base/time-zone.ts";
import { type Numbers, readAbout, type SiteRecord } from "../../../store/store.ts";
import { bodyWith, takingBody } from "../../input.ts";
import { totalsOf } from "../../moving/preview.ts";
import { IMPORT_OPTIONS } from "../../moving/upload-view.ts";
import { PIECE_BYTES, type Uploads } from "../../moving/uploads.ts";
import type { ControlContext, RoutesOf } from "../../route.ts";
import type { ImportOptions, ImportsAnswer, ImportUpload, SiteImport } from "../../wire.ts";
import { siteOf } from "./sites.ts";

interface ImportParts {
  numbers: Numbers;
  uploads: Uploads;
}

const readFile = bodyWith({
  name: {
    ...textUpTo(1_024),
    minLength: 1,
    description: "must be the name of a file, of at most 1,024 characters",
  },
  size: { ...integerFrom(1), description: "must be the size of the file in bytes, from 1" },
});

const readWishes = shape(IMPORT_OPTIONS);

export const IMPORT_ROUTES: RoutesOf<ImportParts> = {
  /** The imports of the site, and the file that the box takes in now. */
  "GET /api/sites/:id/imports": async (ctx, parts): Promise<ImportsAnswer> => {
    const site = siteOf(ctx, parts.numbers);
    ctx.set("Cache-Control", "no-store");
    return { imports: await importsOf(site, ctx, parts), upload: parts.uploads.view };
  },

  /** `?confirm=<number>`: deletes an import with all that it brought. */
  "DELETE /api/sites/:id/imports/:number": async (ctx, parts) => {
    const { numbers, uploads } = parts;
    const site = siteOf(ctx, numbers);
    const { number } = ctx.params;
    const found = (await importsOf(site, ctx, parts)).find((one) => `${one.number}` === number);
    if (found === undefined) throw new Refusal("not_found", `${site.id} has no import ${number}.`);
    if ([ctx.query.confirm].flat()[0] !== number)
      throw invalidField(
        "confirm",
        `must be the number of the import: this deletes all that ${found.name} brought. If you mean it, ask with ?confirm=${number}.`,
      );
    if (uploads.view?.state === "writing")
      throw new Refusal(
        "exchange_busy",
        "An import is at work on this machine. Wait, or cancel it.",
      );
    while ((await numbers.write("deleteSource", { number: found.number })) === "more");
  },

  /** `{name, size}` → 201 with the upload, of which nothing is here yet */
  "POST /api/sites/:id/uploads": async (ctx, parts): Promise<ImportUpload> => {
    const { id } = siteOf(ctx, parts.numbers);
    const { name, size } = await readFile(ctx);
    ctx.status = 201;
    return await parts.uploads.begin(id, name, size);
  },

  "GET /api/sites/:id/uploads/:upload": (ctx, parts): ImportUpload => {
    ctx.set("Cache-Control", "no-store");
    return uploadOf(ctx, parts).view;
  },

  /** `?offset=<bytes>`, the body being the next piece → the upload */
  "PUT /api/sites/:id/uploads/:upload": async (ctx, parts): Promise<ImportUpload> => {
    allowUpload(ctx.req);
    return await takingBody(ctx, async () => {
      const upload = uploadOf(ctx, parts);
      await upload.append(offsetOf(ctx), () => readBytes(ctx.req, PIECE_BYTES));
      return upload.view;
    });
  },

  /** At any moment. The days that were brought stay. */
  "DELETE /api/sites/:id/uploads/:upload": ({ params }, { uploads }) =>
    uploads.cancel(siteIdOf(params.id), params.upload),

  /** `{from?, to?, zone?, host?, logFormat?}` → 202: `GET` tells when it was read */
  "POST /api/sites/:id/uploads/:upload/inspect": async (ctx, parts): Promise<ImportUpload> => {
    const wishes = wishesOf(await optionalJson(ctx, {}));
    const upload = uploadOf(ctx, parts);
    upload.inspect(wishes);
    ctx.status = 202;
    return upload.view;
  },

  /** `{from?, to?, zone?, host?, logFormat?, replace?}` → 202: `GET` tells when it is done */
  "POST /api/sites/:id/uploads/:upload/bring": async (ctx, parts): Promise<ImportUpload> => {
    const wishes = wishesOf(await optionalJson(ctx, {}));
    const upload = uploadOf(ctx, parts);
    await upload.bring(wishes);
    ctx.status = 202;
    return upload.view;
  },
};

function uploadOf({ params }: Pick<ControlContext, "params">, { uploads }: ImportParts) {
  return uploads.find(siteIdOf(params.id), params.upload);
}

/** @throws {Refusal} `invalid_field` */
function offsetOf({ query }: Context): number {
  const text = [query.offset].flat()[0] ?? "";
  if (!/^\d{1,15}$/.test(text))
    throw invalidField("offset", "must be the number of bytes that the machine has already.");
  return Number(text);
}

/** @throws {Refusal} `invalid_field` */
function wishesOf(input: unknown): ImportOptions {
  const wishes = readWishes(input);
  const { from, to, zone } = wishes;
  for (const [name, text] of Object.entries({ from, to }))
    if (text !== undefined && parseDay(text) === undefined)
      throw invalidField(name, "must be a day like 2026-01-31.");
  if ((from === undefined) !== (to === undefined) || (to ?? "") < (from ?? ""))
    throw invalidField("to", `goes with "from", a day that is not after it.`);
  if (zone !== undefined && !isTimeZone(zone))
    throw invalidField("zone", "must be a time zone by its IANA name, like Europe/Zurich or UTC.");
  return wishes;
}

/** The imports of a site, the newest first. */
async function importsOf(
  site: SiteRecord,
  { socket }: Context,
  { numbers }: ImportParts,
): Promise<SiteImport[]> {
  const asker = { lane: "owner", gone: () => socket.destroyed } as const;
  const sources = await numbers.read("sourceDays", { site: site.key }, asker);
  return sources
    .filter(({ kind, days }) => kind === "import" && days.length > 0)
    .map(({ number, name, about, runAt, days }) => ({
      number,
      name,
      format: readAbout(about)?.format ?? null,
      from: formatDay(days[0]?.day ?? 0),
      to: formatDay(days.at(-1)?.day ?? 0),
      days: days.length,
      totals: totalsOf(days.map(({ sums }) => sums)),
      at: runAt,
    }))
    .sort((a, b) => b.number - a.number);
}
