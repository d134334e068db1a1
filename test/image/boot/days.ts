import assert from "node:assert/strict";
import { join } from "node:path";
import { CHROME } from "./box.ts";
import type { Card } from "./card.ts";
import type { Checks } from "./checks.ts";
import { Machine } from "./machine.ts";
import { until } from "./owner.ts";
import { checkFirstBoot, trustClock } from "./starts.ts";

const HOURS = 24;
const HOUR_S = 3_600;
const VIEWS = 1_000;
/** Real time that an hour of the machine's may take. */
const MOST_MS = 20 * 60_000;
/** After a start, until nothing is left to be done for it: s of the machine's. */
const SETTLE_S = 900;
/** A day's writes beyond which a card would not last for years. */
const MOST_BYTES = { rest: 60_000_000, visited: 120_000_000 };

/** A day without a visit and a day with 1,000 views, measured at the card: each takes a processor about half an hour. */
export async function checkDays(checks: Checks, card: Card, out: string): Promise<void> {
  console.log("# days");
  const { box } = await checkFirstBoot(checks, card, { thoroughly: false, out: join(out, "days") });
  await box.machine.shutDown();
  const machine = await Machine.start(card, { network: "inward", isHurried: true });
  const says = async (command: string) => (await machine.shell.run(command, MOST_MS)).text;
  const now = async () => Number(await says("date +%s"));

  /** @returns a line of what is written in a day, and its bytes */
  const aDay = async (name: string): Promise<{ told: string; bytes: number }> => {
    const began = await now();
    const before = await machine.written();
    let hour = before;
    for (let number = 1; number <= HOURS; number += 1) {
      await says(`sleep $((${began + number * HOUR_S} - $(date +%s)))`);
      const after = await machine.written();
      console.log(`      ${name}, hour ${number}: ${after.bytes - hour.bytes} bytes`);
      hour = after;
    }
    assert.ok((await now()) - began >= HOURS * HOUR_S);
    const bytes = hour.bytes - before.bytes;
    const count = (key: "requests" | "flushes") => hour[key] - before[key];
    return {
      bytes,
      told: `${(bytes / 1e6).toFixed(1)} MB in ${count("requests")} writes, with ${count("flushes")} flushes`,
    };
  };

  await checks.check("is up, in time that is not waited for", async () => {
    await until("the service", async () =>
      (await says("systemctl is-active tallydeck.service")) === "active" ? true : undefined,
    );
    await trustClock({ machine });
    await says(`sleep ${SETTLE_S}`);
    assert.equal(await says("systemctl --failed --no-legend --plain --no-pager"), "");
  });
  await checks.check("writes little in a day without a visit", async () => {
    const { told, bytes } = await aDay("at rest");
    assert.ok(bytes < MOST_BYTES.rest, told);
    return told;
  });
  await checks.check(`writes little in a day with ${VIEWS} views`, async () => {
    await says(`(${visits()}) >/run/visits 2>&1 &`);
    const { told, bytes } = await aDay("visited");
    assert.equal(await says("sleep 120; tail -n 1 /run/visits"), `${VIEWS} of ${VIEWS}`);
    assert.ok(bytes < MOST_BYTES.visited, told);
    return told;
  });
  await machine.cutPower();
}

/** The command by which the machine visits itself all day: its clock goes too fast for anybody outside. */
function visits(): string {
  const program = `
    import { setTimeout as pause } from "node:timers/promises";
    let counted = 0;
    for (let number = 0; number < ${VIEWS}; number += 1) {
      const comes = { u: "1", s: "1", r: "https://from-" + number % 11 + ".example/" };
      const payload = { p: "/page-" + (number * 7) % 60, l: "en", ...(number % 3 === 0 && comes) };
      const v = btoa(encodeURIComponent(JSON.stringify(payload)));
      const answer = await fetch("http://127.0.0.1/e?s=blog&v=" + encodeURIComponent(v), { headers: { "user-agent": "${CHROME}" } });
      await answer.arrayBuffer();
      if (answer.status === 200) counted += 1;
      await pause(${Math.floor((HOURS * HOUR_S * 1_000) / VIEWS)});
    }
    console.log(counted + " of ${VIEWS}");`;
  const line = program.replaceAll(/\s*\n\s*/g, " ").trim();
  return `/usr/bin/tallydeck-node --input-type=module -e '${line}'`;
}
