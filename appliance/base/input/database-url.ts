/** The form of a database's name, to end the sentence "DATABASE_URL must be …". */
export const DATABASE_URL_RULE =
  "postgres://USER:PASSWORD@HOST:PORT/DATABASE; several hosts are separated by commas, and a blank in a password is written %20";

/** The answer to a backup, or a restore, where a database is named. */
export const NUMBERS_ELSEWHERE =
  "The numbers and the sites are in a database elsewhere: pg_dump copies them, and pg_restore puts them back.";

const URL_START = /^postgres(?:ql)?:\/\//;

/** The address of a database, as given; undefined where it certainly is none. See store/postgres/connection/url. */
export function databaseUrl(text: string): string | undefined {
  return text.length <= 2_048 && URL_START.test(text) && !/\s|\0/.test(text) ? text : undefined;
}
