import type { BoxEvents } from "../../appliance/control/wire.ts";

/** The events of the box while the page is open. */
interface LiveEvents {
  /** Connected, for the first time or again: decks and channels follow by themselves. */
  opened(): void;
  /** The connection broke; it is tried again until `opened`. */
  lost(): void;
  readonly on: { readonly [E in keyof BoxEvents]: (data: BoxEvents[E]) => void };
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
    for (const [name, handle] of Object.entries(events.on))
      source.addEventListener(name, (event: MessageEvent<string>) =>
        (handle as (data: unknown) => void)(JSON.parse(event.data)),
      );
    source.addEventListener("open", () => events.opened());
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
