/**
 * UPnP's Internet Gateway Device, WANIPConnection:1 and :2: SOAP at an address of the router.
 *
 * Debian's `upnpc` is not used. Version 2.2.4, with an address by `-u`, fetches the description again, sends requests to any
 * host that this names, and reads answers without a limit: 900 MB in 12 s. It cannot be restricted to the gateway, and its
 * output is for people.
 */
import { isIPv4 } from "node:net";
import { declaresNothing, elementText } from "../../../base/input/xml.ts";
import { askRouter, findServices, type WanService } from "./igd-search.ts";
import {
  type GatewayClient,
  isUnspecified,
  LIFETIME_S,
  type Mapping,
  type PortAnswer,
  type PortPair,
  type PortProtocol,
  type RefusedWhy,
} from "./mapping.ts";

/** Error codes: UPnP Device Architecture 1.1, section 3.2.2, and WANIPConnection:2, section 2.5. */
const INVALID_ARGS = 402;
/** The code for no answer, or an invalid one. */
const NO_ANSWER = 0;
const CONFLICT = 718;
const ONLY_PERMANENT = 725;
const OTHER_MECHANISM = 729;
const REFUSED: Readonly<Record<number, RefusedWhy>> = {
  401: "not-supported",
  606: "not-allowed",
  728: "no-room",
};
/** The description in the router's list of its mappings. */
const DESCRIPTION = "Tallydeck";

/** The answer to an action: its XML, or the number of an error. */
type IgdAnswer = { readonly xml: string } | { readonly error: number };

interface WanLine {
  readonly service: WanService;
  readonly address: string | undefined;
}

export const igd: PortProtocol = {
  async map(pair, talk): Promise<PortAnswer> {
    const line = await findLine(talk);
    if (line === undefined) return { kind: "no-router" };
    const { service, address } = line;
    // Some routers give the port of another host to the last one that asks.
    const holder = await holderOf(pair.external, service, talk);
    if (holder !== undefined && holder !== talk.gateway.own) return { kind: "conflict", by: "igd" };
    let lifetimeS = LIFETIME_S;
    let error = await add(pair, lifetimeS, service, talk);
    if (error === ONLY_PERMANENT || error === INVALID_ARGS) {
      lifetimeS = 0;
      error = await add(pair, lifetimeS, service, talk);
    }
    // Some do not let even its holder renew it.
    if (error === CONFLICT && holder === talk.gateway.own) error = undefined;
    if (error === CONFLICT || error === OTHER_MECHANISM) return { kind: "conflict", by: "igd" };
    if (error === NO_ANSWER) return { kind: "no-router" };
    if (error !== undefined) {
      // A request that fails on a line without an address fails for want of one.
      const why = REFUSED[error] ?? (address === undefined ? "no-public-address" : "failed");
      return { kind: "refused", by: "igd", why };
    }
    const { internal: internalPort, external: externalPort } = pair;
    const where = address !== undefined && { address };
    return {
      kind: "open",
      mapping: { by: "igd", internalPort, externalPort, ...where, lifetimeS },
    };
  },

  async unmap({ externalPort }: Mapping, talk) {
    const line = await findLine(talk);
    if (line === undefined) return false;
    const holder = await holderOf(externalPort, line.service, talk);
    // Another device that has the port meanwhile keeps it.
    if (holder !== talk.gateway.own) return true;
    return "xml" in (await act("DeletePortMapping", portOf(externalPort), line.service, talk));
  },

  async outerAddress(talk) {
    return (await findLine(talk))?.address;
  },
};

/** The service with an outer address, or else the first; undefined where no router answers. */
async function findLine(talk: GatewayClient): Promise<WanLine | undefined> {
  let first: WanLine | undefined;
  for (const service of await findServices(talk)) {
    const answer = await act("GetExternalIPAddress", {}, service, talk);
    const address = "xml" in answer ? (elementText(answer.xml, "NewExternalIPAddress") ?? "") : "";
    if (isIPv4(address) && !isUnspecified(address)) return { service, address };
    first ??= { service, address: undefined };
  }
  return first;
}

/** The address in the network that the port leads to; undefined where it leads nowhere. */
async function holderOf(
  externalPort: number,
  service: WanService,
  talk: GatewayClient,
): Promise<string | undefined> {
  const answer = await act("GetSpecificPortMappingEntry", portOf(externalPort), service, talk);
  return "xml" in answer ? elementText(answer.xml, "NewInternalClient") || undefined : undefined;
}

/** @returns undefined after a success, otherwise the number of the error */
async function add(
  { internal, external }: PortPair,
  lifetimeS: number,
  service: WanService,
  talk: GatewayClient,
): Promise<number | undefined> {
  const wanted = {
    ...portOf(external),
    NewInternalPort: internal,
    NewInternalClient: talk.gateway.own,
    NewEnabled: 1,
    NewPortMappingDescription: DESCRIPTION,
    NewLeaseDuration: lifetimeS,
  };
  const answer = await act("AddPortMapping", wanted, service, talk);
  return "error" in answer ? answer.error : undefined;
}

/** The arguments for the port, which every action has in this order. */
function portOf(externalPort: number): Readonly<Record<string, string | number>> {
  return { NewRemoteHost: "", NewExternalPort: externalPort, NewProtocol: "TCP" };
}

async function act(
  action: string,
  values: Readonly<Record<string, string | number>>,
  { type, controlUrl }: WanService,
  talk: GatewayClient,
): Promise<IgdAnswer> {
  const headers = {
    "content-type": 'text/xml; charset="utf-8"',
    soapaction: `"${type}#${action}"`,
  };
  const body = envelope(action, values, type);
  const reply = await askRouter({ method: "POST", url: controlUrl, headers, body }, talk);
  const xml = reply?.body.toString("utf8") ?? "";
  if (reply === undefined || !declaresNothing(xml)) return { error: NO_ANSWER };
  if (reply.status === 200) return { xml };
  return { error: Number(elementText(xml, "errorCode")) || NO_ANSWER };
}

/** The SOAP envelope of an action, whose values have no character that XML escapes. */
function envelope(
  action: string,
  values: Readonly<Record<string, string | number>>,
  type: string,
): string {
  const inner = Object.entries(values).map(([name, value]) => `<${name}>${value}</${name}>`);
  return (
    '<?xml version="1.0"?>\r\n' +
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"' +
    ' s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><s:Body>' +
    `<u:${action} xmlns:u="${type}">${inner.join("")}</u:${action}>` +
    "</s:Body></s:Envelope>\r\n"
  );
}
