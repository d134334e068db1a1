import type { Clock } from "../../../base/clock.ts";
import { shownSettings } from "../../../deck/deck-view.ts";
import type { Decks } from "../../../deck/decks.ts";
import type { DeckSettings } from "../../../deck/settings/deck-settings.ts";
import { EMPTY } from "../../../deck/settings/pages.ts";
import { modelById } from "../../../deck/usb/models.ts";
import type { Store } from "../../../store/store.ts";
import type { Handler } from "../../route.ts";
import type { SettingsAnswer } from "../../wire.ts";

export interface SettingsParts {
  clock: Pick<Clock, "after">;
  store: Store;
  decks: Decks;
}

/** `GET /api/settings/export`: decks, widgets and sites; never a token or a hash. */
export const exportSettings: Handler<SettingsParts, SettingsAnswer> = (ctx, { store, decks }) => {
  ctx.attachment("tallydeck-settings.json");
  ctx.set("Cache-Control", "no-store");
  ctx.type = "application/json";
  ctx.body = {
    tallydeck: "settings",
    decks: decks.setUp.settings().map(exported),
    sites: store.numbers.directory.sites.map(({ id, host, badge }) => ({ id, host, badge })),
  };
};

/** Every slot of every page, so that an import makes those empty that are. */
function exported(settings: DeckSettings): DeckSettings {
  const { slots: places = [] } = modelById(settings.model) ?? {};
  const empty = Object.fromEntries(places.map(({ slot }) => [slot, EMPTY]));
  const shown = shownSettings(settings);
  const pages = shown.pages.map(({ name, slots }) => ({ name, slots: { ...empty, ...slots } }));
  return { ...shown, pages };
}
