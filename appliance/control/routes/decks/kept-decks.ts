import type { DecksOptions } from "../../../deck/decks.ts";
import { DECKS, deckStore } from "../../../deck/settings/deck-settings.ts";
import { IMAGES, Images } from "../../../deck/settings/images.ts";
import { VIRTUAL_DECKS } from "../../../deck/virtual-decks.ts";
import { type Box, documentsIn } from "../../../store/store.ts";
import { RULES } from "./decks.ts";

/** The decks as their owner has set them up, and the pictures for their keys. */
export async function keptDecks(
  box: Box,
): Promise<Pick<DecksOptions, "store" | "addedDecks"> & { images: Images }> {
  const images = new Images(documentsIn(box, IMAGES));
  await images.load();
  return {
    store: deckStore(documentsIn(box, DECKS), RULES),
    addedDecks: documentsIn(box, VIRTUAL_DECKS),
    images,
  };
}
