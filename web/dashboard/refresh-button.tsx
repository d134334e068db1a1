interface RefreshButtonProps {
  busy: boolean;
  refresh: () => void;
}

export function RefreshButton({ busy, refresh }: RefreshButtonProps) {
  return (
    <button type="button" class="quiet" aria-label="Refresh" aria-disabled={busy} onClick={refresh}>
      <span class={busy ? "spin" : ""} aria-hidden="true">
        ↻
      </span>{" "}
      <span class="word">Refresh</span>
    </button>
  );
}
