import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { MqttClient } from "mqtt";
import { PacketSizes } from "./packet-sizes.ts";
import type { MqttSettings } from "./settings.ts";

/** A message that came in. */
export interface Message {
  readonly topic: string;
  readonly payload: Uint8Array;
  /** It was kept at the broker, and is not of now. */
  readonly retain: boolean;
}

/** A message that goes out. */
export interface Outgoing {
  readonly topic: string;
  readonly payload: string | Uint8Array;
  readonly retain: boolean;
  readonly qos: 0 | 1;
  /** Seconds after which the broker drops it; MQTT 5 only. */
  readonly expiry?: number | undefined;
}

interface ConnectionEvents {
  /** The broker let us in, and tells what we listen for. */
  connected(): void;
  /** It is over, once: with what went wrong last, as far as anybody said. */
  closed(error: unknown): void;
  /** The next one comes after `done`: until then the broker has to wait. */
  message(message: Message, done: () => void): void;
  /** What was written has left. */
  drained(): void;
}

/** One connection with a broker; it does not come back by itself. */
export interface Connection {
  /** What is written has not left yet, and is much. */
  readonly isCongested: boolean;
  publish(message: Outgoing): void;
  subscribe(filters: readonly string[]): void;
  unsubscribe(filters: readonly string[]): void;
  /** Resolves when the broker has what was published, or the connection is over. */
  end(): Promise<void>;
  /** Ends it at once. */
  cut(): void;
}

export type Connect = (
  to: Pick<MqttSettings, "url" | "user" | "password" | "version" | "ca">,
  as: {
    readonly clientId: string;
    readonly will: Outgoing;
    /** Filters of what to listen for from the beginning. */
    readonly listenFor: readonly string[];
  },
  events: ConnectionEvents,
) => Connection;

const PORT = 1883;
const TLS_PORT = 8883;
const KEEPALIVE_S = 60;
const CONNECT_MS = 20_000;
/** Larger than what we keep at a broker and may be told of again; it keeps back what is larger still. */
const LARGEST_PACKET = 524_288;
const CONGESTED_BYTES = 1_048_576;

/** Opens a connection; what comes of it is told by `events`. */
export const connectMqtt: Connect = (to, { clientId, will, listenFor }, events) => {
  let socket: Socket | undefined;
  let problem: unknown;
  const open = () => {
    const opened = socketTo(to);
    socket = opened;
    opened.on("drain", () => events.drained());
    const packets = new PacketSizes(LARGEST_PACKET);
    opened.on("data", (bytes) => {
      if (!packets.take(bytes)) opened.destroy(new TooLarge());
    });
    return opened;
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
  client.on("connect", () => {
    // Whoever sees that we are there may tell us something at once.
    client.subscribe([...listenFor], { qos: 1 }, () => {
      if (client.connected) events.connected();
    });
  });
  client.on("error", (error) => {
    problem ??= error;
  });
  client.on("disconnect", ({ reasonCode }) => {
    problem ??= { code: reasonCode };
  });
  client.once("close", () => {
    client.end(true);
    events.closed(problem);
  });
  client.handleMessage = (packet, done) => {
    const { topic, payload, retain } = packet;
    events.message({ topic, payload: Buffer.from(payload), retain }, () => done());
  };
  // What fails is sent anew with the next connection.
  const ignore = () => {};
  return {
    get isCongested() {
      return (socket?.writableLength ?? 0) > CONGESTED_BYTES;
    },
    publish({ topic, payload, retain, qos, expiry }) {
      const properties = expiry === undefined ? {} : { messageExpiryInterval: expiry };
      const bytes = typeof payload === "string" ? payload : Buffer.from(payload);
      const isFive = to.version === "5";
      client.publish(topic, bytes, { retain, qos, ...(isFive && { properties }) }, ignore);
    },
    subscribe: (filters) => void client.subscribe([...filters], { qos: 1 }, ignore),
    unsubscribe: (filters) => void client.unsubscribe([...filters], ignore),
    end: () => new Promise((resolve) => client.end(false, () => resolve())),
    cut: () => void socket?.destroy(),
  };
};

/** The broker sent more than anybody should. */
class TooLarge extends Error {
  readonly code = "TOO_LARGE";
}

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
