import type {
  BoxEvents,
  ChannelsAnswer,
  DecksAnswer,
  PublicAnswer,
  SlotAt,
  SlotPicture,
  UpdateView,
} from "../../appliance/control/wire.ts";

/** The events of the box while the page is open. */
interface LiveEvents {
  /** Connected, for the first time or again: decks and channels follow by themselves. */
  opened(): void;
  decks(answer: DecksAnswer): void;
  picture(at: SlotPicture): void;
  pressed(at: SlotAt): void;
  channels(answer: ChannelsAnswer): void;
  public(answer: PublicAnswer): void;
  update(answer: UpdateView): void;
  /** The connection broke; it is tried again until `opened`. */
  lost(): void;
}

const AGAIN_MS = 3_000;

/**
 * Listens to the box while the page is in sight: browsers hold few connections to one server, and a
 * page out of sight needs none. @returns a function that ends it
 */
export function listen(events: LiveEvents): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const connect = () => {
    source = new EventSource("api/events");
    const on = <E extends keyof BoxEvents>(name: E, handle: (data: BoxEvents[E]) => void) =>
      source?.addEventListener(name, (event: MessageEvent<string>) =>
        handle(JSON.parse(event.data) as BoxEvents[E]),
      );
    source.addEventListener("open", () => events.opened());
    on("decks", events.decks);
    on("slots", events.picture);
    on("pressed", events.pressed);
    on("channels", events.channels);
    on("public", events.public);
    on("update", events.update);
    source.addEventListener("error", () => {
      events.lost();
      // The browser gives up for good when it was answered with an error.
      if (source?.readyState === EventSource.CLOSED) timer = setTimeout(connect, AGAIN_MS);
    });
  };
  const disconnect = () => {
    clearTimeout(timer);
    source?.close();
  };
  const follow = () => {
    disconnect();
    if (document.visibilityState === "visible") connect();
  };
  follow();
  document.addEventListener("visibilitychange", follow);
  return () => {
    document.removeEventListener("visibilitychange", follow);
    disconnect();
  };
}
