/** What each of `asks` gives, in turn; while one is looked at, the next is on its way. */
export async function* askAhead<T>(asks: Iterable<() => Promise<T>>): AsyncGenerator<T> {
  let next: Promise<T> | undefined;
  for (const ask of asks) {
    const asked = ask();
    // Nobody may come to it: the one before may fail, too.
    asked.catch(() => {});
    if (next !== undefined) yield await next;
    next = asked;
  }
  if (next !== undefined) yield await next;
}
