/** The message of a thrown value, which may be no Error. */
export function messageOf(error: unknown): string {
  // Each address of a name has an error of its own.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}

/** The result of work; undefined after a failure, which is told behind `what` could not be done. */
export function orWarn<T>(
  warn: (line: string) => void,
  what: string,
  work: () => T,
): T | undefined {
  try {
    return work();
  } catch (error) {
    warn(`${what}: ${messageOf(error)}`);
    return undefined;
  }
}
