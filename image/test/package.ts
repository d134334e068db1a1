/**
 * Boots a Debian machine in QEMU and has the Debian package go through its life there, from the
 * first `apt install` to `apt purge`. Started by image/package-boot-test, which makes the disk.
 */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { mk2 } from "../../test/helpers/fake-hid-elgato.ts";
import { UsbDeck } from "../../test/virtual-deck/usb-deck.ts";
import { Box } from "./box.ts";
import type { Disk } from "./card.ts";
import { Checks } from "./checks.ts";
import { Machine } from "./machine.ts";
import { deckOf, photograph, showsTheSame, until } from "./owner.ts";

const { values } = parseArgs({
  options: {
    work: { type: "string" },
    out: { type: "string" },
    version: { type: "string" },
    keep: { type: "boolean", default: false },
  },
});
const { work, out, version } = values;
if (work === undefined || out === undefined || version === undefined) {
  console.error("No machine to boot: image/package-boot-test makes one.");
  process.exit(2);
}

/** The version that image/steps/versions makes of the package. */
const OLDER = "0.0.1";
const PORT = 8_480;
/** The port of the Web UI as another computer sees it, where `ssh -L` leads to it. */
const WEB_UI = 3_001;
/** The port of the repository's server. */
const TAKEN = 8_099;
const MOVED = 8_481;
const SETTINGS = "/etc/tallydeck/tallydeck.env";
/** The commands of docs/debian.md after a change of the settings. */
const APPLY =
  "systemctl daemon-reload && systemctl stop 'tallydeck*.socket' tallydeck && systemctl start tallydeck";
/** The commands of the same page for the way back from a place. */
const BACK =
  "systemctl disable --now tallydeck-place && systemctl enable --now tallydeck tallydeck-collector.socket tallydeck-control.socket";
const APT_MS = 20 * 60_000;

const SENDERS = 4;
/** More than an emulator answers during an upgrade. */
const MOST_VIEWS = 20_000;
const ANSWER_MS = 10 * 60_000;
const KEY = "k7";
const KEYS = Array.from({ length: 15 }, (_, index) => `k${index}`);

const disk: Disk = {
  folder: work,
  file: join(work, "disk.img"),
  startFiles: () => ({
    kernel: join(work, "vmlinuz"),
    initrd: join(work, "initrd"),
    // The console of the shell has no sign-in beside it.
    commandLine: "root=/dev/vda rw systemd.getty_auto=no",
  }),
};
const checks = new Checks();
process.once("SIGINT", () => process.exit(1));
process.once("SIGTERM", () => process.exit(checks.close() || 75));
const machine = await Machine.start(disk, {
  network: "inward",
  reached: [PORT, WEB_UI, 443, MOVED],
});
const box = new Box(machine);
const { says } = machine.shell;
const unit = mk2();
let deck = "";

/** Runs a command line as root. @throws {Error} with all it said when it fails */
async function does(command: string, deadlineMs?: number): Promise<string> {
  const { status, text } = await machine.shell.run(command, deadlineMs);
  if (status !== 0) throw new Error(`${command}: ${status}\n${text}`);
  return text;
}

async function hasNoFailedUnit(): Promise<void> {
  const failed = await says("systemctl --failed --no-legend --plain --no-pager");
  const why =
    failed && (await says("systemctl status --no-pager --full --lines=20 --state=failed"));
  assert.equal(failed, "", why);
  assert.equal(await says("systemctl is-system-running --wait"), "running");
}

/** Starts of the service so far. */
async function starts(): Promise<number> {
  const lines = await says("journalctl -u tallydeck -o cat --no-pager -q -g '^Started tallydeck'");
  return lines.split("\n").filter((line) => line !== "").length;
}

async function viewsOf(path: string): Promise<number> {
  return JSON.parse(await does("tallydeck stats blog --json")).path?.[path] ?? 0;
}

/** Views from several visitors at a time, until they are told to stop. */
class Load {
  answered = 0;
  readonly unanswered: string[] = [];
  #isOver = false;
  #sent = 0;
  readonly #senders = Promise.all(Array.from({ length: SENDERS }, () => this.#send()));

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#senders;
  }

  async #send(): Promise<void> {
    while (!this.#isOver && this.#sent++ < MOST_VIEWS) {
      const answer = await box.view("/load", { timeoutMs: ANSWER_MS }).catch(String);
      if (typeof answer !== "string" && answer.status === 200) this.answered++;
      else this.unanswered.push(typeof answer === "string" ? answer : `status ${answer.status}`);
    }
  }
}

