/** White modules around a QR code, as its standard requires. */
const QUIET_ZONE = 4;

/** Dark on white in any light: cameras want it so. */
export function QrCode({ rows, of }: { rows: readonly string[]; of: string }) {
  const side = rows.length + 2 * QUIET_ZONE;
  const path = rows
    .flatMap((row, y) =>
      [...row].flatMap((digit, x) =>
        digit === "1" ? [`M${x + QUIET_ZONE} ${y + QUIET_ZONE}h1v1h-1z`] : [],
      ),
    )
    .join("");
  return (
    <svg class="qr" viewBox={`0 0 ${side} ${side}`} role="img" aria-label={`QR code of ${of}`}>
      <rect width={side} height={side} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
