import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { invalidSetting } from "../../../base/refusal.ts";

/** Modes of encryption and of checking the server, as in PostgreSQL's own clients. */
const SSL_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
type SslMode = (typeof SSL_MODES)[number];

export interface DatabaseHost {
  /** A name, an address, or a folder with the server's socket: `/run/postgresql`. */
  readonly host: string;
  readonly port: number;
}

/** The database's address and user. It is plain data, which is sent to a thread. */
export interface ConnectionSettings {
  /** Hosts to try in turn, one at least. */
  readonly hosts: readonly DatabaseHost[];
  readonly user: string;
  readonly password: string | undefined;
  readonly database: string;
  readonly ssl: { readonly mode: SslMode; readonly ca: string | undefined };
  /** Whether the host must take writes. */
  readonly writable: boolean;
  readonly connectTimeoutMs: number;
  /** Options in the form of the server's `-c`: `search_path=tallydeck`. */
  readonly options: string | undefined;
  /** Whom the server's list of sessions names: `tallydeck NAME`. */
  readonly name?: string;
}

const FORM = "postgres://USER:PASSWORD@HOST:5432/DATABASE";
const SHAPE = /^postgres(?:ql)?:\/\/(?:(.*)@)?([^@/?]*)(?:\/([^/?]*))?(?:\?(.*))?$/s;
const HOST = /^(\[[\da-f:.]+\]|[^:]*)(?::(\d*))?$/i;
const PORT = 5432;
const CONNECT_TIMEOUT_S = 5;
const LONGEST_TIMEOUT_S = 60;

/** The parameters that may stand behind the `?`. */
const PARAMETERS = [
  "connect_timeout",
  "dbname",
  "host",
  "options",
  "password",
  "port",
  "sslmode",
  "sslrootcert",
  "target_session_attrs",
  "user",
] as const;
/** Known to other clients, and of no use here. */
const IGNORED = ["application_name", "channel_binding"];
type Parameters = Partial<Record<(typeof PARAMETERS)[number], string>>;

/**
 * Reads `postgres://user:password@host:5432,other:5433/database?sslmode=verify-full`.
 * @param read reads the file of `sslrootcert`, or throws
 * @throws {Refusal} `invalid_config`; its sentence never has the password
 */
export function parseDatabaseUrl(
  url: string,
  read: (path: string) => string = (path) => readFileSync(path, "utf8"),
): ConnectionSettings {
  const [, login = "", hosts = "", path = "", query = ""] = SHAPE.exec(url.trim()) ?? refuse(WRONG);
  const [user, password] = loginOf(login);
  const given: Parameters = {
    ...(user !== "" && { user }),
    ...(password !== undefined && { password }),
    ...(path !== "" && { dbname: decoded(path) }),
    ...parametersOf(query),
  };
  const all = hostsOf(hosts, given);
  return {
    hosts: all,
    user: given.user ?? refuse(`names no user. ${WRONG_END}`),
    password: given.password,
    database: given.dbname ?? refuse(`names no database. ${WRONG_END}`),
    ssl: sslOf(given, read),
    // One of several hosts may be a standby.
    writable:
      (oneOf("target_session_attrs", ["any", "read-write"], given) ??
        (all.length > 1 ? "read-write" : "any")) === "read-write",
    connectTimeoutMs: timeoutOf(given) * 1_000,
    options: given.options,
  };
}

const WRONG_END = `It reads: ${FORM}`;
const WRONG = `is no address of a database. ${WRONG_END}`;

/** The address for people and logs, without the password and the parameters behind `?`. */
export function shownUrl({ hosts, user, database }: ConnectionSettings): string {
  const shown = hosts.map(({ host, port }) =>
    host.startsWith("/") ? encodeURIComponent(host) : `${bracketed(host)}:${port}`,
  );
  return `postgres://${encodeURIComponent(user)}@${shown}/${encodeURIComponent(database)}`;
}

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

function refuse(problem: string): never {
  throw invalidSetting("DATABASE_URL", problem);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse("has a % that stands for no character. Write %25 for a % of its own.");
  }
}

function loginOf(login: string): [user: string, password: string | undefined] {
  const end = login.indexOf(":");
  if (end < 0) return [decoded(login), undefined];
  return [decoded(login.slice(0, end)), decoded(login.slice(end + 1))];
}

function parametersOf(query: string): Parameters {
  const parameters: Parameters = {};
  for (const part of query.split("&")) {
    if (part === "") continue;
    const [name = "", ...value] = part.split("=");
    const known = PARAMETERS.find((parameter) => parameter === name);
    if (known !== undefined) parameters[known] = decoded(value.join("="));
    else if (!IGNORED.includes(name))
      refuse(`has a parameter "${name}" that is not known. It may have: ${PARAMETERS.join(", ")}`);
  }
  return parameters;
}

function hostsOf(authority: string, { host, port }: Parameters): DatabaseHost[] {
  const parts = host?.split(",") ?? authority.split(",").map(decoded);
  const ports = port?.split(",") ?? [];
  return parts.map((part, index) => {
    const own = ports[index] ?? (ports.length === 1 ? ports[0] : undefined);
    if (part.startsWith("/")) return { host: part, port: portOf(own) };
    const [, name = "", behind] = HOST.exec(part) ?? refuse(WRONG);
    if (name === "") refuse(`names no host. ${WRONG_END}`);
    return { host: name.replace(/^\[|\]$/g, ""), port: portOf(own ?? behind) };
  });
}

function portOf(text: string | undefined): number {
  const port = Number(text || PORT);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    refuse(`has a port "${text}": it is a number from 1 to 65535.`);
  return port;
}

function timeoutOf({ connect_timeout: text }: Parameters): number {
  const seconds = Number(text ?? CONNECT_TIMEOUT_S);
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > LONGEST_TIMEOUT_S)
    refuse(`has connect_timeout=${text}: it is seconds, from 1 to ${LONGEST_TIMEOUT_S}.`);
  return seconds;
}

function sslOf(given: Parameters, read: (path: string) => string): ConnectionSettings["ssl"] {
  const mode = oneOf("sslmode", SSL_MODES, given);
  const file = given.sslrootcert;
  // "system" means the authorities that the system trusts.
  if (file === undefined || file === "system") return { mode: mode ?? "prefer", ca: undefined };
  try {
    // PostgreSQL's own clients verify the server, too, as soon as an authority is named.
    const asked = mode === undefined || mode === "prefer" || mode === "require";
    return { mode: asked ? "verify-ca" : mode, ca: read(file) };
  } catch {
    return refuse(`names the certificate ${file} in sslrootcert, which cannot be read.`);
  }
}

function oneOf<T extends string>(
  name: keyof Parameters,
  choices: readonly T[],
  given: Parameters,
): T | undefined {
  const text = given[name];
  if (text === undefined) return undefined;
  const choice = choices.find((each) => each === text);
  return choice ?? refuse(`has ${name}=${text}: it is one of ${choices.join(", ")}.`);
}

/** Whom an encrypted connection believes, as PostgreSQL's own clients by the same word. */
export function tlsOf({ mode, ca }: ConnectionSettings["ssl"]): ConnectionOptions {
  return {
    ...(ca !== undefined && { ca }),
    rejectUnauthorized: mode === "verify-ca" || mode === "verify-full",
    ...(mode !== "verify-full" && { checkServerIdentity: () => undefined }),
  };
}
