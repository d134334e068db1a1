import { messageOf } from "../../../base/message-of.ts";
import { Refusal } from "../../../base/refusal.ts";
import { type ConnectionSettings, shownUrl } from "./url.ts";

/** The connection was lost, or an answer was overdue: the request may have been carried out or not. */
export class Lost extends Error {
  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
  }
}

/** The error of a request without a connection, which was not carried out. */
export class Away extends Error {
  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
  }
}

/** The SQLSTATE that the server gives an error; undefined where it was not the server that failed. */
export function sqlStateOf(error: unknown): string | undefined {
  const { code, severity } = detailsOf(error);
  return typeof code === "string" && typeof severity === "string" ? code : undefined;
}

/** Whether two transactions were in each other's way: the same again may succeed. */
export function isSerialization(error: unknown): boolean {
  return ["40001", "40P01"].includes(sqlStateOf(error) ?? "");
}

/** Whether the tables are not made yet. */
export function isWithoutTables(error: unknown): boolean {
  return sqlStateOf(error) === "42P01";
}

/** Whether there is no room on the server's disk. */
export function isFull(error: unknown): boolean {
  return sqlStateOf(error) === "53100";
}

/** Whether another has made the row, or a null stands where there is to be something. */
export function isViolation(error: unknown): boolean {
  return sqlStateOf(error)?.startsWith("23") ?? false;
}

/** Whether a standby, or a database that is full, takes no writes: it has done nothing. */
export function isReadOnly(error: unknown): boolean {
  return sqlStateOf(error) === "25006";
}

/** A server that is no standby, and takes no writes all the same: they are switched off there. */
export class WritesOff extends Error {
  readonly code = "25006";
  readonly severity = "ERROR";

  constructor() {
    super(
      "the server is no standby, but default_transaction_read_only is on there. Switch it off (ALTER DATABASE … SET default_transaction_read_only = off, or the same for the role or the server); where your provider has switched it on because the disk is full, make room first",
    );
  }
}

/** Whether a lock of another process was not free in time: nothing was done. */
export function isLocked(error: unknown): boolean {
  return sqlStateOf(error) === "55P03";
}

/** Whether a batch had another number than the next, or one that is there: see Node and LogWriter. */
export function isPassed(error: unknown): boolean {
  return isDivisionByZero(error) || isOfKey(error, "log_pkey");
}

/** Whether a statement failed as it is to fail where a condition does not hold. */
export function isDivisionByZero(error: unknown): boolean {
  return sqlStateOf(error) === "22012";
}

/** Whether a batch that counts once was counted: see `failOnce`. Of any other batch, the same code says that a text is no number. */
export function isCounted(error: unknown): boolean {
  return sqlStateOf(error) === "22P02";
}

/** Whether a response to a survey has an id that another one has. */
export function isIdTaken(error: unknown): boolean {
  return isOfKey(error, "survey_pkey");
}

function isOfKey(error: unknown, key: string): boolean {
  return sqlStateOf(error) === "23505" && detailsOf(error).constraint === key;
}

/** Whether the connection is of no use any more, or leads to a server that takes no writes. */
export function isLost(error: unknown): boolean {
  if (error instanceof Lost || error instanceof Away) return true;
  const state = sqlStateOf(error);
  return state !== undefined && (/^(08|57P0|25006|40003)/.test(state) || isFatal(error));
}

function isFatal(error: unknown): boolean {
  return ["FATAL", "PANIC"].includes(String(detailsOf(error).severity));
}

/**
 * A refusal for a problem that does not go away by itself: the login, the database, TLS. Undefined
 * for one that may.
 */
export function refusalOf(error: unknown, settings: ConnectionSettings): Refusal | undefined {
  const cause = causeOf(error);
  if (cause instanceof Refusal) return cause;
  const says = sentenceOf(cause, settings);
  if (says === undefined) return undefined;
  return new Refusal("invalid_config", `${says} (DATABASE_URL is ${shownUrl(settings)})`);
}

function sentenceOf(error: unknown, settings: ConnectionSettings): string | undefined {
  const { user, database } = settings;
  const message = messageOf(error);
  switch (sqlStateOf(error)) {
    case undefined:
      return sentenceOfClient(error, settings);
    case "28P01":
      return `The database refuses the user ${user} with this password. Correct them in DATABASE_URL.`;
    case "28000":
      return /no encryption|SSL off/.test(message)
        ? "The database takes no connection without TLS. Add ?sslmode=require to DATABASE_URL, better sslmode=verify-full with sslrootcert=FILE."
        : `The database does not let the user ${user} in: ${message}. Correct DATABASE_URL, or let the user in there (pg_hba.conf).`;
    case "3D000":
      return `There is no database ${database}. Make it (createdb ${database}), or correct its name in DATABASE_URL.`;
    case "42501":
      return /for database/.test(message)
        ? `The user ${user} may not connect to the database ${database}: GRANT CONNECT ON DATABASE ${database} TO ${user};`
        : `The user ${user} may not use Tallydeck's tables (${message}). Run this once, as a user who owns them: tallydeck migrate --database-url ${shownUrl({ ...settings, user: "OWNER" })} --grant ${user}`;
    default:
      return undefined;
  }
}

function sentenceOfClient(error: unknown, { ssl }: ConnectionSettings): string | undefined {
  const message = messageOf(error);
  const code = String(detailsOf(error).code ?? "");
  if (/does not support SSL/.test(message))
    return `The database offers no TLS, and sslmode=${ssl.mode} asks for it. Switch TLS on there, or take it out of DATABASE_URL.`;
  if (/password must be a/.test(message))
    return "The database asks for a password, and DATABASE_URL has none.";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return `The certificate of the database is for another name (${message}). Write a name that is in it as the host in DATABASE_URL, or have one made for this host.`;
  if (code === "CERT_HAS_EXPIRED")
    return "The certificate of the database has expired. Renew it there, and have the server read it anew.";
  if (/CERT|SIGNATURE|ISSUER/.test(code))
    return `The certificate of the database cannot be trusted (${message}). Name who signed it with sslrootcert=FILE in DATABASE_URL.`;
  return undefined;
}

/** The reason that the database cannot be used at the moment, for a log. It never has the password. */
export function reasonOf(error: unknown): string {
  const cause = causeOf(error);
  const state = sqlStateOf(cause);
  if (cause instanceof WritesOff) return cause.message;
  if (state === "25006") return "the server takes no writes (it is a standby)";
  if (state === "53300") return `no more connections there: ${messageOf(cause)}`;
  return state === undefined ? messageOf(cause) : `${messageOf(cause)} (${state})`;
}

function causeOf(error: unknown): unknown {
  return error instanceof Lost || error instanceof Away ? error.cause : error;
}

function detailsOf(error: unknown): Partial<Record<"code" | "severity" | "constraint", unknown>> {
  return typeof error === "object" && error !== null ? error : {};
}
