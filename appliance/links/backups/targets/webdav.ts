import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import type { Clock } from "../../../base/clock.ts";
import { AskFailed, askFailure, exchange, opened, trustOf } from "../../../base/http/exchange.ts";
import type { WebdavSettings } from "../settings.ts";
import { digestOf, hashed } from "./hashed.ts";
import { filesIn } from "./listing.ts";
import { Patience } from "./patience.ts";
import { type BackupTarget, MOST_FILES, type TargetFile, TargetProblem } from "./target.ts";

interface WebdavOptions {
  readonly settings: WebdavSettings;
  readonly clock: Pick<Clock, "after">;
  readonly userAgent: string;
}

interface Request {
  readonly method: string;
  /** A file of the folder; the folder itself where empty. */
  readonly name?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Readable;
}

const MOST_LISTED_BYTES = 4_194_304;
const MOST_BYTES = 65_536;
/** The answers of servers to an address that they do not take for theirs, or to a method that they lack. */
const MISUNDERSTOOD = [400, 403, 404, 405, 409, 500, 501, 502];
const WANTED =
  '<?xml version="1.0" encoding="utf-8"?><propfind xmlns="DAV:"><prop><getcontentlength/><resourcetype/></prop></propfind>';

/** A folder of a WebDAV server (RFC 4918), like a Nextcloud or a NAS. */
export class WebdavTarget implements BackupTarget {
  readonly #options: WebdavOptions;
  readonly #trust: ReturnType<typeof trustOf>;
  readonly #folder: string;
  readonly #host: string;

  constructor(options: WebdavOptions) {
    const { url, ca } = options.settings;
    this.#options = options;
    this.#trust = trustOf(ca);
    this.#folder = url.endsWith("/") ? url : `${url}/`;
    this.#host = new URL(url).host;
  }

