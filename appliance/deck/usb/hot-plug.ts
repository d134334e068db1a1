import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/message-of.ts";
import type { Cancel } from "../../base/signal.ts";
import type { EncodeJpeg } from "../pixels.ts";
import { DeckConnection } from "./connection.ts";
import type { DeckDriver } from "./driver.ts";
import type { DeckBus, UsbUnit } from "./hid.ts";
import type { DriverInput, Model } from "./model.ts";
import { modelByUsb } from "./models.ts";
import { type DeckProblem, Problems } from "./problems.ts";

export interface OpenedDeck {
  readonly unit: UsbUnit;
  readonly model: Model;
  readonly driver: DeckDriver;
  /** Says that the device does not work as opened; it is opened again. */
  fail(error: Error): void;
}

interface PlugEvents {
  opened(deck: OpenedDeck): void;
  /** The deck that was opened for this unit is no longer to be used. */
  lost(unit: UsbUnit): void;
  input(unit: UsbUnit, input: DriverInput): void;
  problems(): void;
}

interface HotPlugOptions {
  readonly bus: DeckBus;
  readonly clock: Clock;
  readonly encodeJpeg: EncodeJpeg;
  readonly events: PlugEvents;
}

interface Plug {
  readonly unit: UsbUnit;
  readonly connection: DeckConnection;
}

/** Opens every supported deck that is plugged in, and opens it again when it fails. */
export class HotPlug {
  readonly #options: HotPlugOptions;
  readonly #problems: Problems;
  readonly #plugs = new Map<string, Plug>();
  #unwatch: Promise<Cancel> = Promise.resolve(() => {});

  constructor(options: HotPlugOptions) {
    this.#options = options;
    this.#problems = new Problems(options.clock, () => options.events.problems());
  }

  start(): void {
    const watching = this.#options.bus.watch({
      attached: (unit) => this.#attached(unit),
      detached: (unit) => this.#detached(unit),
    });
    this.#unwatch = watching.catch((error: unknown) => {
      this.#problems.noUsb(messageOf(error));
      return () => {};
    });
  }

  async close(): Promise<void> {
    const unwatch = await this.#unwatch;
    unwatch();
    this.#problems.close();
    const plugs = [...this.#plugs.values()];
    this.#plugs.clear();
    await Promise.allSettled(plugs.map(({ connection }) => connection.close()));
  }

  problems(): DeckProblem[] {
    return this.#problems.list();
  }

  #attached(unit: UsbUnit): void {
    const model = modelByUsb(unit.vendor, unit.product);
    if (model === undefined) return;
    // A port has one device, so the one before is gone, even without a report.
    const before = [...this.#plugs.values()].find((plug) => plug.unit.port === unit.port);
    if (before !== undefined) this.#detached(before.unit);
    this.#problems.started({ deck: model.name, port: unit.port });
    this.#plugs.set(unit.id, { unit, connection: this.#connect(unit, model) });
  }

  #detached(unit: UsbUnit): void {
    const plug = this.#plugs.get(unit.id);
    if (plug === undefined) return;
    this.#plugs.delete(unit.id);
    this.#problems.resolved(unit.port);
    this.#options.events.lost(unit);
    // The device is gone, so a failure means nothing.
    plug.connection.close().catch(() => {});
  }

  #connect(unit: UsbUnit, model: Model): DeckConnection {
    const { events } = this.#options;
    const place = { deck: model.name, port: unit.port };
    let lost = false;
    const connection = new DeckConnection({
      unit,
      model,
      ...this.#options,
      events: {
        opened: (driver) => {
          if (lost) this.#problems.started(place);
          lost = false;
          events.opened({ unit, model, driver, fail: (error) => connection.fail(error) });
        },
        lost: () => {
          lost = true;
          events.lost(unit);
        },
        problem: (problem) => {
          if (problem === undefined) this.#problems.resolved(unit.port);
          else this.#problems.cannotOpen(place, problem.code, problem.reason);
        },
        input: (input) => events.input(unit, input),
      },
    });
    return connection;
  }
}
