import { createSocket } from "node:dgram";
import type { GatewayClient } from "./mapping.ts";

/** A request over UDP, which is repeated without an answer. */
interface UdpQuestion<T> {
  readonly to: { readonly address: string; readonly port: number };
  /** The messages of each try. */
  readonly messages: readonly Uint8Array[];
  /** The source port, if it is free; otherwise any. */
  readonly from?: number;
  /** Whether it goes to a multicast group instead of the router. */
  readonly isMulticast?: boolean;
  /** Undefined: it is no answer to this question. `sender`: its IPv4 address. */
  read(bytes: Buffer, sender: string): T | undefined;
}

/** Milliseconds after each try. */
const WAITS_MS = [500, 1_000, 2_000];
/** The number of wrong datagrams at which the socket is closed. */
const MOST_DATAGRAMS = 64;
/** Routers of the own network, and one that is a hop away. */
const MULTICAST_TTL = 2;

/** @returns the first answer; undefined without one, or when the talk is over */
export function askByUdp<T>(question: UdpQuestion<T>, talk: GatewayClient): Promise<T | undefined> {
  const { clock, gateway, signal } = talk;
  const { to, isMulticast = false, from = 0 } = question;
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(undefined);
    const socket = createSocket("udp4");
    let cancel = () => {};
    let isOver = false;
    let heard = 0;
    const over = (answer?: T) => {
      if (isOver) return;
      isOver = true;
      cancel();
      signal.removeEventListener("abort", stop);
      socket.close();
      resolve(answer);
    };
    const stop = () => over();
    const send = (bytes: Uint8Array) => {
      const sent = (error: Error | null) => error && over();
      if (isMulticast) socket.send(bytes, to.port, to.address, sent);
      else socket.send(bytes, sent);
    };
    const go = (times = 0) => {
      if (isOver) return;
      for (const message of question.messages) send(message);
      const wait = WAITS_MS[times];
      cancel = clock.after(wait ?? 0, () => (times + 1 < WAITS_MS.length ? go(times + 1) : over()));
    };
    signal.addEventListener("abort", stop);
    socket.on("message", (bytes, { address }) => {
      const answer = question.read(bytes, address);
      if (answer !== undefined || ++heard >= MOST_DATAGRAMS) over(answer);
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE" && from !== 0) socket.bind({ address: gateway.own });
      // Most often the router's word that nothing listens there.
      else over();
    });
    socket.on("listening", () => {
      if (!isMulticast) return socket.connect(to.port, to.address, () => go());
      socket.setMulticastInterface(gateway.own);
      socket.setMulticastTTL(MULTICAST_TTL);
      go();
    });
    // The source is the address that the mapping is for. A connected socket gets no datagrams of other hosts.
    socket.bind({ address: gateway.own, port: from, exclusive: true });
  });
}
