import { Worker } from "node:worker_threads";
import { Refusal } from "../../base/refusal.ts";
import { toStored } from "../../deck/deck-settings.ts";
import { jsonBytes } from "../input.ts";
import type { Handler } from "../route.ts";
import type { ImportPreview } from "../wire.ts";
import type { SettingsParts } from "./settings.ts";
import type { CheckAnswer, CheckRequest } from "./settings-check.ts";
import type { CheckedImport } from "./settings-reader.ts";

const IMPORT_BYTES = 4_194_304;
/** The longest that a check may take: on a small board the largest file takes a few seconds. */
const CHECK_MS = 30_000;
/** The heap of the thread: several times the largest file, and what is set here beside it. */
const CHECK_MEMORY = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 96 };

/** For whose store a file is looked at: one at a time, for a check takes memory. */
const checking = new WeakSet<object>();

/**
 * `POST /api/settings/import`: checked whole first, then merged in; deletes nothing. With `?preview=1`
 * it is only checked, and the answer says what would change.
 */
export const importSettings: Handler<SettingsParts, ImportPreview> = async (ctx, parts) => {
  const { store, decks } = parts;
  const imported = await checkedAside(await jsonBytes(ctx, IMPORT_BYTES), parts);
  for (const { widget, at } of imported.pictures) decks.setUp.checkWidget(widget, at);
  if (ctx.query.preview === "1") {
    ctx.body = imported.preview;
    return;
  }
  await decks.setUp.merge(imported.decks, async (merged) => {
    const before = await store.write("importSettings", {
      sites: imported.sites,
      decks: merged.map(toStored),
    });
    return async () => leftAsTheyAre(await store.write("undoImport", before));
  });
  ctx.status = 204;
};

/** @throws {Refusal} `exchange_busy`, `too_large`, and as the check does */
async function checkedAside(
  body: Buffer,
  { clock, store, decks }: SettingsParts,
): Promise<CheckedImport> {
  if (checking.has(store))
    throw new Refusal("exchange_busy", "Other settings are looked at. Try again in a minute.");
  checking.add(store);
  const worker = new Worker(new URL("settings-check.ts", import.meta.url), {
    name: "settings",
    resourceLimits: CHECK_MEMORY,
  });
  const { promise, resolve, reject } = Promise.withResolvers<CheckAnswer>();
  const tooMuch = new Refusal(
    "too_large",
    "These settings take too much to look through. Take them in in parts: some decks, then others.",
  );
  const cancel = clock.after(CHECK_MS, () => reject(tooMuch));
  worker.once("message", resolve);
  worker.once("error", (error: NodeJS.ErrnoException) =>
    reject(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? tooMuch : error),
  );
  try {
    const sites = store.directory.sites.map(({ id, host, badge, declared }) => ({
      id,
      host,
      badge,
      declared,
    }));
    const here = { sites, decks: decks.setUp.settings() };
    worker.postMessage({ body, here } satisfies CheckRequest);
    const answer = await promise;
    if (!answer.ok) throw new Refusal(answer.code, answer.message);
    return answer.checked;
  } finally {
    cancel();
    await worker.terminate();
    checking.delete(store);
  }
}

/** @param sites new ones that have counted since, and those whose host another site has now */
function leftAsTheyAre(sites: readonly string[]): string {
  if (sites.length === 0) return "";
  return `Sites left as they are, for they have counted since or their host is taken: ${sites.join(", ")}.`;
}