await checks.check("comes up, a Debian machine without Tallydeck", async () => {
  await does("systemctl is-system-running --wait", APT_MS);
  await hasNoFailedUnit();
  await does(
    `ln -s /srv/apt /srv/apt-now; mkdir /srv/www; ln -s /srv/apt-now /srv/www/apt; systemd-run --unit=repository busybox httpd -f -p 127.0.0.1:${TAKEN} -h /srv/www`,
  );
  await UsbDeck.plug(unit, machine.usb);
  await until("the deck is there", () => does("ls /dev/hidraw0"));
  return says("cat /etc/debian_version; uname -srm");
});

await checks.check("is installed by apt from the repository, in its older version", async () => {
  await does(
    "cp /srv/apt/tallydeck.sources /etc/apt/sources.list.d/ && cp /srv/apt/tallydeck.pref /etc/apt/preferences.d/",
  );
  await does("apt-get update --error-on=any", APT_MS);
  const said = await does(`apt -y install tallydeck=${OLDER}`, APT_MS);
  assert.match(said, /Type `tallydeck` to see where it is found/);
  assert.match(await does("dpkg -l tallydeck"), new RegExp(`^ii +tallydeck +${OLDER}`, "m"));
});

await checks.check("is started by systemd as its own user, and no unit has failed", async () => {
  await box.serves();
  const shown = await does("systemctl show tallydeck -p ActiveState -p User -p NRestarts");
  for (const line of ["ActiveState=active", "User=tallydeck", "NRestarts=0"])
    assert.ok(shown.split("\n").includes(line), `${line} in ${shown}`);
  await hasNoFailedUnit();
});

await checks.check("tells an ordinary user both addresses", async () => {
  const said = await does("runuser -u nobody tallydeck");
  assert.match(said, /Web UI +http:\/\/127\.0\.0\.1:3000$/m);
  assert.match(said, /Collector +http:\/\/localhost:8480$/m);
});

await checks.check("keeps its Web UI to the machine, and reaches it as ssh does", async () => {
  assert.match(await does("systemctl show tallydeck-control.socket -p Listen"), /=127\.0\.0\.1:/);
  await does(
    `systemd-run --unit=tunnel --socket-property=ListenStream=${WEB_UI} /usr/lib/systemd/systemd-socket-proxyd 127.0.0.1:3000`,
  );
  assert.equal((await box.control("GET", "/")).status, 200);
});

await checks.check("lights the deck that was plugged in before", async () => {
  ({ id: deck } = await deckOf(box, /MK\.2/));
  assert.match(await says("ls -l /dev/hidraw0"), /crw-rw---- .* root tallydeck /);
  await showsTheSame(box, unit, deck, KEY);
});

await checks.check("lights a key by a push", async () => {
  const made = await box.control("POST", "/api/push-tokens", { name: "boot test" });
  const path = `/api/decks/${encodeURIComponent(deck)}/slots/${KEY}`;
  const bound = await box.control("PUT", path, { widget: { type: "push", channel: "build" } });
  assert.equal(bound.status, 200, bound.body.toString());
  const before = unit.received.length;
  const answer = await fetch(`http://127.0.0.1:${machine.controlPort}/api/push/build`, {
    method: "POST",
    headers: { authorization: `Bearer ${made.json.token}`, "content-type": "application/json" },
    body: JSON.stringify({ text: "apt ok", background: "#004400" }),
  });
  assert.equal(answer.status, 200);
  await until("a picture", async () => unit.received.slice(before).includes(KEY));
  await showsTheSame(box, unit, deck, KEY);
  await photograph(unit, KEYS, join(out, "deck-package.png"));
});

await checks.check("counts a hit", async () => {
  await does("tallydeck sites add blog");
  assert.equal((await box.view("/first")).status, 200);
  assert.equal(await viewsOf("/first"), 1);
});

