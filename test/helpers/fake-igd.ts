import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Mapping } from "../../appliance/links/public/router/mapping.ts";
import type { FakeClock } from "./fake-clock.ts";

const ADDRESS = "GetExternalIPAddress";
const TYPE = "urn:schemas-upnp-org:service:WANIPConnection:1";
/** The time that a box waits for a page. */
const PATIENCE_MS = 5_000;

/** A port of the router that leads to somebody. */
export interface Held {
  readonly external: number;
  readonly internal: number;
  readonly client: string;
  /** Epoch ms; undefined: for good. */
  readonly until?: number;
  readonly nonce?: string;
}

/** The router that it is a part of. */
interface Home {
  readonly clock: FakeClock;
  readonly outer: string;
  readonly lacks: string | undefined;
  readonly refuses: Partial<Record<Mapping["by"], number>>;
  readonly heard: string[];
  readonly held: readonly Held[];
  hold(held: Held): void;
  drop(isMeant: (held: Held) => boolean): void;
}

/** The UPnP half of a router: a description, and SOAP. */
export class FakeIgd {
  readonly origin: string;
  /** The location in its answer to a search. */
  location: string;
  /** The URLs in its description; see `described`. */
  controlUrl = "/control?a=1&amp;b=2";
  base = "";
  onlyPermanent = false;
  /** Answers a request otherwise, where it returns true. */
  instead: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
  readonly #server: Server;
  #router: Home | undefined;

  private constructor(server: Server) {
    this.#server = server;
    const { address, port } = server.address() as AddressInfo;
    this.origin = `http://${address}:${port}`;
    this.location = `${this.origin}/description.xml`;
    server.on("request", (request, response) => void this.#take(request, response));
  }

  static async start(address: string): Promise<FakeIgd> {
    const server = createServer();
    server.listen(0, address);
    await once(server, "listening");
    return new FakeIgd(server);
  }

  begin(router: Home): void {
    this.#router = router;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  /** Its answer to a search. */
  found(location = this.location): Buffer {
    return Buffer.from(
      `HTTP/1.1 200 OK\r\nCACHE-CONTROL: max-age=120\r\nLocation: ${location}\r\nEXT:\r\n\r\n`,
    );
  }

  /** The announcement that it is there; `start` names its start. */
  alive(start: string): Buffer {
    const lines = [
      "NOTIFY * HTTP/1.1",
      "HOST: 239.255.255.250:1900",
      "CACHE-CONTROL: max-age=60",
      `LOCATION: ${this.location}`,
      "NT: upnp:rootdevice",
      "NTS: ssdp:alive",
      ...(start === "" ? [] : [`01-NLS: ${start}`, `BOOTID.UPNP.ORG: ${start}`]),
    ];
    return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`);
  }

  /** Time passes while somebody waits for the rest. */
  keepWaiting(): void {
    this.#router?.clock.advance(PATIENCE_MS);
  }

  /** A line that is down comes before the one that is used. */
  described(): string {
    const service = (type: string, url: string) =>
      `<service><serviceType>${type}</serviceType><serviceId>x</serviceId><controlURL>${url}</controlURL></service>`;
    return `<?xml version="1.0"?><root xmlns="urn:schemas-upnp-org:device-1-0">${this.base}<device>
      <serviceList>${service("urn:schemas-upnp-org:service:Layer3Forwarding:1", "/other")}
      ${service("urn:schemas-upnp-org:service:WANPPPConnection:1", "/down")}
      ${service(TYPE, this.controlUrl)}</serviceList></device></root>`;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { url = "", headers } = request;
    const action = /#(\w+)"$/.exec(String(headers.soapaction))?.[1] ?? "";
    this.#router?.heard.push(`igd ${action || url}`);
    if (this.instead(request, response)) return;
    if (url === "/description.xml") response.end(this.described());
    else if (url === "/down" && action === ADDRESS) answer(response, action, address("0.0.0.0"));
    else if (url === "/down" && this.#router?.lacks !== undefined) answer(response, action, 501);
    else if (url === "/control?a=1&b=2") answer(response, action, this.#act(action, body));
    else response.writeHead(404).end();
  }

  /** @returns what an action answers, or the number of an error */
  #act(action: string, body: string): string | number {
    const router = this.#router;
    if (router === undefined) throw new Error("begin() was not called");
    if (action === ADDRESS) return address(router.lacks === undefined ? router.outer : "");
    const external = Number(value(body, "NewExternalPort"));
    const held = router.held.find((one) => one.external === external);
    if (action === "GetSpecificPortMappingEntry")
      return held === undefined ? 714 : `<NewInternalClient>${held.client}</NewInternalClient>`;
    if (router.refuses.igd !== undefined) return router.refuses.igd;
    if (action === "AddPortMapping" && router.lacks !== undefined) return 501;
    if (action === "AddPortMapping") return this.#add(router, external, body);
    if (action !== "DeletePortMapping") return 401;
    router.drop((one) => one.external === external);
    return held === undefined ? 714 : "";
  }

  #add(router: Home, external: number, body: string): string | number {
    const seconds = Number(value(body, "NewLeaseDuration"));
    if (this.onlyPermanent && seconds > 0) return 725;
    const internal = Number(value(body, "NewInternalPort"));
    const until = seconds > 0 && { until: router.clock.now() + seconds * 1_000 };
    router.hold({ external, internal, client: value(body, "NewInternalClient"), ...until });
    return "";
  }
}

function value(body: string, name: string): string {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(body)?.[1] ?? "";
}

function address(text: string): string {
  return `<NewExternalIPAddress>${text}</NewExternalIPAddress>`;
}

/** @param answered what is within it, or the number of an error */
function answer(response: ServerResponse, action: string, answered: string | number): void {
  const isError = typeof answered === "number";
  const inner = isError
    ? `<s:Fault><detail><UPnPError><errorCode>${answered}</errorCode></UPnPError></detail></s:Fault>`
    : `<u:${action}Response xmlns:u="${TYPE}">${answered}</u:${action}Response>`;
  response.writeHead(isError ? 500 : 200);
  response.end(`<s:Envelope><s:Body>${inner}</s:Body></s:Envelope>`);
}
