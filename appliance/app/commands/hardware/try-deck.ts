import { createInterface } from "node:readline";
import type { Clock } from "../../../base/clock.ts";
import { messageOf } from "../../../base/message-of.ts";
import { Signal } from "../../../base/signal.ts";
import { SystemClock } from "../../../base/system/system-clock.ts";
import { encodeJpeg, paint } from "../../../deck/face/paint.ts";
import { DeckTour } from "../../../deck/hardware/deck-tour.ts";
import { type Person, TourEnded } from "../../../deck/hardware/person.ts";
import { outcomeOf, reportText } from "../../../deck/hardware/report.ts";
import { usagePageOf } from "../../../deck/usb/connection.ts";
import { createDeckBus, type DeckBus, type UsbUnit } from "../../../deck/usb/hid.ts";
import type { Model } from "../../../deck/usb/model.ts";
import { modelByUsb } from "../../../deck/usb/models.ts";
import { isClaimed } from "../../../store/desk.ts";
import {
  type Command,
  CommandFailed,
  command,
  INSTALLED,
  type Terminal,
  valued,
} from "../command.ts";
import { configFrom, toStart } from "../data.ts";
import { unitsOn } from "../devices.ts";
import { machineFacts, ReportFile, reportHead } from "./report-file.ts";

interface Outside {
  readonly bus: () => DeckBus;
  readonly clock: () => Clock;
  readonly machine: () => Record<string, string>;
  /** @throws {CommandFailed} where nobody can answer */
  readonly person: (terminal: Terminal) => { readonly person: Person; close(): void };
}

export function tryDeckWith(outside: Outside): Command {
  return command({
    alone: "try-deck",
    help: `tallydeck try-deck: leads you through two minutes with a deck, and writes a report of it.

  tallydeck try-deck               the deck that is plugged in
  tallydeck try-deck --port 1-1.2  the one on this USB port, of several; \`tallydeck devices\` lists them

  --out FILE       where the report goes (tallydeck-MODEL.txt here)
  --data-dir DIR   where the data of a service is, which must not run meanwhile (DATA_DIR)
  --config FILE    a KEY=VALUE file with settings (CONFIG)

Each key lights in turn with its number and waits for a press; dials, strip, brightness and the plug follow. Enter
skips a step, n and Enter say that it does not work, q and Enter or Ctrl+C end it. The report is a text file without serial
numbers, names and pictures. docs/hardware.md says where to send it.`,
    options: valued("port", "out", "data-dir", "config"),
    async run({ values }, terminal) {
      const { person, close } = outside.person(terminal);
      try {
        refuseBesideService(values, terminal);
        const [bus, clock, machine] = [outside.bus(), outside.clock(), outside.machine()];
        const found = await deckOf(bus, values.port);
        await refuseBesideOthers(bus, found);
        await tryIt({ ...found, bus, person, clock, machine, out: values.out, terminal });
      } finally {
        close();
      }
    },
  });
}

export const tryDeck = tryDeckWith({
  bus: createDeckBus,
  clock: () => new SystemClock(),
  machine: machineFacts,
  person: personHere,
});

/** Two programs that draw on one deck would spoil each other's pictures. @throws {CommandFailed} */
function refuseBesideService(
  { "data-dir": dataDir, config }: { "data-dir"?: string; config?: string },
  terminal: Terminal,
): void {
  const place = configFrom({ "data-dir": dataDir, config }, terminal);
  if (!isClaimed(place.dataDir)) return;
  const stop = terminal.program === INSTALLED ? "systemctl stop tallydeck" : "Ctrl+C where it runs";
  throw new CommandFailed(
    `The service runs and uses the decks. Stop it first (${stop}), and start it again afterwards (${toStart(place.dataDir, terminal)}).`,
  );
}

/** Such a program may be a service on data that this command does not know. @throws {CommandFailed} */
async function refuseBesideOthers(bus: DeckBus, { unit, model }: Found): Promise<void> {
  // A deck that cannot be seen yet is told of when it is opened.
  const holders = await bus.holders(unit, usagePageOf(model)).catch(() => []);
  if (holders.length === 0) return;
  const which = `process ${holders.join(", ")}`;
  throw new CommandFailed(
    `Another program uses the ${model.name} (${which}). End it first: two cannot draw on one deck.`,
  );
}

