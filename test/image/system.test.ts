import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SERVICE_MEMORY } from "../../appliance/base/bounds.ts";
import { UPDATER_REQUESTS } from "../../appliance/base/release/updater-state.ts";
import { rootFolders } from "../../appliance/base/system/root-requests.ts";
import { needTools } from "../../scripts/tools.ts";

const ROOT = join(import.meta.dirname, "../..");
const SYSTEM = join(ROOT, "firmware-config/system");
const UNITS = join(SYSTEM, "etc/systemd/system");
const OURS = readdirSync(UNITS).filter((name) => /\.(?:service|socket|timer|path)$/.test(name));
const MOUNTS = readdirSync(UNITS).filter((name) => name.endsWith(".mount"));
/** Debian's, which ours are added to; one folder is for all of ours whose names begin alike. */
const EXTENDED = readdirSync(UNITS)
  .filter((name) => name.endsWith(".d") && !name.includes("-."))
  .map((name) => name.slice(0, -".d".length));

/**
 * The most exposure `systemd-analyze security` may find in each service, from 0 (none) to 10. Root
 * without its powers is worth 0.4, a user who may set the clock 0.3, and who mounts has to be both.
 */
const MOST_EXPOSED: Readonly<Record<string, number>> = {
  "tallydeck.service": 1.6,
  "tallydeck-arm.service": 1.1,
  "tallydeck-clock-save.service": 1,
  "tallydeck-clock.service": 1.8,
  "tallydeck-data-back.service": 1.5,
  "tallydeck-emergency.service": 1.4,
  "tallydeck-erase.service": 2,
  "tallydeck-facts.service": 1.8,
  "tallydeck-grow-data.service": 1.5,
  "tallydeck-https-date.service": 2.3,
  "tallydeck-keep-log.service": 1.2,
  "tallydeck-kernel-log.service": 1.2,
  "tallydeck-lend@.service": 1.4,
  "tallydeck-machine.service": 1.7,
  "tallydeck-name.service": 1.3,
  "tallydeck-no-data.service": 1.2,
  "tallydeck-no-lend.service": 0.9,
  "tallydeck-plug@.service": 1,
  "tallydeck-portal.service": 1.2,
  "tallydeck-provision.service": 2,
  "tallydeck-reset.service": 1.5,
  "tallydeck-restart.service": 1,
  "tallydeck-shutdown.service": 1,
  "tallydeck-slot-check.service": 1.1,
  "tallydeck-start-check.service": 2.2,
  "tallydeck-stick@.service": 1.6,
  "tallydeck-trial-end.service": 1,
  "tallydeck-trial.service": 2.4,
  "tallydeck-tunnel.service": 2,
  "tallydeck-update-start.service": 1.6,
  "tallydeck-update.service": 1.8,
  "tallydeck-wifi.service": 2.2,
  "tallydeck-wifi-report.service": 1.6,
};

/** The same for Debian's that hear the network: without our restrictions they have 9.6 and 6.2. */
const MOST_EXPOSED_OF_DEBIAN: Readonly<Record<string, number>> = {
  "avahi-daemon.service": 2.5,
  "iwd.service": 2.8,
};

function filesIn(folder: string): string[] {
  return execFileSync("git", ["ls-files", folder], { cwd: ROOT, encoding: "utf8" })
    .split("\n")
    .filter((name) => name !== "")
    .map((name) => join(ROOT, name));
}

