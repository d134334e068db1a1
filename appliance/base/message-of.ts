/** The message of a thrown value, which may be no Error. */
export function messageOf(error: unknown): string {
  // Each address of a name has an error of its own.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}
