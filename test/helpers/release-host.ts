import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { OpenUrl } from "../../appliance/links/updates/release-host.ts";

/** The faults of a host with a file. */
interface Fault {
  readonly file: string;
  /** Answers only this. */
  readonly status?: number;
  /** Leads there. */
  readonly location?: string;
  /** Sends all of it, whatever part was asked for. */
  readonly ignoresRange?: boolean;
  /** Breaks off after so many bytes of an answer. */
  readonly cutAfter?: number;
  /** Says nothing more after so many bytes of an answer. */
  readonly stallAfter?: number;
  /** Sends this in its place. */
  readonly body?: Buffer;
  /** Does not say how large it is. */
  readonly isEndless?: boolean;
  /** The number of times; once unless given. */
  times?: number;
}

/** The address of releases in tests. */
export const RELEASES = "https://releases.test/tallydeck/releases/latest/download/";

/**
 * A host of releases as Git hosts are: the newest release leads to its file, and that to another host
 * which has the bytes.
 */
export class ReleaseHostFake {
  readonly files = new Map<string, Buffer>();
  faults: Fault[] = [];
  /** Requested files, with their range: `root.img bytes=5-`. */
  readonly asked: string[] = [];
  readonly #server = createServer((sent, answer) => this.#answer(sent, answer));
  readonly #waiting = new Set<ServerResponse>();
  /** The number of addresses that the box has opened. */
  opened = 0;
  #port = 0;

  async start(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as { port: number }).port;
  }

  /** Breaks off the answers in which it said nothing more. */
  hangUp(): void {
    for (const answer of this.#waiting) answer.destroy();
    this.#waiting.clear();
  }

  async stop(): Promise<void> {
    this.hangUp();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Opens URLs for the box, all of which lead here. */
  readonly open: OpenUrl = async (url, headers, signal) => {
    this.opened += 1;
    const { protocol, host, pathname } = new URL(url);
    if (protocol !== "https:") throw new Error(`${url} was asked for`);
    const options = {
      port: this.#port,
      path: `/${host}${pathname}`,
      headers,
      signal,
      agent: false,
    };
    const sent = request({ host: "127.0.0.1", ...options }).end();
    const [body] = (await once(sent, "response")) as [IncomingMessage];
    sent.on("error", () => {});
    return { status: body.statusCode ?? 0, headers: body.headers, body };
  };

  #answer({ url = "", headers }: IncomingMessage, answer: ServerResponse): void {
    const name = url.split("/").at(-1) ?? "";
    const [, host] = url.split("/");
    if (host === "releases.test") {
      const path = url.includes("/latest/") ? "/tallydeck/releases/download/v1/" : "/o/";
      const to = url.includes("/latest/") ? path : `https://files.test${path}`;
      answer.writeHead(302, { location: `${to}${name}` }).end();
      return;
    }
    this.asked.push(headers.range === undefined ? name : `${name} ${headers.range}`);
    const fault = this.#fault(name);
    const file = fault?.body ?? this.files.get(name);
    const status = fault?.status ?? (file === undefined ? 404 : 200);
    if (fault?.location !== undefined) answer.writeHead(302, { location: fault.location }).end();
    else if (file === undefined || status !== 200) answer.writeHead(status).end();
    else this.#send(answer, file, headers.range, fault);
  }

  #fault(name: string): Fault | undefined {
    const fault = this.faults.find(({ file, times = 1 }) => file === name && times > 0);
    if (fault !== undefined) fault.times = (fault.times ?? 1) - 1;
    return fault;
  }

  #send(
    answer: ServerResponse,
    file: Buffer,
    range: string | undefined,
    { ignoresRange = false, cutAfter, stallAfter, isEndless = false }: Partial<Fault> = {},
  ): void {
    const from = ignoresRange ? 0 : Number(/^bytes=(\d+)-$/.exec(range ?? "")?.[1] ?? 0);
    const part = file.subarray(from);
    answer.writeHead(from === 0 ? 200 : 206, {
      ...(!isEndless && { "content-length": part.length }),
      ...(from > 0 && { "content-range": `bytes ${from}-${file.length - 1}/${file.length}` }),
    });
    const most = cutAfter ?? stallAfter;
    if (most === undefined) return void answer.end(part);
    this.#waiting.add(answer);
    answer.write(part.subarray(0, most), () => {
      if (cutAfter !== undefined) answer.socket?.end();
    });
  }
}