interface Found {
  readonly unit: UsbUnit;
  readonly model: Model;
}

/** The deck to try. @throws {CommandFailed} where there is none, or more than one */
async function deckOf(bus: DeckBus, port: string | undefined): Promise<Found> {
  const decks = (await unitsOn(bus)).flatMap((unit) => {
    const model = modelByUsb(unit.vendor, unit.product);
    return model === undefined || (port !== undefined && unit.port !== port)
      ? []
      : [{ unit, model }];
  });
  const [first, second] = decks;
  if (first === undefined)
    throw new CommandFailed(
      `No supported deck is plugged in${port === undefined ? "" : ` on USB port ${port}`}. \`tallydeck devices\` lists those that are, with --models all that are supported.`,
    );
  if (second !== undefined)
    throw new CommandFailed(
      `Several decks are plugged in. Name one by its port: ${decks.map(({ unit, model }) => `--port ${unit.port} (${model.name})`).join(", ")}`,
    );
  return first;
}

interface Tour extends Found {
  readonly bus: DeckBus;
  readonly clock: Clock;
  readonly person: Person;
  readonly machine: Readonly<Record<string, string>>;
  readonly out: string | undefined;
  readonly terminal: Terminal;
}

/** @throws {CommandFailed} where it ended before its end; the report is written all the same */
async function tryIt({
  unit,
  model,
  bus,
  clock,
  person,
  machine,
  out,
  terminal,
}: Tour): Promise<void> {
  const file = new ReportFile(out, `tallydeck-${model.id}`);
  const hex = (id: number) => id.toString(16).padStart(4, "0");
  let ended = "";
  const write = () => {
    const { facts, steps, exchange } = tour.report();
    file.write(
      reportText({
        facts: {
          ...reportHead("deck", terminal),
          ...machine,
          model: model.id,
          name: model.name,
          usb: `${hex(unit.vendor)}:${hex(unit.product)}`,
          driver: model.family,
          ...facts,
          outcome: outcomeOf(steps),
          ended: ended === "" ? `in ${tour.doing}` : ended,
        },
        steps,
        exchange,
      }),
    );
  };
  const picture = (number: number, { width, height }: { width: number; height: number }) =>
    paint({ kind: "text", text: `${number}`, ...COLORS }, { width, height });
  const tour = new DeckTour({ unit, model, bus, clock, person, encodeJpeg, picture, keep: write });
  write();
  terminal.out(
    `${model.name} on USB port ${unit.port}: two minutes, and ${file.path} says how it went.`,
  );
  terminal.out("Enter skips a step, n and Enter say that it does not work, q and Enter end it.");
  try {
    await tour.run();
    ended = "at its end";
  } catch (error) {
    const why = error instanceof TourEnded ? error.message : messageOf(error);
    ended = `in ${tour.doing}: ${why}`;
    throw new CommandFailed(`It ended in “${tour.doing}”. ${why} ${file.path} has all until then.`);
  } finally {
    write();
  }
  terminal.out(`Done: ${outcomeOf(tour.report().steps)}.`);
  terminal.out(`${file.path} is the report. Look at it, and send it as docs/hardware.md says.`);
}

const COLORS = { color: "#ffffff", background: "#1e40af" };

/** The person at this terminal. @throws {CommandFailed} where there is none */
function personHere({ out, onStop }: Terminal): { readonly person: Person; close(): void } {
  if (!process.stdin.isTTY)
    throw new CommandFailed("It asks you to press keys and to answer. Run it in a terminal.");
  const [typed, stopped] = [new Signal<string>(), new Signal()];
  const lines = createInterface({ input: process.stdin });
  lines.on("line", (line) => typed.emit(line));
  // The end of the input is one as well.
  lines.on("close", () => stopped.emit());
  const stop = () => stopped.emit();
  const forget = onStop(stop);
  // The terminal was closed.
  process.once("SIGHUP", stop);
  return {
    person: { say: out, typed, stopped },
    close() {
      forget();
      process.off("SIGHUP", stop);
      lines.close();
    },
  };
}
