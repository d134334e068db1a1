import { ORIGINS, type OriginStore } from "../actions/origins.ts";
import { siteTokenKey } from "../base/names.ts";
import type { Sites } from "../collector/sites.ts";
import type { Config } from "../config.ts";
import { RULES } from "../control/routes/decks/decks.ts";
import type { Admin } from "../control/routes/session.ts";
import type { Declared } from "../control/routes/sites/sites.ts";
import {
  DECKS,
  type DeckSettings,
  type DeckStore,
  deckDocument,
  deckOf,
} from "../deck/settings/deck-settings.ts";
import { IMAGES, type ImageStore } from "../deck/settings/images.ts";
import { type ChannelStore, KEPT_CHANNELS } from "../push/kept-channels.ts";
import { PUSH_TOKENS, type PushTokenStore } from "../push/tokens.ts";
import { type Box, changeDocuments, documentsOf } from "../store/store.ts";

/** The box as decks know it. */
export function deckStore(box: Box): DeckStore {
  const save = (decks: readonly DeckSettings[]) =>
    changeDocuments(box, DECKS, { put: decks.map(deckDocument) });
  return {
    async load() {
      const { decks, foreign } = await readDecks(box);
      // Where they cannot be stored they are read through at the next start, too.
      if (foreign.length > 0) await save(foreign).catch(() => undefined);
      return decks;
    },
    save,
  };
}

/**
 * The settings of decks; `foreign` where some came with a backup and are not stored as they were
 * read.
 */
export async function readDecks(
  box: Pick<Box, "read">,
): Promise<{ decks: DeckSettings[]; foreign: DeckSettings[] }> {
  const documents = await documentsOf(box, DECKS);
  const decks = documents.map((document) => deckOf(document, RULES));
  return { decks, foreign: decks.filter((_, i) => documents[i]?.revision === 0) };
}

/** The box as push tokens know it. */
export function pushTokenStore(box: Box): PushTokenStore {
  return {
    async list() {
      const documents = await documentsOf(box, PUSH_TOKENS);
      return documents.map(({ id, body }) => ({
        ...{ id, ...body },
        hash: Buffer.from(body.hash, "base64url"),
      }));
    },
    save({ id, ...token }) {
      const body = { ...token, hash: Buffer.from(token.hash).toString("base64url") };
      return changeDocuments(box, PUSH_TOKENS, { put: [{ id, body }] });
    },
    remove: (id) => changeDocuments(box, PUSH_TOKENS, { remove: [id] }),
  };
}

/** The box as the list of allowed origins knows it. */
export function originStore(box: Box): OriginStore {
  return {
    list: async () => (await documentsOf(box, ORIGINS)).map(({ id }) => id),
    add: (id) => changeDocuments(box, ORIGINS, { put: [{ id, body: {} }] }),
    remove: (id) => changeDocuments(box, ORIGINS, { remove: [id] }),
  };
}

/** The box as pictures know it. */
export function imageStore(box: Box): ImageStore {
  return {
    list: async () => (await documentsOf(box, IMAGES)).map(({ id, size }) => ({ hash: id, size })),
    bytes: (hash) => box.read("documentFile", { kind: IMAGES.name, id: hash }),
    save: ({ hash, bytes, forget }) =>
      changeDocuments(box, IMAGES, { put: [{ id: hash, body: {}, file: bytes }], remove: forget }),
  };
}

/** The box as channels know it. */
export function channelStore(box: Box): ChannelStore {
  return {
    list: async () => (await documentsOf(box, KEPT_CHANNELS)).map(({ body }) => body),
    keep: ({ save, forget }) =>
      changeDocuments(box, KEPT_CHANNELS, {
        put: save.map((body) => ({ id: body.channel, body })),
        remove: forget,
      }),
  };
}

/** The admin token, to check against. */
export function adminOf(sites: Sites): Admin {
  return {
    get exists() {
      return sites.hasAdmin;
    },
    matches: (token) => sites.isAdmin(token),
  };
}

/** The parts of the configuration that can be changed nowhere else. */
export function declaredBy(config: Config): Declared {
  return {
    adminToken: config.adminToken !== null,
    badge: (id) => config.badgeSites.includes(id),
    siteToken: (id) => config.siteTokens.has(siteTokenKey(id)),
  };
}
