import assert from "node:assert/strict";
import type { Box } from "./box.ts";
import type { Checks } from "./checks.ts";
import { until } from "./owner.ts";
import { refuseSlow } from "./slow-guest.ts";

/** From 0 to 10, as `systemd-analyze security` has it. */
const MOST_EXPOSED = 2.5;
/** A message of a library that is not needed here. */
const AVAHI = /No NSS support for mDNS/;
/** Messages of the kernel that every virtual machine has. */
const KERNEL =
  /audit|kauditd|systemd-pcr|TPM|tpm|hwmon|watchdog|Watchdog|efi|ACPI|cacheinfo|armv8-pmu|hw perfevents|regulatory|cfg80211|BTRFS|raid6|Bluetooth|ima:|integrity:|KVM|kvm|ftrace|SMCCC|Spectre|spectre|CPU features|psci|rtc-pl031|rtc rtc0|pl011|cma|virtio|PCI|pci/;

/** Checks that hold for every start of the box. */
export async function checkSystem(checks: Checks, box: Box): Promise<void> {
  const { shell } = box.machine;
  const { says } = shell;
  const judgedFairly = async () =>
    refuseSlow(
      await says("journalctl -b -q --no-pager -o cat -t systemd"),
      box.machine.waitedShare,
    );

  await checks.check("answers 200 on both listeners", async () => {
    await box.serves();
    assert.equal((await box.control("GET", "/")).status, 200);
  });

  await checks.check("has no failed unit and no ordering cycle", async () => {
    await shell.run("systemctl is-system-running --wait", 10 * 60_000);
    const failed = await says("systemctl --failed --no-legend --plain --no-pager");
    const why = failed && (await says("systemctl status --no-pager --full --lines=20 --failed"));
    if (failed) await judgedFairly();
    assert.equal(failed, "", why);
    assert.equal(await says("journalctl -b --no-pager -q -g 'ordering cycle'"), "");
  });

  await checks.check("has a clean journal", async () => {
    const lines = await says(
      "journalctl -b -q -p warning --no-pager -o json --output-fields=_TRANSPORT,SYSLOG_IDENTIFIER,MESSAGE",
    );
    const entries = lines.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
    const unclean = entries
      .filter(({ _TRANSPORT, MESSAGE }) =>
        _TRANSPORT === "kernel" ? !KERNEL.test(MESSAGE) : !AVAHI.test(MESSAGE),
      )
      .map(({ SYSLOG_IDENTIFIER, MESSAGE }) => `${SYSLOG_IDENTIFIER}: ${MESSAGE}`);
    if (unclean.length > 0) await judgedFairly();
    const why =
      unclean.length > 0 &&
      (await says(
        "journalctl -b -u tallydeck --no-pager -n 60 -o short-monotonic; dmesg | grep -E 'potentially|pc :|lr :|sp :|x[0-9]+ *:|CPU: '",
      ));
    assert.deepEqual(unclean, [], `${unclean.join("\n")}\n${why}`);
  });

  await checks.check("runs the service as its own user, in its sandbox", async () => {
    const shown = await says(
      "systemctl show tallydeck -p User -p NoNewPrivileges -p ProtectSystem -p PrivateUsers -p CapabilityBoundingSet -p NRestarts",
    );
    for (const line of [
      "User=tallydeck",
      "NoNewPrivileges=yes",
      "ProtectSystem=strict",
      "PrivateUsers=yes",
      "NRestarts=0",
    ])
      assert.ok(shown.split("\n").includes(line), `${line} in ${shown}`);
    assert.match(shown, /^CapabilityBoundingSet=$/m);
    const pid = await says("systemctl show tallydeck -p MainPID --value");
    assert.equal(
      await says(`tr '\\0' '\\n' </proc/${pid}/environ | grep ^BOOT_ID=`),
      `BOOT_ID=${await says("tr -d - </proc/sys/kernel/random/boot_id")}`,
    );
    assert.match(
      await says(`grep -E '^(Uid|CapEff|NoNewPrivs|Seccomp):' /proc/${pid}/status`),
      /Uid:\s+480\s+480[\s\S]*CapEff:\s+0+\n[\s\S]*NoNewPrivs:\s+1/,
    );
  });

  await checks.check(`exposes itself by no service of ours above ${MOST_EXPOSED}`, async () => {
    const said = await says(
      "cd /etc/systemd/system; for unit in tallydeck*.service; do systemd-analyze security $unit --no-pager | tail -n 1; done",
    );
    const scores = said.split("\n").map((line) => Number(/: ([\d.]+)/.exec(line)?.[1]));
    console.log(`      ${said.replaceAll("\n", "\n      ")}`);
    assert.ok(scores.length >= 8 && scores.every((score) => score <= MOST_EXPOSED), said);
  });

  await checks.check("has its service up soon, in a bounded share of the memory", async () => {
    const shown = await says(
      "systemctl show tallydeck -p ExecMainStartTimestampMonotonic -p ActiveEnterTimestampMonotonic -p MemoryHigh -p MemoryMax -p MemoryCurrent -p MemoryPeak -p LimitNOFILE",
    );
    const value = (key: string) => Number(new RegExp(`^${key}=(\\d+)$`, "m").exec(shown)?.[1]);
    const tookMs =
      value("ActiveEnterTimestampMonotonic") - value("ExecMainStartTimestampMonotonic");
    const mb = (key: string) => Math.round(value(key) / 1024 ** 2);
    console.log(
      `      ready after ${(tookMs / 1e6).toFixed(1)} s; ${mb("MemoryCurrent")} MB, at most ${mb("MemoryPeak")}`,
    );
    assert.deepEqual([mb("MemoryHigh"), mb("MemoryMax"), value("LimitNOFILE")], [288, 352, 2048]);
    assert.ok(value("MemoryPeak") < value("MemoryHigh"), shown);
    assert.equal(await says("find /opt/tallydeck/appliance -name '*.ts'"), "");
  });

  await checks.check("keeps its root read-only under an overlay", async () => {
    assert.match(await says("findmnt -no OPTIONS /run/overlay/lower"), /^ro,/);
    assert.equal(await says("findmnt -no FSTYPE /"), "overlay");
    assert.match(await says("findmnt -no OPTIONS /boot/firmware"), /^ro,/);
  });

  await checks.check("has grown its data partition to the end of the card", async () => {
    const [size, end, card] = (
      await says(
        "df -B1 --output=size /data | tail -n 1; cat /sys/class/block/vda4/start; cat /sys/class/block/vda4/size; cat /sys/class/block/vda/size",
      )
    )
      .split(/\s+/)
      .map(Number) as [number, number, number, number];
    assert.ok(size > 1.5 * 1024 ** 3, `${size} bytes after ${end} of ${card}`);
  });

  await checks.check("holds nothing to compile, to install or to read", async () => {
    assert.equal(await says("command -v cc gcc as ld make npm npx corepack python3 perl-doc"), "");
    assert.equal(
      await says(
        "find /usr/share/man /usr/share/info /usr/share/locale -type f 2>/dev/null | head -n 3; find /opt/tallydeck -iname '*.md' ! -iname 'licen*' | head -n 3",
      ),
      "",
    );
  });

  await checks.check("tells its address on the screen", async () => {
    await until("the name is known", async () => {
      const screen = await says("cat /dev/vcs1");
      const isTold = /is at http:\/\/10\.0\.2\.15:3000\/ and at http:\/\/counter\.local:3000/;
      return isTold.test(screen.replace(/\s+/g, " "));
    });
  });

  await checks.check("lets nothing in but what it serves", async () => {
    const rules = await says("nft list table inet tallydeck");
    assert.match(rules, /policy drop/);
    assert.match(rules, /set public_ports[^}]*elements = \{ 80, 443 \}/);
    assert.match(rules, /set lan_ports[^}]*elements = \{ 3000 \}/);
    assert.match(rules, /ct count over/);
    assert.equal(await says("systemctl is-active ssh"), "inactive");
  });
}

