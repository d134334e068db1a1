import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommandFailed, type Terminal } from "../../../../appliance/app/commands/command.ts";
import { tryDeckWith } from "../../../../appliance/app/commands/hardware/try-deck.ts";
import { Signal } from "../../../../appliance/base/signal.ts";
import { type HardwareReport, parseReport } from "../../../../appliance/deck/hardware/report.ts";
import { createDeckBus, type HidSystem } from "../../../../appliance/deck/usb/hid.ts";
import { lockDataDir } from "../../../../appliance/store/desk.ts";
import { DeckHand, letPass } from "../../../helpers/deck-hand.ts";
import { FakeClock } from "../../../helpers/fake-clock.ts";
import { type FakeUnit, FakeUsbHost } from "../../../helpers/fake-hid.ts";
import { FakePedal, plusXl, studio } from "../../../helpers/fake-hid-elgato.ts";
import { UNITS } from "../../../helpers/fake-hid-units.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { replay } from "../../../helpers/replayed-deck.ts";
import { seeded, TEST_SEED } from "../../../helpers/seeded.ts";
import { spawned } from "../../../helpers/tallydeck.ts";

/** A unit of each protocol, and of each kind of places. */
const DECKS: typeof UNITS = {
  ...UNITS,
  "plus-xl": plusXl,
  studio,
  pedal: () => new FakePedal(),
};

const FIXTURES = join(import.meta.dirname, "../../../fixtures/hardware");

interface Tried {
  readonly unit: FakeUnit;
  readonly text: string;
  readonly report: HardwareReport;
  readonly lines: readonly string[];
  readonly said: readonly string[];
  /** The sentence at its end; undefined after a whole tour. */
  readonly failed: string | undefined;
}

type Otherwise = (
  line: string,
  hand: DeckHand,
  unit: FakeUnit,
  host: FakeUsbHost,
) => (() => void) | undefined;

