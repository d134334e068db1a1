interface SkeletonProps {
  slow: boolean;
  problem: string;
  onRetry: () => void;
  /** leads from a source or a condition that is refused to everything; null where none is */
  onAll: (() => void) | null;
}

/** The words for a long first answer. */
export const STILL_READING =
  "Still reading. A small machine with a long history may take some seconds.";

const TILES = 3;

/** The page's shape until the first answer is there. */
export function Skeleton({ slow, problem, onRetry, onAll }: SkeletonProps) {
  if (problem !== "") {
    return (
      <main class="sign-in">
        <div class="card" role="alert">
          <h1>Nothing to show yet</h1>
          <p>{problem}</p>
          <p class="actions">
            {onAll && (
              <button type="button" class="primary" onClick={onAll}>
                Show everything
              </button>
            )}
            <button type="button" class={onAll ? "" : "primary"} onClick={onRetry}>
              Try again
            </button>
          </p>
        </div>
      </main>
    );
  }
  return (
    <div class="page skeleton">
      <header class="top">
        <img src="favicon.svg" alt="Tallydeck" width="26" height="26" />
        <p class="said" role="status">
          {slow ? STILL_READING : "Reading the counters…"}
        </p>
      </header>
      <main aria-busy="true">
        <h1 class="offscreen">Tallydeck</h1>
        <i class="bar" />
        <div class="tiles" style={{ "--leading": TILES }} aria-hidden="true">
          {Array.from({ length: TILES }, (_, i) => (
            <div class="tile" key={i}>
              <i />
              <i />
              <i />
            </div>
          ))}
          <div class="strip" />
        </div>
        <div class="card" aria-hidden="true" />
      </main>
    </div>
  );
}