/** The watchdog's two minutes, the end of what hangs, and a new start. */
const HANGS_MS = 5 * 60_000;
const SETTLE_S = 75;
const IDLE_S = 120;
const MOST_IDLE_BYTES_A_DAY = 20_000_000;

/** Checks the service after a crash, a mistake and an idle day. */
export async function checkService(checks: Checks, box: Box): Promise<void> {
  const { shell } = box.machine;
  const { says } = shell;

  /** Bytes that are written to the card during a command, and changed files of the data partition. */
  const writtenDuring = async (command: string) => {
    const written = async () => 512 * Number(await says("awk '{print $7}' /sys/block/vda/stat"));
    await says("sync; touch /run/idle-mark");
    const before = await written();
    await says(`${command}; sync`);
    const files = await says("find /data -newer /run/idle-mark -printf '%P '");
    return { bytes: (await written()) - before, files: files || "no file changed" };
  };

  await checks.check("writes next to nothing to the card when nobody visits", async () => {
    // Times of recent uses are stored within a minute; the clock is saved each hour.
    await says(`systemctl stop tallydeck-clock-save.timer; sleep ${SETTLE_S}`);
    const idle = await writtenDuring(`sleep ${IDLE_S}`);
    const clock = await writtenDuring("systemctl start tallydeck-clock-save.service");
    await says("systemctl start tallydeck-clock-save.timer");
    const aDay = idle.bytes * (86_400 / IDLE_S) + 24 * clock.bytes;
    const told = `${(aDay / 1_000_000).toFixed(1)} MB a day: ${idle.bytes} bytes in ${IDLE_S} s, ${clock.bytes} for the clock; ${idle.files}`;
    console.log(`      ${told}`);
    assert.ok(aDay < MOST_IDLE_BYTES_A_DAY, told);
  });

  await checks.check("comes back after a crash without losing a visitor", async () => {
    const restarts = async () =>
      Number(await says("systemctl show tallydeck -p NRestarts --value"));
    const before = await restarts();
    await says("systemctl kill --signal=KILL --kill-whom=main tallydeck");
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => box.view(`/crash-${index}`)),
    );
    assert.ok(answers.every(({ status }) => status === 200));
    assert.equal(await restarts(), before + 1);
  });

  await checks.check("is started again when it hangs", async () => {
    await says("systemctl kill --signal=STOP --kill-whom=main tallydeck");
    // Waits in the socket's queue, and is answered by the service's successor.
    assert.equal((await box.view("/hang", { timeoutMs: HANGS_MS })).status, 200);
    assert.match(await says("journalctl -b -u tallydeck -o cat --no-pager"), /Watchdog timeout/);
  });

  await checks.check("is backed up and restored on the command line", async () => {
    const done = await shell.run(
      "tallydeck backup /data/box.db && systemctl stop tallydeck-{collector,collector-tls,control}.socket tallydeck && tallydeck restore /data/box.db && systemctl start tallydeck && rm /data/box.db",
    );
    assert.equal(done.status, 0, done.text);
    await box.serves();
  });

  await checks.check("does not go round in circles over a configuration it refuses", async () => {
    await says(
      "echo 'SITES=a,a' >>/run/tallydeck/tallydeck.env; systemctl restart tallydeck; sleep 20",
    );
    const shown = await says(
      "systemctl show tallydeck -p ActiveState -p NRestarts -p ExecMainStatus",
    );
    for (const line of ["ActiveState=failed", "NRestarts=0", "ExecMainStatus=2"])
      assert.ok(shown.split("\n").includes(line), `${line} in ${shown}`);
    await says(
      "sed -i '/SITES=a,a/d' /run/tallydeck/tallydeck.env; systemctl start tallydeck-{collector,collector-tls,control}.socket tallydeck",
    );
    await box.serves();
  });
}