describe("tallydeck try-deck", () => {
  const folder = eachFolder();

  /** Runs it with a deck of this model. @param prepare what the deck does wrong */
  async function tried(
    model: string,
    {
      prepare = () => {},
      otherwise,
      goOn = async () => {},
    }: {
      prepare?: (unit: FakeUnit, clock: FakeClock) => void;
      otherwise?: Otherwise;
      /** Lets time pass where nobody acts. */
      goOn?: (clock: FakeClock, isOver: () => boolean) => Promise<void>;
    } = {},
  ): Promise<Tried> {
    const clock = new FakeClock();
    const host = new FakeUsbHost(clock);
    const unit = DECKS[model]?.(clock) ?? assert.fail(`there is no fake ${model}`);
    host.plug(unit);
    const hand = new DeckHand({
      host,
      unit,
      clock,
      ...(otherwise && { otherwise: (line, own) => otherwise(line, own, unit, host) }),
    });
    prepare(unit, clock);
    const lines: string[] = [];
    const out = join(folder(), "report.txt");
    const command = tryDeckWith({
      bus: () => createDeckBus(host),
      clock: () => clock,
      machine: () => ({ system: "Linux 6.12 arm64", board: "Raspberry Pi 4 Model B Rev 1.4" }),
      person: () => ({ person: hand, close: () => {} }),
    });
    let isOver = false;
    let failed: string | undefined;
    const running = command
      .run(["--out", out, "--data-dir", folder()], terminalOf(clock, lines))
      .catch((error: unknown) => {
        assert.ok(error instanceof CommandFailed, String(error));
        failed = error.message;
      })
      .finally(() => {
        isOver = true;
      });
    await goOn(clock, () => isOver);
    await running;
    assert.equal(host.open.size, 0, "the deck is let go");
    assert.equal(host.listeners, 0);
    const text = readFileSync(out, "utf8");
    return { unit, text, report: parseReport(text), lines, said: hand.said, failed };
  }

  const resultsOf = ({ report }: Tried) =>
    Object.fromEntries(report.steps.map(({ name, result }) => [name, result]));

  for (const model of Object.keys(DECKS))
    it(`goes through all of a ${model}, and tells no serial number`, async () => {
      const all = await tried(model);
      assert.equal(all.failed, undefined);
      const wrong = all.report.steps.filter(({ result }) => result !== "ok");
      assert.deepEqual(wrong, []);
      assert.equal(all.report.facts.model, model);
      assert.equal(all.report.facts.device, "emulated");
      assert.ok(!all.text.includes(all.unit.usbSerial));
      assert.ok(!all.text.includes(Buffer.from(all.unit.usbSerial).toString("hex")));
      assert.deepEqual(all.unit.complaints, []);
      const [, last, of] = /\((\d+) of (\d+)\)$/.exec(all.said.at(-1) ?? "") ?? [];
      assert.equal(last, of, "the last request is the last that was announced");
    });

  for (const model of Object.keys(DECKS))
    it(`writes of a ${model} what our driver does again`, async () => {
      const { report } = await tried(model);
      const pressed = report.steps.filter(({ name }) => /^(?:press|touch) /.test(name));
      const heard = await replay(report);
      for (const { name } of pressed) {
        const [, place] = name.split(" ");
        assert.ok(heard.includes(`down ${place}`) || heard.includes(`tap ${place}`), name);
      }
    });

  it("goes on where a step is skipped, or does not work, and says so", async () => {
    const answers = new Map([
      ["Press the key that shows 2.", ""],
      ["Press the key that shows 3.", "n"],
    ]);
    const all = await tried("mini", {
      otherwise: (line, hand) => {
        const [, answer] = [...answers].find(([begin]) => line.startsWith(begin)) ?? [];
        return answer === undefined ? undefined : () => hand.typed.emit(answer);
      },
    });
    const { "press k1": second, "press k2": third, plug } = resultsOf(all);
    assert.deepEqual([second, third, plug], ["skipped", "failed", "ok"]);
    assert.match(all.report.facts.outcome ?? "", /; failed: press k2; skipped: press k1$/);
    assert.equal(all.report.facts.ended, "at its end");
  });

  it("names the key that was told in place of another", async () => {
    const all = await tried("mini", {
      otherwise: (line, hand, unit) => {
        if (line.startsWith("Press the key that shows 1.")) return () => unit.press("k4");
        return /^That was told as/.test(line) ? () => hand.typed.emit("n") : undefined;
      },
    });
    const step = all.report.steps.find(({ name }) => name === "press k0");
    assert.equal(step?.result, "failed");
    assert.equal(step?.note, "told as a press of k4");
  });

  it("leaves a whole file where it is ended in the middle", async () => {
    for (const end of ["Ctrl+C", "q"]) {
      const all = await tried("mini", {
        otherwise: (line, hand) =>
          line.startsWith("Press the key that shows 2.")
            ? () => (end === "q" ? hand.typed.emit("q") : hand.stopped.emit())
            : undefined,
      });
      assert.match(
        all.failed ?? "",
        /^It ended in “press k1”\. You ended it\..*report\.txt has all/,
      );
      assert.equal(all.report.facts.ended, "in press k1: You ended it.");
      assert.equal(resultsOf(all)["press k0"], "ok");
      await replay(all.report);
      rmSync(join(folder(), "report.txt"));
    }
  });

  it("ends by itself where nobody is there", async () => {
    const all = await tried("mini", {
      otherwise: () => () => {},
      goOn: async (clock, isOver) => {
        while (!isOver()) await letPass(clock, 1_000);
      },
    });
    assert.match(all.failed ?? "", /Nobody seems to be there\./);
  });

  it("ends in a sentence where the deck goes away, and keeps what it has", async () => {
    const all = await tried("mini", {
      otherwise: (line, _hand, unit, host) =>
        line.startsWith("Press the key that shows 3.") ? () => host.fail(unit) : undefined,
    });
    assert.match(all.failed ?? "", /^It ended in “press k2”\. The deck went away\./);
    assert.equal(resultsOf(all)["press k2"], "failed");
    await replay(all.report);
  });

  for (const model of ["plus", "mini", "akp05e", "mirabox-293"])
    it(`takes nonsense of a ${model}, and keeps all that it had`, async () => {
      const random = seeded(TEST_SEED);
      const nonsense = (length: number) =>
        Buffer.from(Array.from({ length }, () => random.below(256)));
      const all = await tried(model, {
        prepare(unit) {
          unit.getFeature = (_id, length) => nonsense(random.below(length));
        },
        otherwise: (line, hand, unit) => {
          if (!/^(?:Press|Touch|Turn|Swipe)/.test(line)) return undefined;
          return () => {
            for (let count = 0; count < 40; count += 1) {
              const report = nonsense(random.below(64));
              // The beginnings that drivers look at, and random ones.
              const begins = random.below(3);
              if (begins === 0 && report.length > 1) report.set([1, random.below(5)]);
              if (begins === 1 && report.length > 9) report.write("ACK", "ascii");
              unit.send(report);
            }
            hand.typed.emit("n");
          };
        },
      });
      assert.equal(all.report.facts.ended === "at its end", all.failed === undefined);
      assert.ok(all.report.exchange.length > 40);
      await replay(all.report);
    });

  it("tells no serial number of a deck that tells it everywhere", async () => {
    const all = await tried("mini", {
      prepare(unit) {
        unit.getFeature = (_id, length) => {
          const report = Buffer.alloc(length);
          report.write(unit.usbSerial, 5, "ascii");
          return report;
        };
        unit.setFeature = () => {
          if (unit.writes > 2) throw new Error(`${unit.usbSerial} is tired`);
        };
      },
      otherwise: (line, _hand, unit) => {
        if (!line.startsWith("Press the key that shows 1.")) return undefined;
        return () => {
          unit.send(Buffer.from(`\x01${unit.usbSerial}`, "utf16le"));
          unit.press("k0");
        };
      },
    });
    const serial = all.unit.usbSerial;
    assert.match(all.failed ?? "", /\? is tired/);
    for (const form of [
      serial,
      Buffer.from(serial).toString("hex"),
      Buffer.from(serial, "utf16le").toString("hex"),
    ])
      assert.ok(!all.text.includes(form), form);
  });

  it("cuts off a deck that floods it", async () => {
    const all = await tried("mini", {
      otherwise: (line, hand, unit) => {
        if (!line.startsWith("Press the key that shows 2.")) return undefined;
        return () => {
          for (let count = 0; count < 11_000; count += 1) unit.press("k5");
          hand.typed.emit("");
        };
      },
    });
    assert.equal(all.report.exchange.length, 20_000);
    assert.match(all.report.facts["left out"] ?? "", /^\d+ lines of the exchange$/);
    assert.equal(resultsOf(all).plug, "ok");
  });

  it("says that a deck does not answer", async () => {
    const all = await tried("mk2", {
      prepare: (unit) => unit.stall(),
      goOn: async (clock, isOver) => {
        while (!isOver()) await letPass(clock, 1_000);
      },
    });
    assert.match(all.failed ?? "", /^It ended in “open”\. The .*MK\.2 does not answer\. Unplug it/);
  });

  for (const model of ["plus", "akp05e"])
    it(`writes test/fixtures/hardware/${model}.txt`, async () => {
      const { text } = await tried(model);
      const file = join(FIXTURES, `${model}.txt`);
      const lasting = (report: string) => report.replace(/^version: .*\n/m, "");
      if (process.env.UPDATE_GOLDEN) writeFileSync(file, text);
      assert.equal(lasting(text), lasting(readFileSync(file, "utf8")));
    });

  describe("before it begins", () => {
    const unit = (model: string) => UNITS[model]?.(new FakeClock()) ?? assert.fail(model);

    /** Its last words with these decks. */
    async function refused(
      units: readonly FakeUnit[],
      args: readonly string[] = [],
      machine: (host: FakeUsbHost) => HidSystem = (host) => host,
    ) {
      const clock = new FakeClock();
      const host = new FakeUsbHost(clock);
      for (const [index, each] of units.entries()) host.plug(each, { port: `1-${index + 1}` });
      const command = tryDeckWith({
        bus: () => createDeckBus(machine(host)),
        clock: () => clock,
        machine: () => ({}),
        person: () => ({
          person: { say: assert.fail, typed: new Signal(), stopped: new Signal() },
          close: () => {},
        }),
      });
      const running = command.run(["--data-dir", folder(), ...args], terminalOf(clock, []));
      const error = await running.catch((reason: unknown) => reason);
      assert.ok(error instanceof CommandFailed, String(error));
      return error.message;
    }

    it("says that no deck is there", async () => {
      assert.match(await refused([]), /^No supported deck is plugged in\. `tallydeck devices`/);
      assert.match(await refused([unit("mini")], ["--port", "2-1"]), /on USB port 2-1\./);
    });

    it("asks which of several", async () => {
      const said = await refused([unit("mini"), unit("mk2")]);
      assert.match(said, /--port 1-1 \(.*Mini\), --port 1-2 \(.*MK\.2\)$/);
    });

    it("says that the service has the decks", async () => {
      const release = lockDataDir(folder());
      try {
        assert.match(
          await refused([unit("mini")]),
          /^The service runs and uses the decks\. Stop it/,
        );
      } finally {
        release();
      }
    });

    it("says that another program has the deck", async () => {
      const processes: Readonly<Record<string, readonly string[]>> = {
        "/proc": ["1", "4711", "4712", "self", "uptime"],
        "/proc/4711/fd": ["0", "17"],
        "/proc/4712/fd": ["3"],
      };
      const links: Readonly<Record<string, string>> = {
        "/proc/self": "4712",
        "/proc/4711/fd/17": "/dev/hidraw0",
        "/proc/4712/fd/3": "/dev/hidraw0",
      };
      const said = await refused([unit("mini")], [], (host) => ({
        usb: host.usb,
        openHid: host.openHid,
        files: {
          ...host.files,
          readdir: async (path) => [...(processes[path] ?? (await host.files.readdir(path)))],
          readlink: async (path) => links[path] ?? host.files.readlink(path),
        },
      }));
      assert.match(said, /^Another program uses the .*Mini \(process 4711\)\. End it first/);
    });

    it("says that it needs a person", async () => {
      const { code, err } = await spawned(["try-deck", "--data-dir", folder()]);
      assert.equal(code, 1);
      assert.match(err, /Run it in a terminal\./);
    });
  });
});

function terminalOf(clock: FakeClock, lines: string[]): Terminal {
  return {
    env: {},
    program: "tallydeck",
    columns: 80,
    now: () => clock.now(),
    timeZone: () => "UTC",
    out: (line) => lines.push(line),
    err: (line) => lines.push(line),
    output: process.stdout,
    yieldToOthers: () => {},
    isPiped: () => false,
    onStop: () => () => {},
    input: async () => "",
  };
}
