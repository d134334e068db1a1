/**
 * Ends the process at an error that nobody catches: one line with the words of the error, and its stack. What Node prints
 * of it has also the values in the error, as what a visitor sent, and cannot be told from other lines.
 */
export function endAtUncaught(write: (line: string) => void): void {
  process.on("uncaughtException", (error: unknown) => {
    for (const line of linesOf(error)) write(line);
    process.exit(1);
  });
}

/** The first line has `Error: ` before all words that may quote something: the log that is kept ends there. */
function linesOf(error: unknown): string[] {
  const { name, message, stack = "" } = error instanceof Error ? error : new Error(String(error));
  const called = /^[A-Za-z]*Error$/.test(name) ? name : "Error";
  const after = stack.indexOf(message) + message.length;
  const frames = stack
    .slice(after)
    .split("\n")
    .filter((line) => /^ {4}at /.test(line));
  return [`error: Nobody caught ${called}: ${JSON.stringify(message)}`, ...frames];
}