describe("the image's scripts", () => {
  const files = [...filesIn("image"), ...filesIn("firmware-config")];
  const shellcheck = (...args: string[]) =>
    spawnSync("shellcheck", args, { cwd: ROOT, encoding: "utf8" }).stdout;

  before(() => needTools("shellcheck"));

  it("pass shellcheck", () => {
    const scripts = files.filter((file) => /^#!.*\b(?:ba)?sh\b/.test(readFileSync(file, "utf8")));
    assert.ok(scripts.length > 8);
    assert.equal(shellcheck("-x", ...scripts), "");
  });

  it("pass it in their steps too, which know each other's variables", () => {
    const steps = files.filter((file) => file.includes("/image/steps/"));
    assert.ok(steps.length > 6);
    assert.equal(shellcheck("--shell=bash", "--exclude=SC2034,SC2154", ...steps), "");
  });
});

/** A root folder with our files and stand-ins for the programs and users they name. */
describe("the image's units", () => {
  let root = "";
  before(() => {
    root = mkdtempSync(join(tmpdir(), "tallydeck-units-"));
    execFileSync("cp", ["-R", `${SYSTEM}/.`, root]);
    execFileSync("sh", ["-c", STAND_INS], { cwd: root });
  });
  after(() => rmSync(root, { recursive: true }));

  it("give the service the memory by which a restore is tried", () => {
    const unit = readFileSync(join(UNITS, "tallydeck.service"), "utf8");
    const [, megabytes] = /^MemoryHigh=(\d+)M$/m.exec(unit) ?? [];
    assert.equal(Number(megabytes) * 1_048_576, SERVICE_MEMORY);
  });

  it("pass systemd-analyze verify", () => {
    const units = OURS.map((name) => join(root, "etc/systemd/system", name));
    const { stdout, stderr } = spawnSync(
      "systemd-analyze",
      [
        "verify",
        "--man=no",
        "--recursive-errors=no",
        "--root",
        root,
        ...OURS,
        ...MOUNTS,
        ...EXTENDED,
      ],
      { encoding: "utf8" },
    );
    assert.ok(units.length > 8);
    // Newer keys than this machine's systemd knows are not mistakes.
    const said = `${stdout}${stderr}`
      .split("\n")
      .filter(
        (line) =>
          line !== "" &&
          !/Unknown key (?:name )?'(?:RestartSteps|RestartMaxDelaySec|RestartMode)'/.test(line),
      );
    assert.deepEqual(said, []);
  });

  it("expose the box no more than each of them must", () => {
    const services = OURS.filter((name) => name.endsWith(".service"));
    assert.deepEqual(services.sort(), Object.keys(MOST_EXPOSED).sort());
    const all = { ...MOST_EXPOSED, ...MOST_EXPOSED_OF_DEBIAN };
    const scores = Object.keys(all).map((name) => [name, exposure(name)] as const);
    const table = scores.map(([name, score]) => `${score}  ${name}`).join("\n");
    for (const [name, score] of scores) assert.ok(score <= (all[name] ?? 0), table);
  });

  function exposure(name: string): number {
    const { stdout } = spawnSync(
      "systemd-analyze",
      ["security", "--offline=true", "--no-pager", "--root", root, name],
      { encoding: "utf8" },
    );
    return Number(/Overall exposure level.*?: ([\d.]+)/.exec(stdout)?.[1]);
  }

  it("let what parses the network as root do so no more, but for setting the clock", () => {
    const unit = unitText("tallydeck-https-date.service");
    const value = (key: string) => new RegExp(`^${key}=(.*)$`, "m").exec(unit)?.[1];
    assert.equal(value("User"), "tallydeck-clock");
    assert.equal(value("AmbientCapabilities"), "CAP_SYS_TIME");
    assert.equal(value("CapabilityBoundingSet"), "CAP_SYS_TIME");
  });

  it("let root's updater look into the folder of the service, which is for that user alone", () => {
    const lists = ["update", "update-start", "trial", "stick@"];
    for (const name of lists)
      assert.match(
        unitText(`tallydeck-${name}.service`),
        /^CapabilityBoundingSet=.*\bCAP_DAC_READ_SEARCH\b/m,
      );
  });

  it("let nobody but root keep the updater from its work", () => {
    const made = readFileSync(join(SYSTEM, "usr/lib/tmpfiles.d/tallydeck.conf"), "utf8");
    assert.match(made, /^f \/run\/tallydeck-update\/lock +0600 root root /m);
    assert.match(unitText("tallydeck-update.service"), /^StartLimitIntervalSec=0$/m);
  });

  it("have a USB stick lent by a restart, which waits for the end of the one before", () => {
    const rules = readFileSync(join(SYSTEM, "etc/udev/rules.d/70-tallydeck-stick.rules"), "utf8");
    const plugged = [...rules.matchAll(/tallydeck-plug@(\w+)\.service/g)].map(([, kind]) => kind);
    assert.deepEqual(plugged, ["fat", "ext4"]);
    assert.doesNotMatch(rules, /tallydeck-lend@/);
    for (const kind of plugged) assert.ok(MOUNTS.includes(`run-tallydeck_stick-${kind}.mount`));
    assert.match(
      unitText("tallydeck-plug@.service"),
      /^ExecStart=\S+ restart --no-block run-tallydeck_stick-%i\.mount tallydeck-lend@%i\.service$/m,
    );
  });

  it("mount a USB stick for backups where nothing on it can be run, after an update was read from it", () => {
    assert.equal(MOUNTS.length, 2);
    for (const name of MOUNTS) {
      assert.match(unitText(name), /^Options=nosuid,nodev,noexec,/m);
      assert.ok(/^Before=(.*)$/m.exec(unitText("tallydeck-stick@.service"))?.[1]?.includes(name));
    }
  });

  it("give no condition what only their programs get", () => {
    const given = OURS.filter((name) => /^LoadCredential=/m.test(unitText(name)));
    assert.ok(given.length > 5);
    for (const name of given)
      assert.doesNotMatch(unitText(name), /^ExecCondition=\/usr\/lib\/tallydeck/m);
  });

  it("start no script of ours that reads of /proc what its sandbox hides", () => {
    for (const file of filesIn("firmware-config/system/usr/lib/tallydeck")) {
      // It runs outside of the sandbox of the service.
      if (file.endsWith("/after-stop")) continue;
      assert.doesNotMatch(readFileSync(file, "utf8"), /\/proc\/(?!self)/, file);
    }
  });

  it("let the service wait for what was killed and has to be done before it starts", () => {
    for (const name of ["provision", "data-back", "erase"])
      assert.match(
        unitText(`tallydeck-${name}.service`),
        /^Before=.*\btallydeck\.service\b.*^StartLimitBurst=3$.*^Restart=on-\w+\nRestartMode=direct$/ms,
      );
  });

  const unitText = (name: string) => readFileSync(join(UNITS, name), "utf8");

  it("start JavaScript that the service has as TypeScript", () => {
    const started = filesIn("firmware-config").flatMap((file) => [
      ...readFileSync(file, "utf8").matchAll(/\/opt\/tallydeck\/(appliance\S*)/g),
    ]);
    assert.ok(started.length >= 3);
    for (const [, file = ""] of started) {
      assert.match(file, /\.js$/);
      assert.ok(existsSync(join(ROOT, file.replace(/\.js$/, ".ts"))), file);
    }
  });

  for (const name of ["updater", "provision"])
    it(`start root's program ${name} with verbs that it knows, and with each of them`, () => {
      const start = new RegExp(`/${name}/main\\.js (\\S+)`);
      const verbs = OURS.flatMap((unit) => start.exec(unitText(unit))?.[1] ?? []);
      const program = join(ROOT, `appliance/box/${name}/main.ts`);
      const { stderr, status } = spawnSync(process.execPath, [program, "none"], {
        encoding: "utf8",
      });
      assert.equal(status, 2);
      assert.equal(stderr, `Say what to do: ${verbs.sort().join(", ")}.\n`);
    });

  it("watch each folder of root's that the service may ask in, and let it", () => {
    const made = readFileSync(join(SYSTEM, "usr/lib/tmpfiles.d/tallydeck.conf"), "utf8");
    const watched = readdirSync(UNITS)
      .filter((unit) => unit.endsWith(".path"))
      .map(unitText);
    // Power's folder is the service's own, and nothing is asked of a stick.
    const { power, stick, ...others } = rootFolders("/run");
    const writable = unitText("tallydeck.service");
    for (const folder of Object.values(others)) {
      assert.match(made, new RegExp(`^d ${folder}/asked +0770 root tallydeck -$`, "m"));
      assert.match(writable, new RegExp(`^ReadWritePaths=.*-${folder}/asked\\b`, "m"));
    }
    for (const folder of [power, ...Object.values(others)])
      assert.ok(
        watched.some((unit) => unit.includes(`PathExists=${folder}/asked/`)),
        folder,
      );
    assert.match(writable, new RegExp(`^ReadWritePaths=.*-${stick}$`, "m"));
  });

  it("watch for each request that the service may make of the updater", () => {
    const watched = [...unitText("tallydeck-update.path").matchAll(/^PathExists=.*\/(\S+)$/gm)];
    const found = watched.map(([, name]) => name);
    assert.deepEqual(found, UPDATER_REQUESTS);
  });

  it("hand every socket to the service by the names it knows", () => {
    const name = (unit: string) =>
      /^FileDescriptorName=(.*)$/m.exec(readFileSync(join(UNITS, unit), "utf8"))?.[1];
    assert.equal(name("tallydeck-collector.socket"), "collector");
    assert.equal(name("tallydeck-collector-tls.socket"), "collector-tls");
    assert.equal(name("tallydeck-control.socket"), "control");
  });

  it("hand the ports to the service or to what answers in its place, never to both", () => {
    for (const name of ["collector", "control"]) {
      const [own, other] = ["tallydeck", "tallydeck-emergency"].map((unit) =>
        unitText(`${unit}-${name}.socket`),
      );
      const value = (text = "", key = "") => new RegExp(`^${key}=(.*)$`, "m").exec(text)?.[1];
      for (const key of ["ListenStream", "FileDescriptorName"])
        assert.equal(value(other, key), value(own, key));
      for (const key of ["Conflicts", "After"])
        assert.equal(value(other, key), `tallydeck-${name}.socket`);
      assert.doesNotMatch(other ?? "", /\[Install\]/);
    }
    const unit = unitText("tallydeck-emergency.service");
    assert.match(unit, /^Conflicts=tallydeck\.service tallydeck-collector-tls\.socket$/m);
    assert.match(unit, /^OnSuccess=tallydeck\.service\nOnFailure=tallydeck\.service$/m);
    // The default drops the stop of what holds the ports, as systemd 252 showed.
    assert.match(unit, /^OnSuccessJobMode=replace$/m);
  });

  it("enable everything that has an [Install] section, by preset", () => {
    const preset = readFileSync(
      join(SYSTEM, "usr/lib/systemd/system-preset/00-tallydeck.preset"),
      "utf8",
    );
    const enabled = [...preset.matchAll(/^enable (\S+)$/gm)].map(
      ([, pattern = ""]) => new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", ".*")}$`),
    );
    for (const unit of OURS) {
      const installs = readFileSync(join(UNITS, unit), "utf8").includes("[Install]");
      if (installs)
        assert.ok(
          enabled.some((pattern) => pattern.test(unit)),
          `${unit} is not enabled`,
        );
    }
  });
});

const STAND_INS = `
  mkdir -p usr/sbin usr/libexec usr/bin usr/lib/systemd/system data boot/firmware run
  ln -s usr/bin bin; ln -s usr/sbin sbin; ln -s usr/lib lib
  for program in usr/bin/sh usr/bin/true usr/bin/rm usr/bin/test usr/bin/flock usr/bin/grep usr/bin/systemctl usr/bin/ssh-keygen usr/sbin/sshd usr/sbin/nft usr/sbin/avahi-daemon usr/libexec/iwd; do printf '#!/bin/sh\\n' >$program; chmod +x $program; done
  for target in sysinit local-fs shutdown sockets multi-user network network-pre timers paths time-set basic; do
    printf '[Unit]\\nDescription=%s\\nDefaultDependencies=no\\n' $target >usr/lib/systemd/system/$target.target
  done
  printf '[Unit]\\nDescription=root\\n' >usr/lib/systemd/system/-.slice
  printf '[Unit]\\nDescription=system\\n' >usr/lib/systemd/system/system.slice
  printf '[Service]\\nExecStart=/usr/sbin/sshd -D\\n' >usr/lib/systemd/system/ssh.service
  printf '[Service]\\nExecStart=/usr/sbin/nft -f /etc/nftables.conf\\n' >usr/lib/systemd/system/nftables.service
  printf '[Service]\\nExecStart=/usr/sbin/avahi-daemon -s\\n' >usr/lib/systemd/system/avahi-daemon.service
  printf '[Service]\\nExecStart=/usr/libexec/iwd\\nCapabilityBoundingSet=CAP_NET_ADMIN CAP_NET_RAW CAP_NET_BIND_SERVICE\\nPrivateTmp=true\\nNoNewPrivileges=true\\nDevicePolicy=closed\\nDeviceAllow=/dev/rfkill rw\\nProtectHome=yes\\nProtectSystem=strict\\nProtectControlGroups=yes\\nProtectKernelModules=yes\\nStateDirectory=iwd\\n' >usr/lib/systemd/system/iwd.service
  printf '[Mount]\\nWhat=/dev/a\\nWhere=/data\\n' >usr/lib/systemd/system/data.mount
  printf '[Mount]\\nWhat=/dev/b\\nWhere=/boot/firmware\\n' >usr/lib/systemd/system/boot-firmware.mount
`;
