import { join } from "node:path";
import { type AskProgram, askProgram } from "../../../base/system/program.ts";
import { type RootFolders, RootRequests } from "../../../base/system/root-requests.ts";
import { clockSource, SystemClock } from "../../../base/system/system-clock.ts";
import { type MachineFiles, machineFiles, vitalsOf } from "../../../box/vitals.ts";
import { isEmulatedBoard, lookAtBoard } from "../../../deck/hardware/board-look.ts";
import { outcomeOf, reportText } from "../../../deck/hardware/report.ts";
import { RootUpdater } from "../../../links/updates/root.ts";
import {
  type Command,
  CommandFailed,
  command,
  switches,
  type Terminal,
  valued,
} from "../command.ts";
import { configFrom } from "../data.ts";
import { update } from "../update/update.ts";
import { machineFacts, ReportFile, reportHead } from "./report-file.ts";

interface Outside {
  readonly files: MachineFiles;
  readonly ask: AskProgram;
  readonly clock: () => { monotonic(): number; readonly boot: string };
  readonly clockSource: () => string | undefined;
  readonly machine: () => Record<string, string>;
  readonly update: Pick<Command, "run">;
}

export function tryBoardWith(outside: Outside): Command {
  return command({
    alone: "try-board",
    help: `tallydeck try-board: looks at this board, and writes a report of it.

  tallydeck try-board          boot, clock, Wi-Fi and its set-up, USB, watchdog, and how the last update ended; changes nothing
  tallydeck try-board --back   the same, and then asks whether to start the release in the other slot, as
                               \`tallydeck update back\` does; after that, \`tallydeck try-board\` tells how it went

  --out FILE       where the report goes (tallydeck-board.txt here)
  --config FILE    a KEY=VALUE file with settings (CONFIG)

It is made for a Raspberry Pi with the image. Elsewhere it says what is not there. The report is a text file without serial
numbers, names, addresses and networks. docs/hardware.md says where to send it.`,
    options: { ...switches("back"), ...valued("out", "config") },
    async run({ values }, terminal) {
      const config = values.config;
      const { root } = configFrom({ config }, terminal);
      if (values.back && root === undefined)
        throw new CommandFailed(
          "Tallydeck is a program on this machine, not the whole of it: there is no other release to start. Leave --back out.",
        );
      await report(outside, { root, out: values.out }, terminal);
      // It asks before it does anything.
      if (values.back)
        await outside.update.run(
          ["back", ...(config === undefined ? [] : ["--config", config])],
          terminal,
        );
    },
  });
}

export const tryBoard = tryBoardWith({
  files: machineFiles,
  ask: askProgram,
  clock: () => new SystemClock(),
  clockSource,
  machine: machineFacts,
  update,
});

async function report(
  { files, ask, clock, clockSource, machine }: Outside,
  { root, out }: { root: RootFolders | undefined; out: string | undefined },
  terminal: Terminal,
): Promise<void> {
  const file = new ReportFile(out, "tallydeck-board");
  const time = clock();
  const steps = await lookAtBoard({
    ...files,
    boot: time.boot,
    monotonic: () => time.monotonic(),
    readyMs: () => readyMs(ask),
    clock: clockSource,
    signal: async () => (await vitalsOf("", files)).wifi?.dbm,
    wifiState: root && join(root.wifi, "state.json"),
    updates: root && (new RootUpdater(new RootRequests(root.update)).state() ?? {}),
  });
  const facts = {
    ...reportHead("board", terminal),
    ...machine(),
    device: (await isEmulatedBoard(files)) ? "emulated" : "real",
    outcome: outcomeOf(steps),
    ended: "at its end",
  };
  file.write(reportText({ facts, steps, exchange: [] }));
  for (const { name, result, note } of steps)
    terminal.out(`${name.padEnd(9)} ${result.padEnd(8)} ${note}`);
  terminal.out(`${file.path} is the report. Look at it, and send it as docs/hardware.md says.`);
}

/** The time from the kernel's start until systemd heard that the service was ready. */
function readyMs(ask: AskProgram): number | undefined {
  try {
    const property = "--property=ActiveEnterTimestampMonotonic";
    const told = ask("systemctl", ["show", "--value", property, "tallydeck.service"]).trim();
    // It is 0 for a service that never was.
    return /^[1-9]\d{0,15}$/.test(told) ? Math.round(Number(told) / 1_000) : undefined;
  } catch {
    return undefined;
  }
}
