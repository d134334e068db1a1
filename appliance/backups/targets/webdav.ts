import { Readable } from "node:stream";
import type { Clock } from "../../base/clock.ts";
import { AskFailed, askFailure, exchange, opened, trustOf } from "../../http/exchange.ts";
import type { WebdavSettings } from "../settings.ts";
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

const MOST_LISTED_BYTES = 8_388_608;
const MOST_BYTES = 65_536;
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
    const { status } = await this.#ask({ method: "MKCOL" }, signal);
    // Another machine may have made it meanwhile.
    if (status !== 201 && status !== 405) throw this.#refused(status);
    return (await this.#listed(signal)) ?? [];
  }

  async write(name: string, content: Readable, bytes: number, signal: AbortSignal): Promise<void> {
    const headers = {
      "content-length": String(bytes),
      "content-type": "application/vnd.sqlite3",
      "if-none-match": "*",
    };
    const { status } = await this.#ask({ method: "PUT", name, headers, body: content }, signal);
    if (status !== 201 && status !== 204 && status !== 200) throw this.#refused(status);
  }

  async *read(name: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const patience = new Patience(this.#options.clock, signal);
    try {
      const answer = await opened(
        { method: "GET", url: this.#at(name), headers: this.#headers },
        { signal: patience.signal, trust: this.#trust() },
      );
      const { statusCode: status = 0 } = answer;
      if (status !== 200) {
        answer.destroy();
        throw this.#refused(status);
      }
      yield* patience.watch(answer);
    } catch (error) {
      throw this.#problem(error, signal, patience);
    } finally {
      patience.end();
    }
  }

  async rename(from: string, to: string, signal: AbortSignal): Promise<void> {
    const headers = { destination: this.#at(to), overwrite: "F" };
    const { status } = await this.#ask({ method: "MOVE", name: from, headers }, signal);
    if (status !== 201 && status !== 204) throw this.#refused(status);
  }

  async remove(name: string, signal: AbortSignal): Promise<void> {
    const { status } = await this.#ask({ method: "DELETE", name }, signal);
    if (![200, 202, 204, 404].includes(status)) throw this.#refused(status);
  }

  /** Undefined where there is no such folder. */
  async #listed(signal: AbortSignal): Promise<TargetFile[] | undefined> {
    const headers = { depth: "1", "content-type": "application/xml; charset=utf-8" };
    const { status, body } = await this.#ask({ method: "PROPFIND", headers, body: WANTED }, signal);
    if (status === 404) return undefined;
    if (status !== 207) throw this.#refused(status);
    const files = filesIn(body.toString("utf8"));
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
          ...{ method, url: this.#at(name), body: watched },
          headers: { ...this.#headers, ...headers },
        },
        {
          mostBytes: method === "PROPFIND" ? MOST_LISTED_BYTES : MOST_BYTES,
          ...{ signal: patience.signal, trust: this.#trust() },
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

  /** The problem of a status. The words of the server are not shown: anybody may stand in its place. */
  #refused(status: number): TargetProblem {
    const host = this.#host;
    const say = (sentence: string) => new TargetProblem(sentence);
    if (status === 401)
      return say(
        `${host} does not take this user and password. A Nextcloud wants an app password.`,
      );
    if (status === 403) return say(`${host} does not let this user write to this folder.`);
    if (status === 404 || status === 405 || status === 501)
      return say(`There is no WebDAV folder at this address of ${host}. Check the address.`);
    if (status === 409)
      return say(`The folder above this one is not there on ${host}. Make it, or name another.`);
    if (status === 412 || status === 423)
      return say(`The file is there already on ${host}, or is locked.`);
    if (status === 413) return say(`${host} takes no file as large as a backup.`);
    if (status === 507) return say(`${host} is full, or your share of it. Make room there.`);
    if (status >= 300 && status < 400)
      return say(`This address of ${host} leads to another one. Give that instead.`);
    if (status === 429 || status >= 500)
      return say(`${host} cannot take a backup now (status ${status}). It is tried again.`);
    return say(`${host} refuses the backup (status ${status}). Check the address.`);
  }
}
