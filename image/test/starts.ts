import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Box } from "./box.ts";
import type { Card } from "./card.ts";
import type { Checks } from "./checks.ts";
import { checkSetupCode } from "./decks.ts";
import type { Hardware } from "./firmware.ts";
import { Machine, type MachineOptions } from "./machine.ts";
import { takeOver } from "./owner.ts";
import { checkSystem } from "./system.ts";
import { checkCannotTry } from "./update-pi3.ts";

const FIXTURES = join(import.meta.dirname, "../../test/fixtures/provision");
const SSID_HEX = Buffer.from('Café # "am See"').toString("hex");

/** Behind QEMU's network every client is 10.0.2.2: it is made a proxy, to tell visitors apart. */
const SETTINGS = ["HOSTNAME=counter", "SITES=blog", "TRUSTED_PROXIES=10.0.2.2", "COLOUR=red"];

/** The first start of a new card, up to a signed-in owner and a counted view. */
export async function checkFirstBoot(
  checks: Checks,
  card: Card,
  { hardware, thoroughly, out }: { hardware?: Hardware; thoroughly: boolean; out: string },
): Promise<{ box: Box; token: string }> {
  card.boot.write("tallydeck.env", `\uFEFF${SETTINGS.join("\r\n")}\r\n`);
  const box = new Box(await Machine.start(card, { ...(hardware && { hardware }) }));
  if (thoroughly) await checkSystem(checks, box);
  await box.serves();

  await checks.check("says on the boot partition what it applied and what not", async () => {
    const { text } = await box.machine.shell.run("cat /boot/firmware/SETUP-RESULT.txt; hostname");
    assert.match(text, /applied {2}HOSTNAME \(line 1\)/);
    assert.match(text, /IGNORED {2}COLOUR \(line 4\)/);
    assert.match(text, /counter$/);
  });
  await checkSetupCode(checks, box, out);
  let token = "";
  await checks.check("lets the owner in by the code on the screen", async () => {
    token = await takeOver(box);
  });
  await checks.check("counts a view", async () => {
    assert.equal((await box.view("/first")).status, 200);
    await trustClock(box);
    assert.equal((await box.read("/stats?site=blog", token)).path["/first"], 1);
  });
  return { box, token };
}

/** Creates the mark of `tallydeck-https-date` for a set clock, since no time server is reachable here. */
export async function trustClock({ machine }: { machine: Machine }): Promise<void> {
  await machine.shell.run("install -D /dev/null /run/tallydeck-clock/set; sleep 5");
}

/** The files of one dialect on this card. Their values differ from those of earlier files, which they win over. */
interface Said {
  readonly files: readonly string[];
  readonly country: string;
  readonly zone: string;
  readonly key: string;
  readonly ssh: string;
}

const SAID: readonly Said[] = [
  {
    files: ["user-data", "network-config"],
    country: "AT",
    zone: "Europe/Vienna",
    key: "fedcba9876543210",
    ssh: "cloud@example",
  },
  {
    files: ["rpi-preseed.toml"],
    country: "CH",
    zone: "Europe/Zurich",
    key: "0123456789abcdef",
    ssh: "toml@example",
  },
];

/** One start for each dialect a boot partition may be written in. */
export async function checkDialects(checks: Checks, card: Card, token: string): Promise<void> {
  for (const said of SAID)
    await checks.check(
      `applies ${said.files.join(" and ")}, and still has what it counted`,
      async () => {
        for (const file of said.files) card.boot.write(file, fixture(file, said));
        await withMachine(card, {}, (machine) => checkApplied(new Box(machine), token, said));
      },
    );
}

function fixture(file: string, { country, zone, key, ssh }: Said): string {
  return readFileSync(join(FIXTURES, file), "utf8")
    .replaceAll(/\bCH\b/g, country)
    .replaceAll("Europe/Zurich", zone)
    .replaceAll("0123456789abcdef", key)
    .replaceAll("anna@laptop", ssh);
}

async function checkApplied(box: Box, token: string, said: Said): Promise<void> {
  await box.serves();
  await trustClock(box);
  assert.equal((await box.read("/stats?site=blog", token)).path["/first"], 1);
  const { says } = box.machine.shell;
  assert.equal(await says("readlink /etc/localtime"), `/usr/share/zoneinfo/${said.zone}`);
  assert.match(
    await says(`cat '/var/lib/iwd/=${SSID_HEX}.psk'`),
    new RegExp(`PreSharedKey=${said.key}`),
  );
  assert.match(await says("tail -n 2 /etc/iwd/main.conf"), new RegExp(`Country=${said.country}`));
  assert.match(await says("cat /run/tallydeck/authorized_keys"), new RegExp(said.ssh));
  assert.equal(await says("systemctl is-active ssh"), "active");
  assert.match(await says("nft list set inet tallydeck lan_ports"), /22/);
  assert.equal(await says(`grep -rl ${said.key}${said.key} /boot/firmware`), "");
  assert.equal(await says("findmnt -no OPTIONS /boot/firmware | cut -c1-2"), "ro");
}

/** The first start of another new card in the machine that is most like a board. */
export async function checkRaspi3b(checks: Checks, card: Card, out: string): Promise<void> {
  console.log("# raspi3b");
  const { box } = await checkFirstBoot(checks, card, {
    hardware: "raspi3b",
    thoroughly: false,
    out,
  });
  await checks.check("has no failed unit on a Pi 3", async () => {
    const { text } = await box.machine.shell.run(
      "systemctl --failed --no-legend --plain --no-pager",
    );
    assert.equal(text, "");
  });
  await checkCannotTry(checks, box);
  await box.machine.shutDown();
}

/** A start without any network card, and with a clock that stood still. */
export async function checkOffline(checks: Checks, card: Card): Promise<void> {
  const began = Date.now();
  await checks.check(
    "starts without a network, waits for none, and goes on from the time it knew",
    () =>
      withMachine(card, { network: false, clock: "2020-01-01" }, async ({ shell }) => {
        const ask =
          "const r = await fetch('http://127.0.0.1/'); console.log(r.status + ' ' + await r.text())";
        const { text } = await shell.run(
          `for i in $(seq 120); do /usr/bin/tallydeck-node --input-type=module -e "${ask}" 2>/dev/null && break; sleep 2; done`,
        );
        assert.match(text, /200 ok/);
        const failed = await shell.run("systemctl --failed --no-legend --plain --no-pager");
        assert.equal(failed.text, "");
        const saved = await shell.run("stat -c %Y /data/system/clock; date +%s");
        const [then, now] = saved.text.split("\n").map(Number) as [number, number];
        assert.ok(then * 1_000 > began - 86_400_000 && now >= then, saved.text);
        assert.match((await shell.run("cat /dev/vcs1")).text, /The clock is not set\./);
      }),
  );
}

/** Starts the card and shuts it down again, in a hurry when something went wrong. */
export async function withMachine(
  card: Card,
  options: MachineOptions,
  use: (machine: Machine) => Promise<void>,
): Promise<void> {
  const machine = await Machine.start(card, options);
  try {
    await use(machine);
    await machine.shutDown();
  } finally {
    await machine.cutPower();
  }
}
