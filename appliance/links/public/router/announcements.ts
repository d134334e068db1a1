/**
 * Announcements of routers after a restart: by NAT-PMP (RFC 6886, section 3.2.1) and PCP (RFC 6887, section 14.1) from
 * their port 5351, and by UPnP (UPnP Device Architecture 1.1, section 1.2). Any device of the home can forge them. Their
 * only effect is an earlier request to the router.
 */
import { createSocket, type Socket } from "node:dgram";
import type { Clock } from "../../../base/clock.ts";
import type { Cancel } from "../../../base/signal.ts";
import type { Gateway } from "./gateway.ts";
import type { RouterPorts } from "./mapping.ts";

interface AnnouncementsOptions {
  readonly ports: Pick<RouterPorts, "announced" | "notified">;
  readonly clock: Clock;
  readonly heard: () => void;
}

/** The shortest time between two reports, since routers repeat announcements for minutes. */
const EVERY_MS = 15_000;
/** The most datagrams of the router within that time; further ones are not read. */
const MOST_DATAGRAMS = 64;
const NAT_PMP_BYTES = 12;
const PCP_LEAST_BYTES = 24;
const PCP_MOST_BYTES = 1_100;
const NOTIFY_MOST_BYTES = 2_048;
/** A router without an id of its start counts as restarted after so long a silence; most announce themselves more often. */
const SILENT_MS = 60_000;

/** Listens to the gateway only. Where the ports are in use, it has no effect. */
export class Announcements {
  readonly #options: AnnouncementsOptions;
  #gateway: Gateway | undefined;
  #sockets: readonly Socket[] = [];
  #cancel: Cancel | undefined;
  #toldAt = Number.NEGATIVE_INFINITY;
  #windowAt = Number.NEGATIVE_INFINITY;
  #count = 0;
  #start = "";
  #notifiedAt = Number.NEGATIVE_INFINITY;

  constructor(options: AnnouncementsOptions) {
    this.#options = options;
  }

  /** Listens to this gateway from now on; undefined for none. */
  follow(gateway: Gateway | undefined): void {
    const isSame =
      gateway?.address === this.#gateway?.address && gateway?.own === this.#gateway?.own;
    this.#gateway = gateway;
    if (isSame) return;
    this.#hangUp();
    if (gateway === undefined) return;
    const { announced, notified } = this.#options.ports;
    this.#sockets = [
      this.#socket(announced, gateway, isStart),
      this.#socket(notified, gateway, (bytes) => this.#isNewDevice(bytes)),
    ];
  }

  close(): void {
    this.#gateway = undefined;
    this.#cancel?.();
    this.#hangUp();
  }

  #hangUp(): void {
    for (const socket of this.#sockets) socket.close();
    this.#sockets = [];
  }

  #socket(
    { address: group, port }: { address: string; port: number },
    { own }: Gateway,
    isHeeded: (bytes: Buffer) => boolean,
  ): Socket {
    // Others of this machine may listen there, too.
    const socket = createSocket({ type: "udp4", reuseAddr: true });
    socket.on("message", (bytes, { address }) => {
      if (address === this.#gateway?.address && this.#isBelowBound() && isHeeded(bytes))
        this.#tell();
    });
    // The router is also asked regularly, so a failure here is harmless.
    socket.on("error", () => {});
    // Bound to the group, the socket gets no datagram that is sent to this machine alone.
    socket.bind({ address: group, port, exclusive: true }, () => {
      try {
        socket.addMembership(group, own);
      } catch {
        // The interface is gone, so there will be another gateway.
      }
    });
    return socket;
  }

  #isBelowBound(): boolean {
    const now = this.#options.clock.monotonic();
    if (now - this.#windowAt >= EVERY_MS) {
      this.#windowAt = now;
      this.#count = 0;
    }
    return ++this.#count <= MOST_DATAGRAMS;
  }

  #tell(): void {
    const { clock, heard } = this.#options;
    if (this.#cancel !== undefined) return;
    const waitMs = this.#toldAt + EVERY_MS - clock.monotonic();
    const tell = () => {
      this.#cancel = undefined;
      this.#toldAt = clock.monotonic();
      heard();
    };
    if (waitMs <= 0) tell();
    else this.#cancel = clock.after(waitMs, tell);
  }

  /** Whether an announcement is of a new start: devices repeat it every few minutes, with an id for each start. */
  #isNewDevice(bytes: Buffer): boolean {
    if (bytes.length > NOTIFY_MOST_BYTES) return false;
    const text = bytes.toString("latin1");
    const isRoot = /^nt:[ \t]*upnp:rootdevice\s*$/im.test(text);
    if (!/^NOTIFY \* HTTP\/1\.[01]\r\n/.test(text) || !isRoot) return false;
    if (!/^nts:[ \t]*ssdp:alive\s*$/im.test(text)) return false;
    const now = this.#options.clock.monotonic();
    const wasSilent = now - this.#notifiedAt >= SILENT_MS;
    const [, start = ""] = /^(?:bootid\.upnp\.org|01-nls):[ \t]*(\S+)/im.exec(text) ?? [];
    const isNew = start === "" ? wasSilent : start !== this.#start;
    this.#notifiedAt = now;
    this.#start = start;
    return isNew;
  }
}

/** Whether a router announces its start: by NAT-PMP with its outer address, by PCP without. */
function isStart(bytes: Buffer): boolean {
  const [version, opcode] = bytes;
  if (opcode !== 0x80) return false;
  if (version === 0) return bytes.length === NAT_PMP_BYTES;
  const isWhole = bytes.length >= PCP_LEAST_BYTES && bytes.length <= PCP_MOST_BYTES;
  return version === 2 && isWhole && bytes.length % 4 === 0;
}
