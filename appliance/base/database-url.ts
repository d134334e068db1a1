/** What names a database, to end the sentence "DATABASE_URL must be …". */
export const DATABASE_URL_RULE =
  "postgres://USER:PASSWORD@HOST:PORT/DATABASE; several hosts are separated by commas";

const URL_START = /^postgres(?:ql)?:\/\//;

/** The address of a database, as given; undefined where it certainly is none. See store/postgres/url. */
export function databaseUrl(text: string): string | undefined {
  return text.length <= 2_048 && URL_START.test(text) && !/\s|\0/.test(text) ? text : undefined;
}
