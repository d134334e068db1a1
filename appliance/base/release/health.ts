/** The header with the running version, in answers of the collector at `/` to the box itself. */
export const VERSION_HEADER = "tallydeck-version";
/** The path of `ServiceHealth` on the control listener, for requests from the box itself. */
export const HEALTH_PATH = "/api/health";

/** A deck that is no virtual one. */
export interface DeckHealth {
  readonly id: string;
  /** The owner's name for it. */
  readonly name: string;
  /** Whether the deck is open, and shows its pictures. */
  readonly connected: boolean;
  /** The ids of its model on the USB bus: `0fd9:006d`, lower case; a model may be several. */
  readonly usb: readonly string[];
}

/** The health of the service in its own view, for trials. */
export interface ServiceHealth {
  readonly version: string;
  /** Null where no updater says so. */
  readonly release: number | null;
  readonly store: {
    /** The data is in use. */
    readonly opened: boolean;
    /** Whether it took a write just now and can count: a database elsewhere is there. */
    readonly wrote: boolean;
    /** Whether it is a shared database: `DATABASE_URL`. Not every release says so. */
    readonly isElsewhere?: boolean;
  };
  readonly decks: readonly DeckHealth[];
}