  async list(signal: AbortSignal): Promise<TargetFile[]> {
    const found = await this.#listed(signal);
    if (found !== undefined) return found;
    const answer = await this.#ask({ method: "MKCOL" }, signal);
    // Another machine may have made it meanwhile.
    if (answer.status !== 201 && answer.status !== 405) throw this.#refused(answer);
    return (await this.#listed(signal)) ?? [];
  }

  async write(name: string, content: Readable, bytes: number, signal: AbortSignal): Promise<void> {
    const headers = {
      "content-length": String(bytes),
      "content-type": "application/vnd.sqlite3",
      "if-none-match": "*",
    };
    const answer = await this.#ask({ method: "PUT", name, headers, body: content }, signal);
    if (![200, 201, 204].includes(answer.status)) throw this.#refused(answer);
  }

  async *read(name: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const patience = new Patience(this.#options.clock, signal);
    try {
      const answer = await opened(
        { method: "GET", url: this.#at(name), headers: this.#headers },
        { signal: patience.signal, trust: this.#trust() },
      );
      const { statusCode: status = 0, headers } = answer;
      if (status !== 200) {
        answer.destroy();
        throw this.#refused({ status, headers });
      }
      yield* patience.watch(answer);
    } catch (error) {
      throw this.#problem(error, signal, patience);
    } finally {
      patience.end();
    }
  }

  /** Behind a proxy that ends TLS or shortens the path, servers take their own address for another one's. */
  async rename(from: string, to: string, signal: AbortSignal): Promise<void> {
    const at = new URL(this.#at(to));
    for (const destination of [at.href, `http://${at.host}${at.pathname}`, at.pathname]) {
      const headers = { destination, overwrite: "F" };
      const answer = await this.#ask({ method: "MOVE", name: from, headers }, signal);
      if (answer.status === 201 || answer.status === 204) return;
      if (!MISUNDERSTOOD.includes(answer.status)) throw this.#refused(answer);
    }
    await this.#copy(from, to, signal);
    await this.remove(from, signal);
  }

  async remove(name: string, signal: AbortSignal): Promise<void> {
    const answer = await this.#ask({ method: "DELETE", name }, signal);
    if (![200, 202, 204, 404].includes(answer.status)) throw this.#refused(answer);
  }

  /** Sends what the server has under another name, too, and reads that back. */
  async #copy(from: string, to: string, signal: AbortSignal): Promise<void> {
    const files = await this.list(signal);
    const bytes = files.find(({ name }) => name === from)?.bytes ?? 0;
    // A file of somebody else must not be removed below.
    if (files.some(({ name }) => name === to)) throw this.#isThere();
    const sent = createHash("sha256");
    try {
      await this.write(to, Readable.from(hashed(this.read(from, signal), sent)), bytes, signal);
      if (sent.digest().equals(await digestOf(this.read(to, signal), bytes))) return;
      throw new TargetProblem(
        `${this.#host} cannot rename files, and has not kept what was sent under another name. Set its proxy up to pass the header Destination on as an address of the server behind it, or use another server.`,
      );
    } catch (error) {
      await this.remove(to, signal).catch(() => {});
      throw error;
    }
  }

  /** Undefined where there is no such folder. */
  async #listed(signal: AbortSignal): Promise<TargetFile[] | undefined> {
    const headers = { depth: "1", "content-type": "application/xml; charset=utf-8" };
    const answer = await this.#ask({ method: "PROPFIND", headers, body: WANTED }, signal);
    if (answer.status === 404) return undefined;
    if (answer.status !== 207) throw this.#refused(answer);
    const files = filesIn(answer.body);
    if (files !== undefined) return files;
    throw new TargetProblem(
      `What ${this.#host} answers is no list of a folder with at most ${MOST_FILES} files. Check the address, or name an empty folder.`,
    );
  }

  async #ask({ method, name = "", headers, body }: Request, signal: AbortSignal) {
    const patience = new Patience(this.#options.clock, signal);
    const watched = body instanceof Readable ? Readable.from(patience.watch(body)) : body;
    try {
      const { ended, ...answer } = await exchange(
        {
          method,
          url: this.#at(name),
          body: watched,
          headers: { ...this.#headers, ...headers },
        },
        {
          mostBytes: method === "PROPFIND" ? MOST_LISTED_BYTES : MOST_BYTES,
          signal: patience.signal,
          trust: this.#trust(),
        },
      );
      // Words about a failure may be as long as they like.
      if (ended !== "whole" && answer.status < 300) throw new AskFailed(ended);
      return answer;
    } catch (error) {
      throw this.#problem(error, signal, patience);
    } finally {
      patience.end();
    }
  }

  #at(name: string): string {
    return this.#folder + encodeURIComponent(name);
  }

  get #headers(): Record<string, string> {
    const { settings, userAgent } = this.#options;
    const { user, password } = settings;
    const basic = () => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
    return {
      "user-agent": userAgent,
      ...(user !== "" && { authorization: basic() }),
      ...(user === "" && password !== "" && { authorization: `Bearer ${password}` }),
    };
  }

  #problem(error: unknown, signal: AbortSignal, patience: Patience): TargetProblem {
    if (error instanceof TargetProblem) return error;
    if (signal.aborted) return new TargetProblem("The machine was stopped.");
    const { message } = askFailure(error, patience.signal);
    return new TargetProblem(`${this.#host} could not be asked: ${message}.`);
  }

  #isThere(): TargetProblem {
    return new TargetProblem(`The file is there already on ${this.#host}, or is locked.`);
  }

  /** The problem of a status. The words of the server are not shown: anybody may stand in its place. */
  #refused({ status, headers }: { status: number; headers: IncomingHttpHeaders }): TargetProblem {
    const host = this.#host;
    const say = (sentence: string) => new TargetProblem(sentence);
    if (status === 401 && wantsDigest(headers["www-authenticate"]))
      return say(
        `${host} wants Digest authentication, which Tallydeck does not speak. Switch Basic authentication on there, by https.`,
      );
    if (status === 401)
      return say(
        `${host} does not take this user and password. A Nextcloud wants an app password.`,
      );
    if (status === 403) return say(`${host} does not let this user write to this folder.`);
    if (status === 404 || status === 405 || status === 501)
      return say(`There is no WebDAV folder at this address of ${host}. Check the address.`);
    if (status === 409)
      return say(`The folder above this one is not there on ${host}. Make it, or name another.`);
    if (status === 412 || status === 423) return this.#isThere();
    if (status === 413) return say(`${host} takes no file as large as a backup.`);
    if (status === 507) return say(`${host} is full, or your share of it. Make room there.`);
    if (status >= 300 && status < 400)
      return say(`This address of ${host} leads to another one. Give that instead.`);
    if (status === 429 || status >= 500)
      return say(`${host} cannot take a backup now (status ${status}). It is tried again.`);
    return say(`${host} refuses the backup (status ${status}). Check the address.`);
  }
}

/** @param challenges the schemes of authentication that a server takes */
function wantsDigest(challenges = ""): boolean {
  const schemes = challenges.replaceAll(/"[^"]*"/g, "");
  return /\bdigest\b/i.test(schemes) && !/\bbasic\b/i.test(schemes);
}
