import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { configWithSlot, slotOfConfig } from "../../../appliance/box/updater/boot-partition.ts";
import type { Box } from "../../../appliance/box/updater/box.ts";
import { patienceOf } from "../../../appliance/box/updater/box.ts";
import type { HealthFacts } from "../../../appliance/box/updater/health.ts";
import { writeJournal } from "../../../appliance/box/updater/journal.ts";
import { keep } from "../../../appliance/box/updater/keep.ts";
import { runTrial } from "../../../appliance/box/updater/trial.ts";
import { Card, NEXT } from "./card.ts";
import { attempt } from "./data-card.ts";
import { saying, WELL } from "./healthy.ts";

const IS_TRIAL = join(
  import.meta.dirname,
  "../../../firmware-config/system/usr/lib/tallydeck/is-trial",
);
const SILENT: HealthFacts = { ...WELL, collector: null };
const HUNG: HealthFacts = {
  ...WELL,
  service: { ...WELL.service, state: "activating", result: "watchdog" },
};

let card: Card;
beforeEach(() => {
  card = new Card();
});
afterEach(() => card.remove());

const ATTEMPT = attempt({ breaksData: false, before: WELL });

/** The other slot starts for its trial. */
async function startTrial(): Promise<void> {
  card.putSlot("b", NEXT);
  card.write("boot/firmware/tryboot.txt", configWithSlot(card.config(), "b"));
  writeJournal(card.box(), { ...card.journal(), attempt: ATTEMPT });
  await card.bootSlot("b");
}

