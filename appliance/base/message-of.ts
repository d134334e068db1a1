/** The message of whatever was thrown, which need not be an Error. */
export function messageOf(error: unknown): string {
  // Of several addresses of one name each has its own.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}
