import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mqtt, { type MqttClient } from "mqtt";
import { needTools } from "../../scripts/tools.ts";
import { answering, ended } from "./daemon.ts";
import { freePort } from "./free-port.ts";
import { endedAtLast } from "./hooks.ts";

interface MosquittoOptions {
  /** Lines of the configuration besides the listener. */
  readonly config?: (folder: string) => readonly string[];
  /** Puts files into the folder before the first start. */
  readonly prepare?: (folder: string) => void;
}

const BROKER = "/usr/sbin/mosquitto";

const open = endedAtLast<Mosquitto>();

/** Debian's broker on a free port of 127.0.0.1, with what it needs in a folder of its own. */
export class Mosquitto {
  readonly port: number;
  readonly folder: string;
  #process: ChildProcess | undefined;

  private constructor(port: number, folder: string) {
    this.port = port;
    this.folder = folder;
  }

  static async open({ config, prepare }: MosquittoOptions = {}): Promise<Mosquitto> {
    needTools("mosquitto");
    const folder = mkdtempSync(join(tmpdir(), "tallydeck-mosquitto-"));
    const port = await freePort();
    prepare?.(folder);
    const lines = config?.(folder) ?? ["allow_anonymous true"];
    writeFileSync(
      join(folder, "mosquitto.conf"),
      [
        "per_listener_settings false",
        `listener ${port} 127.0.0.1`,
        // Started by root it would become somebody who may not read the folder.
        "user root",
        ...lines,
        "",
      ].join("\n"),
    );
    const broker = new Mosquitto(port, folder);
    open.add(broker);
    await broker.start();
    return broker;
  }

  /** Starts with nothing kept, as a broker without persistence does. */
  async start(): Promise<void> {
    const config = join(this.folder, "mosquitto.conf");
    this.#process = spawn(BROKER, ["-c", config], { stdio: "ignore" });
    await answering(this.#process, this.port);
  }

  /** Ends the broker; everything it kept is gone. */
  async stop(): Promise<void> {
    await ended(this.#process);
    this.#process = undefined;
  }

  /** Ends the broker and removes its folder. */
  async end(): Promise<void> {
    open.delete(this);
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A message as a second client sees it. */
interface Heard {
  readonly topic: string;
  readonly text: string;
  readonly bytes: Buffer;
  readonly retain: boolean;
  /** Seconds until the broker drops it. */
  readonly expiry: number | undefined;
}

/** A second client at a broker, as Home Assistant would be: it hears everything. */
export class Listener {
  /** All there was, oldest first. */
  readonly heard: Heard[] = [];
  readonly client: MqttClient;
  readonly #waiting = new Set<() => void>();

  private constructor(client: MqttClient) {
    this.client = client;
    client.on("message", (topic, bytes, { retain, properties }) => {
      const expiry = properties?.messageExpiryInterval;
      this.heard.push({ topic, bytes, text: bytes.toString(), retain, expiry });
      for (const look of this.#waiting) look();
    });
  }

  static async open(broker: Mosquitto): Promise<Listener> {
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${broker.port}`, {
      protocolVersion: 5,
      reconnectPeriod: 50,
    });
    const listener = new Listener(client);
    // Tells what was kept from what comes now, and hears each message once.
    await client.subscribeAsync("#", { qos: 1, rap: true });
    return listener;
  }

  /** The first message on a topic that fits, of those heard after the `from`th; waits for it. */
  next(topic: string, fits: (text: string) => boolean = () => true, from = 0): Promise<Heard> {
    return this.nextOf((of, text) => of === topic && fits(text), from);
  }

  async nextOf(fits: (topic: string, text: string) => boolean, from = 0): Promise<Heard> {
    const { promise, resolve } = Promise.withResolvers<Heard>();
    const look = () => {
      const found = this.heard.slice(from).find(({ topic, text }) => fits(topic, text));
      if (found) resolve(found);
    };
    this.#waiting.add(look);
    look();
    const found = await promise;
    this.#waiting.delete(look);
    return found;
  }

  /** The newest message on a topic, if there was one. */
  last(topic: string): Heard | undefined {
    return this.heard.findLast((message) => message.topic === topic);
  }

  /** Messages after the `from`th, without marks. */
  since(from: number): Heard[] {
    return this.heard.slice(from).filter(({ topic }) => !topic.includes("settled/"));
  }

  /** Resolves once everything that was sent before has come. */
  async settle(): Promise<void> {
    const mark = `settled/${Math.random()}`;
    await this.client.publishAsync(mark, "", { qos: 1 });
    await this.next(mark);
  }

  async say(topic: string, payload: unknown, options: { retain?: boolean } = {}): Promise<void> {
    const text =
      typeof payload === "string" || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload);
    await this.client.publishAsync(topic, text, { qos: 1, ...options });
  }

  async end(): Promise<void> {
    await this.client.endAsync(true);
  }
}
