import { EventEmitter, once } from "node:events";
import { Agent, request } from "node:http";
import type { ServiceParts } from "../../appliance/app/service/parts.ts";
import { type Service, startService } from "../../appliance/app/service/service.ts";
import { silentLog } from "../../appliance/base/log.ts";
import { SystemClock } from "../../appliance/base/system/system-clock.ts";
import { readConfig } from "../../appliance/config/config.ts";
import type { HidHandle } from "../../appliance/deck/usb/driver.ts";
import type { DeckBus, UsbListener } from "../../appliance/deck/usb/hid.ts";

/** The keys of a Stream Deck MK.2. */
export const KEYS = 15;

/** A service in this process, on ports that are free. */
export function startHere(dataDir: string, parts: Partial<ServiceParts> = {}): Promise<Service> {
  const flags = { PORT: "0", WEBUI_PORT: "0", DATA_DIR: dataDir };
  const config = readConfig({ flags, env: {} });
  return startService({ config, clock: new SystemClock(), log: silentLog(), ...parts });
}

/** Speaks to the control listener over one connection. */
export class Owner {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #port: number;

  /** @param port of the control listener */
  constructor(port: number) {
    this.#port = port;
  }

  // biome-ignore lint/suspicious/noExplicitAny: each route answers its own shape.
  async call(method: string, path: string, body?: object, token?: string): Promise<any> {
    const { answer } = await this.#send(method, path, body, token);
    return answer;
  }

  /** @returns when the last byte of the request was written, on the clock of `performance`. */
  async push(channel: string, text: string, token: string): Promise<number> {
    return (await this.#send("POST", `/api/push/${channel}`, { text }, token)).sentAt;
  }

  async #send(method: string, path: string, body?: object, token?: string) {
    const headers = {
      "Content-Type": "application/json",
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    };
    const sent = request({ port: this.#port, agent: this.#agent, method, path, headers });
    sent.end(body && JSON.stringify(body));
    const sentAt = performance.now();
    const [response] = await once(sent, "response");
    let text = "";
    for await (const chunk of response) text += chunk;
    if (response.statusCode >= 300) throw new Error(`${path} answered ${text}`);
    return { sentAt, answer: text === "" ? {} : JSON.parse(text) };
  }

  /** The id of the deck of a unit, once it is connected. */
  async deckOf(unit: InstantDeck): Promise<string> {
    await unit.opened;
    for (;;) {
      const { decks } = await this.call("GET", "/api/decks");
      if (decks.length > 0) return decks[0].id;
      await pause(20);
    }
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** A Stream Deck MK.2 on a bus of its own, which accepts every report at once. */
export class InstantDeck extends EventEmitter implements DeckBus, HidHandle {
  packets = 0;
  readonly opened: Promise<unknown>;
  readonly #waiting = new Map<number, (at: number) => void>();

  constructor() {
    super();
    this.opened = once(this, "opened");
  }

  /** Resolves with the time of the last report of the next picture for a key. */
  nextPicture(key: number): Promise<number> {
    return new Promise((resolve) => this.#waiting.set(key, resolve));
  }

  /** Presses these keys, or lets all go. */
  press(...keys: readonly number[]): void {
    const states = Array.from({ length: KEYS }, (_, key) => (keys.includes(key) ? 1 : 0));
    this.emit("data", Buffer.from([0x01, 0x00, KEYS, 0x00, ...states]));
  }

  async holders() {
    return [];
  }

  async watch(listener: UsbListener) {
    const unit = { id: "1-1", port: "1-1", vendor: 0x0fd9, product: 0x0080, serial: "BENCH1" };
    listener.attached(unit);
    return () => {};
  }

  async open() {
    this.emit("opened");
    return { hid: this, outputBytes: 1_024 };
  }

  async write(report: Buffer): Promise<number> {
    this.packets++;
    const [id, command, key = 0, last] = report;
    if (id === 0x02 && command === 0x07 && last === 1) {
      this.#waiting.get(key)?.(performance.now());
      this.#waiting.delete(key);
    }
    return report.length;
  }

  async sendFeatureReport(report: Buffer): Promise<number> {
    return report.length;
  }

  async getFeatureReport(id: number, length: number): Promise<Buffer> {
    const report = Buffer.alloc(length);
    report[0] = id;
    report[1] = "BENCH1".length;
    report.write("BENCH1", 2, "ascii");
    return report;
  }

  async close(): Promise<void> {}
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
