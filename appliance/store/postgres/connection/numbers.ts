/** An array of numbers as PostgreSQL reads it. */
export function numbers(list: Iterable<number>): string {
  return `{${[...list].join(",")}}`;
}
