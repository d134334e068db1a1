import { Worker } from "node:worker_threads";
import type { Clock } from "../../../base/clock.ts";
import { jsonBytes } from "../../../base/http/body.ts";
import { Refusal } from "../../../base/refusal.ts";
import type { Cancel } from "../../../base/signal.ts";
import { shownSettings } from "../../../deck/deck-view.ts";
import type { Decks } from "../../../deck/decks.ts";
import { DECKS, type DeckSettings, deckDocument } from "../../../deck/settings/deck-settings.ts";
import { EMPTY } from "../../../deck/settings/pages.ts";
import { modelById } from "../../../deck/usb/models.ts";
import { documentsChange, type Store } from "../../../store/store.ts";
import type { RoutesOf } from "../../route.ts";
import type { ImportPreview, SettingsAnswer } from "../../wire.ts";
import type { CheckAnswer, CheckRequest } from "./settings-check.ts";
import type { CheckedImport } from "./settings-reader.ts";

interface SettingsParts {
  clock: Pick<Clock, "after">;
  store: Store;
  decks: Decks;
}

/** Every slot of every page, so that an import makes those empty that are. */
function exported(settings: DeckSettings): DeckSettings {
  const { slots: places = [] } = modelById(settings.model) ?? {};
  const empty = Object.fromEntries(places.map(({ slot }) => [slot, EMPTY]));
  const shown = shownSettings(settings);
  const pages = shown.pages.map(({ name, slots }) => ({ name, slots: { ...empty, ...slots } }));
  return { ...shown, pages };
}

const IMPORT_BYTES = 4_194_304;
/** The longest that a check may take: on a small board the largest file takes a few seconds. */
const CHECK_MS = 30_000;
/** The heap of the thread: enough for the largest file several times, beside the present settings. */
const CHECK_MEMORY = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 96 };
/** Settings that were looked at are mostly taken in next, and to start a thread takes longer than most checks. */
const KEPT_MS = 60_000;

/** The stores with a running check. There is one at a time, since it takes memory. */
const checking = new WeakSet<object>();
/** The thread of the last check, that waits for the next. */
let idle: { readonly worker: Worker; readonly cancel: Cancel } | undefined;

export const SETTINGS_ROUTES: RoutesOf<SettingsParts> = {
  /** Decks, widgets and sites; never a token or a hash. */
  "GET /api/settings/export": (ctx, { store, decks }): SettingsAnswer => {
    ctx.attachment("tallydeck-settings.json");
    ctx.set("Cache-Control", "no-store");
    ctx.type = "application/json";
    return {
      tallydeck: "settings",
      decks: decks.setUp.settings().map(exported),
      sites: store.numbers.directory.sites.map(({ id, host, badge }) => ({ id, host, badge })),
    };
  },

  /**
   * Checks all of a file, then merges it into the settings, and deletes none. With `?preview=1` it only checks the file, and
   * answers the changes.
   */
  "POST /api/settings/import": async (ctx, parts): Promise<ImportPreview | undefined> => {
    const { store, decks } = parts;
    const imported = await checkedAside(await jsonBytes(ctx, IMPORT_BYTES), parts);
    for (const { widget, at } of imported.pictures) decks.setUp.checkWidget(widget, at);
    if (ctx.query.preview === "1") return imported.preview;
    await decks.setUp.merge(imported.decks, async (merged) => {
      const before = await store.write("importSettings", {
        sites: imported.sites,
        documents: [documentsChange(DECKS, { put: merged.map(deckDocument) })],
      });
      return async () => leftAsTheyAre(await store.write("undoImport", before));
    });
    return undefined;
  },
};

/** @throws {Refusal} `exchange_busy`, `too_large`, and as the check does */
async function checkedAside(
  body: Buffer,
  { clock, store, decks }: SettingsParts,
): Promise<CheckedImport> {
  if (checking.has(store))
    throw new Refusal("exchange_busy", "Other settings are looked at. Try again in a minute.");
  checking.add(store);
  const worker = idleThread() ?? newThread();
  const { promise, resolve, reject } = Promise.withResolvers<CheckAnswer>();
  const tooMuch = new Refusal(
    "too_large",
    "These settings take too much to look through. Take them in in parts: some decks, then others.",
  );
  const cancel = clock.after(CHECK_MS, () => reject(tooMuch));
  const fail = (error: NodeJS.ErrnoException) =>
    reject(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? tooMuch : error);
  worker.once("message", resolve).once("error", fail);
  try {
    const sites = store.numbers.directory.sites.map(({ id, host, badge, declared }) => ({
      id,
      host,
      badge,
      declared,
    }));
    const here = { sites, decks: decks.setUp.settings() };
    worker.postMessage({ body, here } satisfies CheckRequest);
    const answer = await promise;
    worker.off("error", fail);
    keep(worker, clock);
    if (!answer.ok) throw new Refusal(answer.code, answer.message);
    return answer.checked;
  } finally {
    cancel();
    if (idle?.worker !== worker) await worker.terminate();
    checking.delete(store);
  }
}

function newThread(): Worker {
  const worker = new Worker(new URL("settings-check.ts", import.meta.url), {
    name: "settings",
    resourceLimits: CHECK_MEMORY,
  });
  // An error without a listener would end the service, even while no check is waiting.
  worker.on("error", () => {});
  worker.once("exit", () => {
    if (idle?.worker === worker) idleThread();
  });
  return worker;
}

/** Lets it wait for the next check, unless another does. */
function keep(worker: Worker, clock: Pick<Clock, "after">): void {
  if (idle !== undefined) return;
  const cancel = clock.after(KEPT_MS, () => void idleThread()?.terminate());
  worker.unref();
  idle = { worker, cancel };
}

/** The thread that waits, which it does no longer. */
function idleThread(): Worker | undefined {
  const found = idle;
  idle = undefined;
  found?.cancel();
  found?.worker.ref();
  return found?.worker;
}

/** @param sites new sites with counts, and those whose host belongs to another site by now */
function leftAsTheyAre(sites: readonly string[]): string {
  if (sites.length === 0) return "";
  return `Sites left as they are, for they have counted since or their host is taken: ${sites.join(", ")}.`;
}
