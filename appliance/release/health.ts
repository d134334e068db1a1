/** The version that answers, told by the collector at `/` to a request from the box itself. */
export const VERSION_HEADER = "tallydeck-version";
/** On the control listener: `ServiceHealth`, for who asks from the box itself. */
export const HEALTH_PATH = "/api/health";

/** A deck that is no virtual one. */
export interface DeckHealth {
  readonly id: string;
  /** As its owner calls it. */
  readonly name: string;
  /** It is open, and shows what it should. */
  readonly connected: boolean;
  /** The ids of its model on the USB bus: `0fd9:006d`, lower case; a model may be several. */
  readonly usb: readonly string[];
}

/** How the service itself finds that it is; what a trial goes by. */
export interface ServiceHealth {
  readonly version: string;
  /** Null where no updater says so. */
  readonly release: number | null;
  readonly store: {
    /** The data is in use. */
    readonly opened: boolean;
    /** It took a write just now, and counts: a database elsewhere is there. */
    readonly wrote: boolean;
    /** It is a database that others use, too: `DATABASE_URL`. Not every release says so. */
    readonly isElsewhere?: boolean;
  };
  readonly decks: readonly DeckHealth[];
}
