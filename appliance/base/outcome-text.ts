/** How an attempt at another release ended, as far as it is told in one sentence or two. */
interface Ended {
  readonly kind: "updated" | "back" | "failed" | "interrupted" | "refused";
  /** The version that was to be started. */
  readonly version: string;
  /** A sentence. */
  readonly reason?: string | null | undefined;
}

/**
 * The outcome of an attempt at another release, for its owner.
 * @param running the version that runs now
 */
export function outcomeText({ kind, version, reason }: Ended, running: string): string {
  const why = reason ? ` ${reason}` : "";
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