describe("a trial", () => {
  let uptime = 0;
  beforeEach(() => {
    uptime = 30_000;
    return startTrial();
  });

  /** @param at what is seen so many seconds after the start */
  function watch(at: (seconds: number) => HealthFacts | Promise<HealthFacts>) {
    return {
      look: async () => at(uptime / 1_000),
      uptime: () => uptime,
      sleep: async (ms: number) => {
        uptime += ms;
      },
    };
  }
  const tried = (at: Parameters<typeof watch>[0]) => runTrial(card.box(), watch(at));
  const kept = () => slotOfConfig(card.config()) === "b";
  const reason = () => card.journal().attempt?.reason;
  const restarted = () => card.ran.filter((each) => each === "systemctl reboot").length;

  it("says why it ended in no more than a screen can show, whatever the service says of itself", async () => {
    const control = WELL.control && { ...WELL.control, version: "9".repeat(60_000) };
    await tried(() => ({ ...WELL, control }));
    assert.match(reason() ?? "", /^The Web UI \(port 3000\) answers as version 9{400,480}$/);
  });

  it("is kept after two minutes on end in which all was well", async () => {
    await tried(() => WELL);
    assert.ok(kept());
    assert.equal(restarted(), 0);
    assert.ok(uptime >= 150_000 && uptime <= 160_000, `${uptime}`);
    assert.deepEqual(card.state().last?.kind, "updated");
  });

  it("counts anew after each moment that was not well", async () => {
    await tried((s) => (s < 200 ? SILENT : s > 300 && s < 306 ? SILENT : WELL));
    assert.ok(kept());
    assert.ok(uptime >= 425_000 && uptime < 440_000, `${uptime}`);
  });

  it("counts anew when the service was started again between two looks", async () => {
    const again = { ...WELL, service: { ...WELL.service, restarts: 1 } };
    await tried((s) => (s < 100 ? WELL : again));
    assert.ok(kept());
    assert.ok(uptime >= 220_000, `${uptime}`);
  });

  it("is given up after ten minutes, with a sentence", async () => {
    await tried(() => SILENT);
    assert.ok(!kept());
    assert.equal(reason(), "The collector (port 80) does not answer.");
    assert.equal(restarted(), 1);
    assert.ok(uptime >= 600_000 && uptime < 610_000, `${uptime}`);
    const { last, failed } = await card.bootSlot("a");
    assert.equal(last?.kind, "failed");
    assert.equal(last?.reason, "The collector (port 80) does not answer.");
    assert.deepEqual(failed, [NEXT.release]);
  });

  it("whose service refuses its settings is given up after two minutes", async () => {
    const refused = { state: "failed", result: "exit-code", exitStatus: 2 };
    const unit = (changed: Partial<HealthFacts["service"]>): HealthFacts => ({
      ...SILENT,
      service: { ...WELL.service, ...changed },
    });
    const [now, again] = [unit(refused), unit({ state: "activating", result: "success" })];
    await tried((s) => (s < 60 ? SILENT : s % 10 < 5 ? now : again));
    assert.equal(reason(), "The service refuses its settings.");
    assert.ok(uptime >= 180_000 && uptime < 195_000, `${uptime}`);
  });

  it("waits on for a service that came up after it had refused its settings", async () => {
    const refused = { ...WELL.service, state: "failed", result: "exit-code", exitStatus: 2 };
    await tried((s) => (s < 100 ? { ...SILENT, service: refused } : s < 300 ? SILENT : WELL));
    assert.ok(kept());
  });

  it("of which only a database elsewhere was away may be repeated, once", async () => {
    const store = { opened: true, wrote: false, isElsewhere: true };
    const away: HealthFacts = { ...WELL, control: saying({ store }) };
    const AWAY = "The database elsewhere (DATABASE_URL) takes nothing.";
    await tried(() => away);
    assert.equal(reason(), AWAY);
    const { last, failed, prepared } = await card.bootSlot("a");
    assert.deepEqual([last?.kind, failed, prepared], ["interrupted", [], NEXT]);
    assert.equal(last?.reason, `${AWAY} Try again once that is mended.`);
    assert.equal(reason(), undefined);
    await card.request("arm", "12");
    uptime = 30_000;
    await card.powerOn();
    await tried(() => away);
    const again = await card.powerOn();
    assert.deepEqual([again.last?.kind, again.last?.reason], ["failed", AWAY]);
    assert.deepEqual(again.failed, [NEXT.release]);
  });

  it("in which more than the database elsewhere was wrong has failed", async () => {
    const store = { opened: true, wrote: false, isElsewhere: true };
    await tried(() => ({ ...SILENT, control: saying({ store }) }));
    assert.deepEqual((await card.bootSlot("a")).failed, [NEXT.release]);
  });

  it("is given up when it is well now and then, with what was the matter", async () => {
    await tried((s) => (s % 100 < 6 ? HUNG : WELL));
    assert.ok(!kept());
    assert.equal(reason(), "The service hung, and was stopped.");
  });

  it("is given up when it became well too late", async () => {
    uptime = 550_000;
    await tried(() => WELL);
    assert.ok(!kept());
    assert.match(reason() ?? "", /too late to be well for 120 seconds/);
  });

  it("is given up at once by one that was killed and comes back after the time is over", async () => {
    uptime = 700_000;
    await tried(() => SILENT);
    assert.ok(!kept());
    assert.equal(restarted(), 1);
  });

  for (const [what, facts] of [
    ["kept", WELL],
    ["given up", SILENT],
  ] as const)
    it(`is ${what} after whoever changes the journal, of which nothing is lost`, async () => {
      let isLocked = false;
      const { run } = card;
      card.run = (command) => {
        assert.ok(isLocked, command);
        run.call(card, command);
      };
      card.lock = async () => {
        writeJournal(card.box(), { ...card.journal(), rotten: "b" });
        isLocked = true;
        return () => {
          isLocked = false;
        };
      };
      await tried(() => facts);
      assert.ok(!isLocked);
      assert.equal(kept(), facts === WELL);
      assert.equal(card.journal().rotten, "b");
    });

  it("ends though another goes on for longer than it waits", async () => {
    card.lock = async () => undefined;
    await tried(() => WELL);
    assert.ok(kept());
  });

  it("is not well while it cannot be told how the box is", async () => {
    const blind = () => Promise.reject(new Error("systemctl takes too long"));
    await tried(blind);
    assert.match(reason() ?? "", /cannot be told: systemctl takes too long/);
    assert.equal(restarted(), 1);
  });

  it("is given up when what started it is no more on the card", async () => {
    rmSync(join(card.root, "boot/firmware/tryboot.txt"));
    await tried(() => WELL);
    assert.ok(!kept());
    assert.match(reason() ?? "", /tryboot\.txt/);
    assert.equal(restarted(), 1);
  });

  it("is over once it is decided: nothing is looked at, nothing changes", async () => {
    await tried(() => WELL);
    card.ran.length = 0;
    const nobody = watch(() => assert.fail("nobody looks"));
    await runTrial(card.box(), nobody);
    assert.deepEqual(card.ran, []);
    await card.bootSlot("a");
    await runTrial(card.box(), nobody);
  });

  it("is noted as kept by the next one when who kept it was killed before", async () => {
    card.write("boot/firmware/config.txt", configWithSlot(card.config(), "b"));
    rmSync(join(card.root, "boot/firmware/tryboot.txt"));
    assert.equal(card.state().mode, "trial");
    await tried(() => assert.fail("nobody looks"));
    const { mode, last } = card.state();
    assert.deepEqual([mode, last?.kind], ["normal", "updated"]);
    assert.equal(restarted(), 0);
  });

  it("lasts as long as the kernel's command line says, for tests", () => {
    const patience = (commandLine: string) => patienceOf({ commandLine });
    assert.deepEqual(patience("quiet tallydeck.trial=5,60 ro"), { steady: 5_000, within: 60_000 });
    for (const other of [
      "quiet",
      "tallydeck.trial=5",
      "tallydeck.trial=a,b",
      "xtallydeck.trial=1,2",
    ])
      assert.deepEqual(patience(other), { steady: 120_000, within: 600_000 });
  });
});

