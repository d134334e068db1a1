import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { MqttClient } from "mqtt";
import { ConnectionEnded, GuardedSocket } from "./guarded-socket.ts";
import type { MqttSettings } from "./settings.ts";
import { MAX_TOPIC } from "./topics.ts";

/** An incoming message. */
export interface Message {
  readonly topic: string;
  readonly payload: Uint8Array;
  /** Whether the broker kept it from earlier. */
  readonly retain: boolean;
}

export interface OutgoingMessage {
  readonly topic: string;
  readonly payload: string | Uint8Array;
  readonly retain: boolean;
  readonly qos: 0 | 1;
  /** Seconds after which the broker drops it; MQTT 5 only. */
  readonly expiry?: number | undefined;
}

interface ConnectionEvents {
  /** The broker has accepted us and our subscriptions. */
  connected(): void;
  /** The connection has ended, with the first error if there was one. Called once. */
  closed(error: unknown): void;
  /** Called when the broker denies writing to a topic, or listening at filters. */
  refused(what: "write" | "listen", topics: readonly string[]): void;
  /** A message has come. The broker has to wait with the next one until `done`. */
  message(message: Message, done: () => void): void;
  /** The messages written so far have left, or the broker has confirmed them. */
  drained(): void;
}

/** One connection with a broker, which is not made again by itself. */
export interface BrokerConnection {
  /** Much was written that has not left yet, or is not confirmed. */
  readonly isCongested: boolean;
  publish(message: OutgoingMessage): void;
  subscribe(filters: readonly string[]): void;
  unsubscribe(filters: readonly string[]): void;
  /** Resolves when the broker has confirmed all messages, or the connection is over. */
  close(): Promise<void>;
  /** Cuts the connection. @param code the reason, as in `problemOf`; no fault unless given */
  cut(code?: string): void;
}

export type Connect = (
  to: Pick<MqttSettings, "url" | "user" | "password" | "version" | "ca">,
  as: {
    readonly clientId: string;
    readonly will: OutgoingMessage;
    readonly listenFor: readonly string[];
  },
  events: ConnectionEvents,
) => BrokerConnection;

const PORT = 1883;
const TLS_PORT = 8883;
const KEEPALIVE_S = 60;
const CONNECT_MS = 20_000;
/** The largest packet: more than our document for Home Assistant, which comes back as an echo; commands have 4 kB at most. */
const LARGEST_PACKET = 131_072;
const CONGESTED_BYTES = 1_048_576;
/** The most unconfirmed messages, each of which the library keeps. */
const MAX_UNCONFIRMED = 16;
/** Packets that get one packet as an answer; so do messages with confirmation. */
const ASKING = new Set(["connect", "subscribe", "unsubscribe", "pingreq"]);
/** Reason codes from here on are refusals: MQTT 5, 2.4; in 3.1.1 those of subscriptions. */
const REFUSALS = 0x80;

export const connectMqtt: Connect = (to, { clientId, will, listenFor }, events) => {
  let socket: GuardedSocket | undefined;
  let problem: unknown;
  let unconfirmed = 0;
  const open = () => {
    socket = new GuardedSocket(socketTo(to), { packet: LARGEST_PACKET, topic: MAX_TOPIC });
    return socket.on("drain", () => events.drained());
  };
  const client = new MqttClient(open, {
    clientId,
    protocolVersion: to.version === "5" ? 5 : 4,
    ...(to.user !== "" && { username: to.user, password: to.password }),
    clean: true,
    keepalive: KEEPALIVE_S,
    connectTimeout: CONNECT_MS,
    reconnectPeriod: 0,
    queueQoSZero: false,
    will: { ...will, payload: Buffer.from(will.payload) },
    ...(to.version === "5" && { properties: { maximumPacketSize: LARGEST_PACKET } }),
  });
  // A request that fails for other reasons is sent again on the next connection.
  const ignore = () => {};
  const subscribe = (filters: readonly string[], done: () => void) =>
    client.subscribe([...filters], { qos: 1 }, (_error, _asked, packet) => {
      if (client.connected) done();
      const granted = packet?.granted ?? [];
      const refused = filters.filter((_, at) => Number(granted[at] ?? 0) >= REFUSALS);
      if (refused.length > 0) events.refused("listen", refused);
    });
  const confirmed = (topic: string, error: { code?: unknown } | undefined) => {
    const wasFull = unconfirmed >= MAX_UNCONFIRMED;
    unconfirmed -= 1;
    if (Number(error?.code) >= REFUSALS) events.refused("write", [topic]);
    if (wasFull) events.drained();
  };
  client.on("packetsend", (packet) => {
    if (ASKING.has(packet.cmd) || (packet.cmd === "publish" && packet.qos > 0))
      socket?.packets.asked();
  });
  // Subscriptions come first, since a listener may answer as soon as it sees us.
  client.on("connect", () => subscribe(listenFor, () => events.connected()));
  client.on("error", (error) => {
    problem ??= error;
    // The library would go on reading after bytes that it could not parse.
    socket?.destroy();
  });
  client.on("disconnect", ({ reasonCode }) => {
    problem ??= { code: reasonCode };
  });
  client.once("close", () => {
    client.end(true);
    // A reset is such an end, too: the broker has not even read our packets.
    const isUnsaid = problem === undefined || (problem as { code?: unknown }).code === "ECONNRESET";
    events.closed(isUnsaid && !socket?.hasHeard ? new ConnectionEnded("SILENT") : problem);
  });
  client.handleMessage = (packet, done) => {
    const { topic, payload, retain } = packet;
    events.message({ topic, payload: Buffer.from(payload), retain }, () => done());
  };
  return {
    get isCongested() {
      return (socket?.writableLength ?? 0) > CONGESTED_BYTES || unconfirmed >= MAX_UNCONFIRMED;
    },
    publish({ topic, payload, retain, qos, expiry }) {
      const properties = expiry === undefined ? {} : { messageExpiryInterval: expiry };
      const bytes = typeof payload === "string" ? payload : Buffer.from(payload);
      const isFive = to.version === "5";
      if (qos === 1) unconfirmed += 1;
      const done = qos === 1 ? (error?: object) => confirmed(topic, error) : ignore;
      client.publish(topic, bytes, { retain, qos, ...(isFive && { properties }) }, done);
    },
    subscribe: (filters) => void subscribe(filters, ignore),
    unsubscribe: (filters) => void client.unsubscribe([...filters], ignore),
    close: () => new Promise((resolve) => client.end(false, () => resolve())),
    cut(code) {
      if (code !== undefined) problem ??= new ConnectionEnded(code);
      socket?.destroy();
    },
  };
};

function socketTo({ url, ca }: Pick<MqttSettings, "url" | "ca">): Socket {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  if (protocol === "mqtt:") return connectTcp({ host, port: Number(port || PORT) });
  return connectTls({
    host,
    port: Number(port || TLS_PORT),
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca !== "" && { ca }),
  });
}
