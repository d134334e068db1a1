import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandLine, type Run } from "../../../appliance/base/system/program.ts";
import type { MachineSettings } from "../../../appliance/box/ipc/machine.ts";
import { keptSettings, provisionBox } from "../../../appliance/box/provision/box.ts";
import { changeMachine, noteMachine } from "../../../appliance/box/provision/machine.ts";

/** Keys of 32 bytes that are all the same. */
const key = (byte: number, comment: string) => {
  const field = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  const blob = Buffer.concat([field(Buffer.from("ssh-ed25519")), field(Buffer.alloc(32, byte))]);
  return `ssh-ed25519 ${blob.toString("base64")} ${comment}`;
};

describe("the machine's own settings, changed in the Web UI", () => {
  let root = "";
  let ran: string[] = [];
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "tallydeck-machine-"));
    for (const folder of ["boot/firmware", "data/system", "usr/share/zoneinfo/Europe"])
      mkdirSync(join(root, folder), { recursive: true });
    for (const zone of ["UTC", "Europe/Zurich", "Europe/Oslo"])
      writeFileSync(join(root, "usr/share/zoneinfo", zone), "TZif");
    card("HOSTNAME=attic", "TIMEZONE=Europe/Zurich", `SSH_KEY=${key(1, "anna@desk")}`);
    start();
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const read = (path: string) => readFileSync(join(root, path), "utf8");
  const run: Run = (program, own, values) =>
    void ran.push([program, ...commandLine(own, values)].join(" ").replaceAll(root, ""));
  const card = (...lines: string[]) =>
    writeFileSync(join(root, "boot/firmware/tallydeck.env"), lines.join("\n"));
  const start = () => {
    ran = [];
    for (const folder of ["etc", "run", "var"])
      rmSync(join(root, folder), { recursive: true, force: true });
    for (const folder of ["etc/iwd", "run/tallydeck-machine/asked"])
      mkdirSync(join(root, folder), { recursive: true });
    provisionBox({ root, run, isMounted: () => true, warn: () => {} });
    noteMachine(root, keptSettings(root));
  };
  const change = (wish: unknown): MachineSettings => {
    const path = join(root, "run/tallydeck-machine/asked/change.json");
    writeFileSync(path, typeof wish === "string" ? wish : JSON.stringify(wish));
    changeMachine({ root, run });
    assert.equal(existsSync(path), false);
    return state();
  };
  const state = () => JSON.parse(read("run/tallydeck-machine/state.json")) as MachineSettings;

  it("are told as the card has them", () => {
    const { keys, ...rest } = state();
    assert.deepEqual(rest, { hostname: "attic", timezone: "Europe/Zurich", before: {} });
    assert.deepEqual(keys, [{ id: "AQEBAQEBAQEB", type: "ssh-ed25519", comment: "anna@desk" }]);
  });

  it("hold at once and after restarts, and what was before is told", () => {
    const { hostname, timezone, before } = change({ hostname: "Cellar", timezone: "Europe/Oslo" });
    assert.deepEqual([hostname, timezone], ["cellar", "Europe/Oslo"]);
    assert.deepEqual(before, { hostname: "attic", timezone: "Europe/Zurich" });
    assert.deepEqual(ran.slice(-4), [
      "hostname -- cellar",
      "systemctl restart --no-block -- avahi-daemon.service",
      "systemctl restart --no-block -- tallydeck-name.service",
      "systemctl restart --no-block -- tallydeck.service",
    ]);
    for (let n = 0; n < 2; n += 1) {
      assert.equal(read("etc/hostname"), "cellar\n");
      assert.equal(readlinkSync(join(root, "etc/localtime")), "/usr/share/zoneinfo/Europe/Oslo");
      start();
    }
    // And back.
    assert.equal(change({ hostname: "attic" }).hostname, "attic");
    assert.equal(state().timezone, "Europe/Oslo");
  });

  it("hold while other files of the card change, until the one that names them does", () => {
    change({ hostname: "cellar" });
    writeFileSync(join(root, "boot/firmware/user-data"), "timezone: Europe/Oslo\n");
    start();
    assert.equal(state().hostname, "cellar");
    card("HOSTNAME=roof");
    start();
    assert.equal(state().hostname, "roof");
  });

  it("add keys to those of the card, and take each away again", () => {
    assert.equal(change({ addKey: key(2, "bert@laptop") }).keys.length, 2);
    assert.equal(ran.at(-1), "systemctl restart --no-block -- ssh.service");
    assert.match(read("run/tallydeck/authorized_keys"), /anna@desk\n.*bert@laptop\n$/);
    const [first, second] = state().keys;
    const comments = change({ removeKey: first?.id }).keys.map(({ comment }) => comment);
    assert.deepEqual(comments, ["bert@laptop"]);
    start();
    assert.doesNotMatch(read("run/tallydeck/authorized_keys"), /anna/);
    assert.deepEqual(change({ removeKey: second?.id }).keys, []);
    // The unit of ssh asks whether the file is empty.
    assert.equal(read("run/tallydeck/authorized_keys"), "");
    start();
    assert.deepEqual(state().keys, []);
    assert.equal(read("run/tallydeck/authorized_keys"), "");
  });

  it("give back the key that was removed last", () => {
    change({ removeKey: state().keys[0]?.id });
    start();
    const { key: removed } = state().before;
    assert.equal(removed, key(1, "anna@desk"));
    assert.equal(change({ addKey: removed }).keys[0]?.comment, "anna@desk");
    assert.match(read("run/tallydeck/authorized_keys"), /anna@desk\n$/);
  });

  it("change nothing where they cannot be used, and say why", () => {
    const kept = read("data/system/settings.json");
    for (const [wish, problem] of [
      [{ hostname: "local host" }, /^The name must be a name of up to 63 letters/],
      [{ timezone: "Europe/Atlantis" }, /^The time zone must be a time zone this box has/],
      [{ addKey: 'command="sh" ssh-ed25519 AAAA' }, /^The key must be the line of a public key/],
      [{ hostname: "roof", addKey: "no" }, /^The key/],
    ] as const)
      assert.match(change(wish).problem ?? "", problem);
    for (const text of ["", "{", "[]", '{"hostname":7}', "\0".repeat(40_000)])
      assert.equal(change(text).problem, undefined);
    assert.equal(read("data/system/settings.json"), kept);
    assert.equal(read("etc/hostname"), "attic\n");
  });

  it("are bounded in number", () => {
    for (let n = 0; n < 40; n += 1) change({ addKey: key(n + 10, `k${n}`) });
    assert.equal(state().keys.length, 32);
    assert.match(state().problem ?? "", /room for 32 keys/);
  });
});
