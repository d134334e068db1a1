/** The end of an attempt at another release: one record, from the updater's journal to every screen. */
export interface UpdateOutcome {
  /** After `updated` and `back` the box runs another release; after the others the one of before. */
  readonly kind: "updated" | "back" | "failed" | "interrupted" | "refused";
  /** The release that was to be started, and its version for people. */
  readonly release: number;
  readonly version: string;
  /** Epoch seconds by the box's clock. */
  readonly at: number;
  /** A sentence about the failure; null after a success. */
  readonly reason: string | null;
}

/**
 * The outcome of an attempt at another release, for its owner.
 * @param running the version that runs now
 */
export function outcomeText(
  { kind, version, reason }: Pick<UpdateOutcome, "kind" | "version" | "reason">,
  running: string,
): string {
  const why = reason === null ? "" : ` ${reason}`;
  switch (kind) {
    case "updated":
      return `Updated to ${version}.`;
    case "back":
      return `Went back to ${version}.`;
    case "failed":
      return `Went back from ${version} to ${running}.${why}`;
    case "interrupted":
      return `The update to ${version} was interrupted.${why}`;
    case "refused":
      return `${version} was not taken.${why} To run it, make a backup and write its image to the card.`;
  }
}
