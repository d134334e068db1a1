/** The text that stands there until a map can be drawn. */
export function MapWait({ maps }: { maps: "loading" | "failed" }) {
  if (maps === "loading") return <p role="status">Loading the map…</p>;
  return <p role="alert">The map could not be loaded. Check the connection and open it again.</p>;
}
