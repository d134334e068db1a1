import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { Box } from "./box.ts";
import type { Card } from "./card.ts";
import type { Checks } from "./checks.ts";
import { Machine } from "./machine.ts";

const SENDERS = 8;

/**
 * Cuts the power while views and surveys pour in, `cuts` times at moments the seed decides, and
 * looks after each whether all that was answered is there.
 */
export async function checkPowerCuts(
  checks: Checks,
  card: Card,
  token: string,
  { cuts, seed }: { cuts: number; seed: number },
): Promise<void> {
  let views = 0;
  const surveys = new Set<string>();
  let box = new Box(await Machine.start(card));
  await box.serves();
  for (let cut = 1; cut <= cuts; cut++) {
    const afterMs = 2_000 + (mixed(seed, cut) % 8_000);
    const passed = await checks.check(
      `loses nothing it answered when the power is cut (${cut}, ${afterMs} ms)`,
      async () => {
        const load = pourIn(box, cut);
        await pause(afterMs);
        await box.machine.cutPower();
        const answered = await load;
        views += answered.views;
        for (const comment of answered.surveys) surveys.add(comment);

        box = new Box(await Machine.start(card));
        await box.serves();
        await box.machine.shell.run("install -D /dev/null /run/tallydeck-clock/set; sleep 5");
        const stats = await box.read("/stats?site=blog&from=first", token);
        assert.ok(
          stats.path["/power"] >= views,
          `${views} answered, ${stats.path["/power"]} there`,
        );
        const there = await exported(box, token);
        assert.deepEqual(
          [...surveys].filter((comment) => !there.has(comment)),
          [],
        );
        assert.equal(await integrity(box), "ok");
        assert.match(
          await journalOf(box, "systemd-fsck@*4.service"),
          /data: (?:recovering journal|clean)/,
        );
        console.log(
          `      ${views} views and ${surveys.size} surveys answered; ${stats.path["/power"]} and ${there.size} there`,
        );
      },
    );
    if (!passed) break;
  }
  box.cookie = (await box.control("POST", "/api/session", { token })).cookie;
  await checkSwitch(checks, box, "shutdown");
  await checkWritableMoment(checks, card);
}

/** The last lines of the kernel on the console. */
const LAST_WORDS = { restart: "reboot: Restarting system", shutdown: "reboot: Power down" };

/** Restarts the box, or shuts it down, as its owner does in the Web UI. */
export async function checkSwitch(
  checks: Checks,
  box: Box,
  action: keyof typeof LAST_WORDS,
): Promise<void> {
  const before = box.machine.console.split(LAST_WORDS[action]).length;
  const asked = await checks.check(`does a ${action} that its owner asks for`, async () => {
    await box.machine.ends(async () => {
      const answer = await box.control("POST", "/api/power", { action });
      assert.equal(answer.status, 204, answer.body.toString());
    });
    assert.equal(box.machine.console.split(LAST_WORDS[action]).length, before + 1);
  });
  if (!asked) await box.machine.cutPower();
}

/** Cuts the power in the one moment in which the box writes to its boot partition. */
async function checkWritableMoment(checks: Checks, card: Card): Promise<void> {
  await checks.check("starts after the power was cut while it wrote its report", async () => {
    const settings = card.boot.read("tallydeck.env")?.toString("utf8") ?? "";
    card.boot.write("tallydeck.env", `${settings}TIMEZONE=Asia/Tokyo\r\n`);
    const cut = await Machine.start(card);
    // A loop of the shell's own words: a program's start would take longer than the moment. The unit
    // has mounts of its own, so what the file system itself allows is looked at.
    const watch =
      'until [ $open ]; do while read -r line; do case $line in *" /boot/firmware "*" - vfat "*" rw,"*) open=1 ;; esac; done </proc/self/mountinfo; done; echo open';
    assert.match((await cut.shell.run(watch)).text, /open/);
    await cut.cutPower();

    const box = new Box(await Machine.start(card));
    await box.serves();
    const { says } = box.machine.shell;
    assert.equal(await says("readlink /etc/localtime"), "/usr/share/zoneinfo/Asia/Tokyo");
    assert.match(await says("cat /boot/firmware/SETUP-RESULT.txt"), /applied {2}TIMEZONE/);
    assert.doesNotMatch(await says("ls /boot/firmware"), /\.(?:new\d|old-with-secrets)$/m);
    assert.equal(await says("systemctl --failed --no-legend --plain --no-pager"), "");
    await box.machine.shutDown();
  });
}

async function journalOf(box: Box, unit: string): Promise<string> {
  return (await box.machine.shell.run(`journalctl -b -u '${unit}' -o cat --no-pager`)).text;
}

/** Sends until the machine is gone; counts what was answered. */
async function pourIn(box: Box, cut: number): Promise<{ views: number; surveys: string[] }> {
  let views = 0;
  let number = cut * 10_000;
  const surveys: string[] = [];
  const sender = async () => {
    for (;;) {
      const mine = ++number;
      if ((await box.view("/power")).status === 200) views++;
      if ((await box.survey(mine)).status === 204) surveys.push(`n${mine}`);
    }
  };
  await Promise.allSettled(Array.from({ length: SENDERS }, sender));
  return { views, surveys };
}

async function exported(box: Box, token: string): Promise<Set<string>> {
  const comments = new Set<string>();
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page = await box.read(
      `/surveys/export?site=blog&sv=1${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
      token,
    );
    for (const { c } of page.responses) comments.add(c);
    cursor = page.cursor;
  }
  return comments;
}

async function integrity(box: Box): Promise<string> {
  const check =
    "const D = (await import('/opt/tallydeck/node_modules/better-sqlite3/lib/index.js')).default;" +
    "const f = (await import('node:fs')).readdirSync('/data/tallydeck').find((n) => n.endsWith('.db'));" +
    "console.log(new D('/data/tallydeck/' + f, { readonly: true }).pragma('integrity_check', { simple: true }))";
  return (await box.machine.shell.run(`/usr/bin/tallydeck-node --input-type=module -e "${check}"`))
    .text;
}

function mixed(seed: number, step: number): number {
  let value = Math.imul(seed * 2_654_435_761 + step, 0x9e3779b1);
  value = Math.imul(value ^ (value >>> 15), 0x85ebca6b);
  return (value ^ (value >>> 13)) >>> 0;
}
