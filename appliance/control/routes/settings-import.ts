import { isDeepStrictEqual } from "node:util";
import {
  type DeckImport,
  type DeckSettings,
  toStored,
  withImport,
} from "../../deck/deck-settings.ts";
import type { Decks } from "../../deck/decks.ts";
import { EMPTY, type Slots } from "../../deck/pages.ts";
import type { SiteInput, Store } from "../../store/store.ts";
import { jsonBody } from "../input.ts";
import type { Handler } from "../route.ts";
import type { ImportPreview } from "../wire.ts";
import { IMPORT_BYTES, readImport } from "./settings.ts";

export interface SettingsParts {
  store: Store;
  decks: Decks;
}

/**
 * `POST /api/settings/import`: checked whole first, then merged in; deletes nothing. With `?preview=1`
 * it is only checked, and the answer says what would change.
 */
export const importSettings: Handler<SettingsParts, ImportPreview> = async (ctx, parts) => {
  const { store, decks } = parts;
  const imported = readImport(await jsonBody(ctx, IMPORT_BYTES), parts);
  if (ctx.query.preview === "1") {
    ctx.body = preview(imported, parts);
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

/** @param sites new ones that have counted since, and those whose host another site has now */
function leftAsTheyAre(sites: readonly string[]): string {
  if (sites.length === 0) return "";
  return `Sites left as they are, for they have counted since or their host is taken: ${sites.join(", ")}.`;
}

function preview(
  imported: { decks: readonly DeckImport[]; sites: readonly SiteInput[] },
  { decks, store }: Pick<SettingsParts, "decks" | "store">,
): ImportPreview {
  const here = new Map(decks.setUp.settings().map((deck) => [deck.id, deck]));
  const knownDecks = imported.decks.flatMap((deck) => {
    const now = here.get(deck.id);
    return now === undefined ? [] : [{ deck: withImport(now, deck), now }];
  });
  const sites = new Map(store.directory.sites.map((site) => [site.id, site]));
  return {
    keys: sum(knownDecks.map(({ deck, now }) => changedKeys(deck, now))),
    decks: {
      added: imported.decks.length - knownDecks.length,
      changed: knownDecks.filter(({ deck, now }) => !isDeepStrictEqual(rest(deck), rest(now)))
        .length,
    },
    sites: {
      added: imported.sites.filter(({ id }) => !sites.has(id)).length,
      changed: imported.sites.filter(({ id, host, badge }) => {
        const now = sites.get(id);
        if (now === undefined || now.declared) return false;
        const { host: wasAt, badge: hadBadge } = now;
        return (host !== undefined && host !== wasAt) || (badge ?? hadBadge) !== hadBadge;
      }).length,
    },
  };
}

/** Keys and zones of all pages that would be set otherwise. */
function changedKeys({ pages, fixed }: DeckSettings, now: DeckSettings): number {
  const counts = pages.map(({ slots }, place) => differing(slots, now.pages[place]?.slots ?? {}));
  return sum(counts) + differing(fixed, now.fixed);
}

function differing(some: Slots, others: Slots): number {
  return Object.keys({ ...some, ...others }).filter(
    (slot) => !isDeepStrictEqual(some[slot] ?? EMPTY, others[slot] ?? EMPTY),
  ).length;
}

/** What a deck has besides what its keys are set to. */
function rest({ fixed: _, pages, ...settings }: DeckSettings): object {
  return { ...settings, pages: pages.map(({ name }) => name) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}
