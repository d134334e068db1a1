/**
 * Finds a router's UPnP service by SSDP (UPnP Device Architecture 1.1, section 1.3), and reads its description (section 2).
 * Only the gateway itself is asked: answers of other devices, and addresses elsewhere, are ignored.
 */

import { declaresNothing, elements, elementText } from "../../../base/input/xml.ts";
import type { AskOutside } from "../ask.ts";
import type { GatewayClient } from "./mapping.ts";
import { askByUdp } from "./udp.ts";

export interface WanService {
  readonly type: string;
  /** The control URL, on the gateway. */
  readonly controlUrl: string;
}

/** Devices of version 2 have to answer to a search for version 1, and some do not. */
const SEARCHED = [
  "urn:schemas-upnp-org:device:InternetGatewayDevice:1",
  "urn:schemas-upnp-org:device:InternetGatewayDevice:2",
];
const SERVICES: readonly string[] = [
  "urn:schemas-upnp-org:service:WANIPConnection:2",
  "urn:schemas-upnp-org:service:WANIPConnection:1",
  "urn:schemas-upnp-org:service:WANPPPConnection:1",
];
/** A router has one for each of its lines. */
const MOST_SERVICES = 4;
const MOST_URL_LENGTH = 512;
const MOST_ANSWER_BYTES = 2_048;
/** A description of a large router has 20 KiB. */
const MOST_BYTES = 65_536;
const PATIENCE_MS = 5_000;
/** Seconds within which routers are to answer. */
const MX = 1;

/** The services that may map ports, in the router's order; none where no router answers. */
export async function findServices(talk: GatewayClient): Promise<readonly WanService[]> {
  const location = await askByUdp(
    {
      to: talk.ports.search,
      from: talk.ports.searchFrom,
      isMulticast: true,
      messages: SEARCHED.map((target) => searchFor(target, talk)),
      read: (bytes, sender) =>
        sender === talk.gateway.address ? locationIn(bytes, talk) : undefined,
    },
    talk,
  );
  if (location === undefined) return [];
  const reply = await askRouter({ method: "GET", url: location }, talk);
  return reply?.status === 200 ? servicesIn(reply.body.toString("utf8"), location, talk) : [];
}

/** Sends an HTTP request to the gateway, within limits; undefined without a complete answer. */
export function askRouter(
  question: Parameters<AskOutside>[0],
  { ask, signal }: GatewayClient,
): Promise<Awaited<ReturnType<AskOutside>> | undefined> {
  return ask(question, { mostBytes: MOST_BYTES, patienceMs: PATIENCE_MS, signal }).catch(
    () => undefined,
  );
}

function searchFor(target: string, { ports: { search } }: GatewayClient): Buffer {
  const lines = [
    "M-SEARCH * HTTP/1.1",
    `HOST: ${search.address}:${search.port}`,
    'MAN: "ssdp:discover"',
    `MX: ${MX}`,
    `ST: ${target}`,
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`);
}

function locationIn(bytes: Buffer, talk: GatewayClient): string | undefined {
  if (bytes.length > MOST_ANSWER_BYTES) return undefined;
  const text = bytes.toString("latin1");
  if (!/^HTTP\/1\.[01] 200\b/i.test(text)) return undefined;
  const [, location = ""] = /^location:[ \t]*(\S+)/im.exec(text) ?? [];
  return urlOnGateway(location, undefined, talk);
}

function servicesIn(xml: string, location: string, talk: GatewayClient): readonly WanService[] {
  if (!declaresNothing(xml)) return [];
  const base = urlOnGateway(elementText(xml, "URLBase") || location, undefined, talk);
  if (base === undefined) return [];
  const found = elements(xml, "service").flatMap((service) => {
    const type = elementText(service, "serviceType") ?? "";
    const controlUrl = urlOnGateway(elementText(service, "controlURL") ?? "", base, talk);
    return SERVICES.includes(type) && controlUrl !== undefined ? [{ type, controlUrl }] : [];
  });
  return found.slice(0, MOST_SERVICES);
}

function urlOnGateway(
  text: string,
  base: string | undefined,
  talk: GatewayClient,
): string | undefined {
  if (text === "" || text.length > MOST_URL_LENGTH || !URL.canParse(text, base)) return undefined;
  const { protocol, hostname, username, password, href } = new URL(text, base);
  const isThere = protocol === "http:" && hostname === talk.gateway.address;
  return isThere && username === "" && password === "" ? href : undefined;
}