describe("a system that nobody has decided about", () => {
  /** As systemd asks long after the start; needs neither Node nor the data. */
  function isTrial({ commandLine }: Pick<Box, "commandLine"> = card.box()): boolean {
    card.write("credentials/cmdline", commandLine);
    const { status, stderr } = spawnSync(IS_TRIAL, [card.root], {
      env: {
        PATH: `${card.root}/bin:${process.env.PATH}`,
        CREDENTIALS_DIRECTORY: join(card.root, "credentials"),
      },
      encoding: "utf8",
    });
    assert.equal(stderr, "");
    return status === 0;
  }

  it("is left by a restart while it is tried, whatever it did", async () => {
    await startTrial();
    assert.ok(isTrial());
    rmSync(join(card.root, "run"), { recursive: true });
    rmSync(join(card.root, "data"), { recursive: true });
    assert.ok(isTrial());
  });

  it("is given as much longer as the kernel's command line says, for tests", async () => {
    await startTrial();
    card.write("bin/sleep", `#!/bin/sh\necho "$1" >>${card.root}/slept\n`);
    chmodSync(join(card.root, "bin/sleep"), 0o755);
    const { commandLine } = card.box();
    for (const words of ["tallydeck.trial=5,700", "tallydeck.trial=5,600", "tallydeck.trial=5,20"])
      assert.ok(isTrial({ commandLine: `${words} ${commandLine.trim()} console=ttyAMA0,115200` }));
    assert.equal(card.read("slept"), "100\n");
  });

  it("is told by config.txt as its owner left it", async () => {
    await startTrial();
    const owners = (path: string) =>
      card.write(path, card.read(path).replaceAll(/^os_prefix=(.*)$/gm, "  OS_PREFIX=$1 \r"));
    owners("boot/firmware/config.txt");
    owners("boot/firmware/tryboot.txt");
    assert.equal(slotOfConfig(card.config()), "a");
    assert.ok(isTrial());
    card.write("boot/firmware/config.txt", card.read("boot/firmware/tryboot.txt"));
    assert.ok(!isTrial());
  });

  it("is left when it cannot read the boot partition, by what was noted before", async () => {
    await startTrial();
    rmSync(join(card.root, "boot/firmware"), { recursive: true });
    assert.ok(isTrial());
    writeJournal(card.box(), { ...card.journal(), attempt: { ...ATTEMPT, slot: "a" } });
    assert.ok(!isTrial());
  });

  it("is left when it cannot read anything of the card, by what the board says", async () => {
    await startTrial();
    for (const folder of ["boot", "data", "run"])
      rmSync(join(card.root, folder), { recursive: true });
    const tells = (...bytes: number[]) =>
      card.write("sys/firmware/devicetree/base/chosen/bootloader/tryboot", Buffer.from(bytes));
    assert.ok(!isTrial());
    tells(0, 0, 0, 1);
    assert.ok(isTrial());
    tells(0, 0, 0, 0);
    assert.ok(!isTrial());
  });

  it("stays once it is kept", async () => {
    await startTrial();
    await keep(card.box());
    assert.ok(!isTrial());
  });

  it("stays where it is the rule, waits to try another, or is only visited", async () => {
    assert.ok(!isTrial());
    card.putSlot("b", NEXT);
    card.write("boot/firmware/tryboot.txt", configWithSlot(card.config(), "b"));
    await card.bootSlot("a");
    card.write("boot/firmware/tryboot.txt", configWithSlot(card.config(), "b"));
    assert.ok(!isTrial());
    await card.bootSlot("b");
    assert.equal(card.state().mode, "visit");
    assert.ok(!isTrial());
  });
});
