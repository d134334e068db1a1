/** The message of a thrown value, which may be no Error. */
export function messageOf(error: unknown): string {
  // Of several addresses of one name each has its own.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}