await checks.check(
  "is upgraded under load, and every request is answered and counted",
  async () => {
    await does("ln -sfn /srv/next /srv/apt-now && apt-get update --error-on=any", APT_MS);
    const before = await starts();
    const load = new Load();
    await until("the load is on", async () => load.answered >= 2 * SENDERS);
    const answeredBefore = load.answered;
    await does("apt -y upgrade", APT_MS);
    const during = load.answered - answeredBefore;
    const upgraded = load.answered;
    await until("the load goes on", async () => load.answered >= upgraded + 2 * SENDERS);
    await load.stop();
    assert.match(await does("dpkg -l tallydeck"), new RegExp(`^ii +tallydeck +${version}`, "m"));
    assert.deepEqual(load.unanswered, []);
    assert.equal(await viewsOf("/load"), load.answered);
    assert.equal(await viewsOf("/first"), 1);
    assert.equal(await starts(), before + 1);
    await hasNoFailedUnit();
    return `${load.answered} answered, ${during} of them while apt was at work`;
  },
);

await checks.check("shows the push again after the upgrade", async () => {
  await deckOf(box, /MK\.2/);
  await showsTheSame(box, unit, deck, KEY);
  assert.deepEqual(unit.complaints, []);
});

await checks.check("says in a sentence that another program has the port", async () => {
  await does(`sed -i 's/^#PORT=.*/PORT=${TAKEN}/' ${SETTINGS}`);
  await says(APPLY);
  const told = await until("it says so", async () => {
    const status = await says("systemctl status --no-pager --full tallydeck");
    return status.includes(`port ${TAKEN}: another program uses it`) ? status : undefined;
  });
  return told.split("\n").find((line) => line.includes("another program"));
});

await checks.check(
  "moves to another port by the commands of the manual, and opens no other",
  async () => {
    await does(`sed -i 's/^PORT=.*/PORT=${MOVED}/' ${SETTINGS}`);
    await does(APPLY);
    const answer = await until("it answers there", () =>
      fetch(`http://127.0.0.1:${machine.otherPort}/`, { signal: AbortSignal.timeout(10_000) }),
    );
    assert.equal(answer.status, 200);
    assert.match(await does("runuser -u nobody tallydeck"), new RegExp(`localhost:${MOVED}$`, "m"));
    const listening = await does(
      "systemctl list-sockets 'tallydeck*' --no-legend --no-pager | awk '{print $1}' | sort",
    );
    assert.deepEqual(listening.split("\n"), ["127.0.0.1:3000", `[::]:${MOVED}`]);
    await hasNoFailedUnit();
    assert.equal(await viewsOf("/first"), 1);
  },
);

await checks.check("is a place behind a proxy by one command, and a box again", async () => {
  const said = await does(`tallydeck place --http ${MOVED} --address https://stats.example.com`);
  assert.match(said, /^tallydeck-place:https:\/\/stats\.example\.com#/m);
  const shown = await does("systemctl show tallydeck-place -p ActiveState -p User -p NRestarts");
  for (const line of ["ActiveState=active", "User=tallydeck", "NRestarts=0"])
    assert.ok(shown.split("\n").includes(line), `${line} in ${shown}`);
  assert.match(await does("tallydeck status"), /Fetched by +home has not asked yet/);
  await hasNoFailedUnit();
  await does(BACK);
  assert.equal(await viewsOf("/first"), 1);
  await hasNoFailedUnit();
});

await checks.check(
  "leaves its data, and neither a unit nor a failed one, when purged",
  async () => {
    await does("apt -y purge tallydeck", APT_MS);
    assert.equal(await says("systemctl list-unit-files 'tallydeck*' --no-legend --no-pager"), "");
    assert.equal(await says("systemctl list-units --all 'tallydeck*' --no-legend --no-pager"), "");
    assert.equal(
      await says(
        "find /proc -maxdepth 1 -user tallydeck; ls /etc/tallydeck /usr/lib/tallydeck 2>/dev/null",
      ),
      "",
    );
    assert.match(await does("ls -1 /var/lib/tallydeck"), /^tallydeck\.db$/m);
    await hasNoFailedUnit();
  },
);

await checks.check("shuts down", () => machine.shutDown());
await machine.cutPower();
if (!values.keep) rmSync(work, { recursive: true });
process.exitCode = checks.close();
