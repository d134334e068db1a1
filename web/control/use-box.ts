import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../../appliance/base/message-of.ts";
import type {
  ChannelsAnswer,
  DeckProblemView,
  DecksAnswer,
  DeckView,
  PlaceView,
  PublicAnswer,
  PushChannel,
  Site,
  SitesAnswer,
  SlotAt,
  UpdateView,
} from "../../appliance/control/wire.ts";
import { collectorUrl } from "./addresses.ts";
import { AskError, ask } from "./api.ts";
import { listen } from "./live.ts";

/** The state of the box in the page. */
export interface Box {
  decks: readonly DeckView[];
  problems: readonly DeckProblemView[];
  /** The steps that can be undone and done again; null for none. */
  canUndo: string | null;
  canRedo: string | null;
  channels: readonly PushChannel[];
  sites: readonly Site[];
  /** Retired sites. */
  retired: readonly Site[];
  /** The first site names the zone by which days begin. */
  asksZone: boolean;
  /** Whether anything has been counted of any site. */
  hasCounts: boolean;
  /** The public address; null until the box has sent it. */
  public: PublicAnswer | null;
  /** The box's releases; null without an updater, and until the box has sent them. */
  update: UpdateView | null;
  /** The address of the collector, without a slash at the end. */
  collector: string;
  /** The newest picture of a slot, by `deck slot`; none when it has not changed since `opened`. */
  revisions: ReadonlyMap<string, number>;
  /** The number of times that the page began to listen: pictures from before may have changed unnoticed. */
  opened: number;
  isLive: boolean;
  /** The reason why the box does not trust this device's date; empty where it does, or does not need it. */
  clockDoubt: string;
}

/** The state of the page's connection to the box. */
type Standing =
  | { state: "opening" }
  | { state: "failed"; message: string }
  | { state: "signed-out" }
  | { state: "open"; box: Box };

export interface BoxActions {
  /** Reads everything again, as after signing in. */
  reload(): Promise<void>;
  /** The session is over. */
  signedOut(): void;
  /** Shows the answer to a change of a slot or an input before its event comes. */
  keepPlace(deck: string, place: PlaceView): void;
  /** Changes a deck or its pages, and shows the answer. @throws {AskError} */
  changeDeck(method: "PATCH" | "POST" | "DELETE", path: string, body?: object): Promise<DeckView>;
  readSites(): Promise<void>;
  /** Sends the time to a box without a clock. @param confirm whether a person has confirmed it */
  tellTime(confirm?: boolean): Promise<void>;
}

export function revisionKey({ deck, slot }: SlotAt): string {
  return `${deck} ${slot}`;
}

/** Reads the box and follows it for as long as the page is open. */
export function useBox(onPressed: (deck: string, slot: string) => void): [Standing, BoxActions] {
  const [standing, setStanding] = useState<Standing>({ state: "opening" });
  const pressed = useRef(onPressed);
  pressed.current = onPressed;

  const change = useCallback((part: (box: Box) => Partial<Box>) => {
    setStanding((now) =>
      now.state === "open" ? { state: "open", box: { ...now.box, ...part(now.box) } } : now,
    );
  }, []);
  const actions = useRef<BoxActions>(undefined);
  actions.current ??= createActions(setStanding, change);
  const { reload, tellTime } = actions.current;

  useEffect(() => {
    void reload();
  }, []);

  const isOpen = standing.state === "open";
  useEffect(() => {
    if (!isOpen) return;
    return listen({
      opened: () => {
        change(({ opened }) => ({ isLive: true, opened: opened + 1, revisions: new Map() }));
        // A box without a clock may just have started. Others ignore it.
        void tellTime();
      },
      on: {
        decks: (answer) => change(() => answer),
        slots: (at) =>
          change(({ revisions }) => ({
            revisions: new Map(revisions).set(revisionKey(at), at.revision),
          })),
        pressed: ({ deck, slot }) => pressed.current(deck, slot),
        channels: ({ channels }) => change(() => ({ channels })),
        public: (answer) => change(() => ({ public: answer })),
        update: (answer) =>
          change(({ update }) => {
            // The page is of the release before.
            if (update !== null && update.running.release !== answer.running.release)
              location.reload();
            return { update: answer };
          }),
      },
      lost: () => {
        change(() => ({ isLive: false }));
        void reload();
      },
    });
  }, [isOpen]);

  return [standing, actions.current];
}

type SetStanding = (next: Standing | ((now: Standing) => Standing)) => void;
type ChangeBox = (part: (box: Box) => Partial<Box>) => void;

function createActions(setStanding: SetStanding, change: ChangeBox): BoxActions {
  const failed = (error: unknown) => {
    const kind = error instanceof AskError ? error.kind : "refused";
    const message = messageOf(error);
    if (kind === "unauthorized") setStanding({ state: "signed-out" });
    // The page stays as it is: it says itself that it is not live.
    else setStanding((now) => (now.state === "open" ? now : { state: "failed", message }));
  };
  return {
    reload: () => readAll(setStanding).catch(failed),
    signedOut: () => setStanding({ state: "signed-out" }),
    keepPlace: (id, place) =>
      change(({ decks }) => ({
        decks: decks.map((deck) => (deck.id === id ? withPlace(deck, place) : deck)),
      })),
    changeDeck: async (method, path, body) => {
      const changed = await ask<DeckView>(method, path, body);
      change(({ decks }) => ({
        decks: decks.map((deck) => (deck.id === changed.id ? changed : deck)),
      }));
      return changed;
    },
    readSites: () =>
      readSites()
        .then((read) => change(() => read))
        .catch(failed),
    tellTime: (confirm = false) =>
      ask("POST", "api/clock", { now: Date.now(), confirm }).then(
        () => change(() => ({ clockDoubt: "" })),
        (error: unknown) => {
          // The page tries again after other failures when it is opened the next time.
          if (error instanceof AskError && error.code === "clock_far_ahead")
            change(() => ({ clockDoubt: error.message }));
        },
      ),
  };
}

async function readAll(setStanding: SetStanding): Promise<void> {
  // The first answer says whether there is a session.
  const answer = await ask<DecksAnswer>("GET", "api/decks");
  const [{ channels }, sites] = await Promise.all([
    ask<ChannelsAnswer>("GET", "api/push-channels"),
    readSites(),
  ]);
  setStanding((now) => {
    const kept =
      now.state === "open"
        ? now.box
        : {
            revisions: new Map(),
            public: null,
            update: null,
            opened: 0,
            isLive: true,
            clockDoubt: "",
          };
    return { state: "open", box: { ...kept, ...answer, channels, ...sites } };
  });
}

type SitesOfBox = Pick<Box, "sites" | "retired" | "asksZone" | "hasCounts" | "collector">;

async function readSites(): Promise<SitesOfBox> {
  const { sites, collector, asksZone, hasCounts } = await ask<SitesAnswer>("GET", "api/sites");
  return {
    sites: sites.filter((site) => !site.retired),
    retired: sites.filter((site) => site.retired),
    asksZone,
    hasCounts,
    collector: collectorUrl(location.href, collector.port),
  };
}

function withPlace(deck: DeckView, place: PlaceView): DeckView {
  return "slot" in place
    ? { ...deck, slots: deck.slots.map((known) => (known.slot === place.slot ? place : known)) }
    : {
        ...deck,
        inputs: deck.inputs.map((known) => (known.input === place.input ? place : known)),
      };
}
