/** What names a database, to end the sentence "DATABASE_URL must be …". */
export const DATABASE_URL_RULE =
  "postgres://USER:PASSWORD@HOST:PORT/DATABASE; several hosts are separated by commas";

const URL_START = /^postgres(?:ql)?:\/\//;
/** Not by `URL`, which knows no list of hosts. */
const PARTS = /^(?:(?<userinfo>.*)@)?(?<place>[^?]*)/s;

/** The address of a database, as given; undefined where it cannot be one. */
export function databaseUrl(text: string): string | undefined {
  return text.length <= 2_048 && URL_START.test(text) && !/\s|\0/.test(text) ? text : undefined;
}

/** The same for people: `postgres://tallydeck@db.example.org/tallydeck`, without what is secret. */
export function shownDatabaseUrl(url: string): string {
  const { userinfo = "", place = "" } = PARTS.exec(url.replace(URL_START, ""))?.groups ?? {};
  const [user = ""] = userinfo.split(":");
  return `postgres://${user === "" ? "" : `${user}@`}${place}`;
}
