import assert from "node:assert/strict";
import { join } from "node:path";
import { CHROME } from "./box.ts";
import type { Card } from "./card.ts";
import type { Checks } from "./checks.ts";
import { checkFirstBoot } from "./starts.ts";

const VIEWS = 1_000;
const DAY_MIN = 1_440;
/** The measured part of a day, which itself would take one. At rest the service writes once an hour. */
const SAMPLE_MIN = { rest: 60, visited: 20 };
/** After a start, and after the clock was put forward, until nothing is left to be done for it: upkeep comes each ten minutes. */
const SETTLE_MIN = 12;
/** A day's writes beyond which a card would not last for years. */
const MOST_BYTES = { rest: 10_000_000, visited: 120_000_000 };

interface Written {
  readonly bytes: number;
  readonly requests: number;
  readonly flushes: number;
}

/**
 * A day without a visit and a day with 1,000 views, by what reaches the card: some minutes of each, what is done each hour,
 * and a midnight, put together.
 */
export async function checkDays(checks: Checks, card: Card, out: string): Promise<void> {
  console.log("# days");
  const { box } = await checkFirstBoot(checks, card, { thoroughly: false, out: join(out, "days") });
  const { machine } = box;
  const { says } = machine.shell;
  const during = async (run: () => Promise<unknown>): Promise<Written> => {
    await says("sync");
    const before = await machine.written();
    await run();
    await says("sync");
    return less(await machine.written(), before);
  };
  const minutes = async (count: number) => {
    // A machine that is silent for longer counts as one that hangs.
    for (let passed = 0; passed < count; passed += 1) await says("sleep 60");
  };
  const midnight = async (before: Written, sampleMin: number) => {
    await says(`date -s 23:59:30; sleep 20`);
    const night = await during(() => minutes(SETTLE_MIN));
    return less(night, scaled(before, SETTLE_MIN / sampleMin));
  };
  const day = (kind: keyof typeof SAMPLE_MIN, sample: Written, hour: Written, night: Written) => {
    const min = SAMPLE_MIN[kind];
    const all = [scaled(sample, DAY_MIN / min), scaled(hour, 24), night].reduce(plus);
    const told = `${kind}: ${text(all)} a day; ${min} minutes ${text(sample)}, an hour's clock ${text(hour)}, a midnight ${text(night)}`;
    assert.ok(all.bytes < MOST_BYTES[kind], told);
    return told;
  };
  // Else it would be in one sample and not in the other.
  await says("systemctl stop tallydeck-clock-save.timer");
  const hour = await during(() => says("systemctl start tallydeck-clock-save.service"));

  await checks.check("writes little in a day without a visit", async () => {
    await says("date -s 'tomorrow 20:00'");
    await minutes(SETTLE_MIN);
    const sample = await during(() => minutes(SAMPLE_MIN.rest));
    return day("rest", sample, hour, await midnight(sample, SAMPLE_MIN.rest));
  });
  await checks.check(`writes little in a day with ${VIEWS} views`, async () => {
    await says("date -s 20:00");
    await says(`(${visits()}) >/run/visits 2>&1 &`);
    await minutes(SETTLE_MIN);
    const sample = await during(() => minutes(SAMPLE_MIN.visited));
    const told = day("visited", sample, hour, await midnight(sample, SAMPLE_MIN.visited));
    assert.doesNotMatch(await says("cat /run/visits"), /./);
    return told;
  });
  await machine.cutPower();
}

const KEYS = ["bytes", "requests", "flushes"] as const;

function each(value: (key: (typeof KEYS)[number]) => number): Written {
  const [bytes = 0, requests = 0, flushes = 0] = KEYS.map(value);
  return { bytes, requests, flushes };
}

const less = (a: Written, b: Written) => each((key) => a[key] - b[key]);
const plus = (a: Written, b: Written) => each((key) => a[key] + b[key]);
const scaled = (a: Written, times: number) => each((key) => Math.round(a[key] * times));

function text({ bytes, requests, flushes }: Written): string {
  return `${(bytes / 1e6).toFixed(2)} MB in ${requests} writes with ${flushes} flushes`;
}

/** The command by which the machine visits itself, as often as in a day with those views; it says what went wrong. */
function visits(): string {
  const program = `
    import { setTimeout as pause } from "node:timers/promises";
    for (let number = 0; ; number += 1) {
      const comes = { u: "1", s: "1", r: "https://from-" + number % 11 + ".example/" };
      const payload = { p: "/page-" + (number * 7) % 60, l: "en", ...(number % 3 === 0 && comes) };
      const v = btoa(encodeURIComponent(JSON.stringify(payload)));
      const answer = await fetch("http://127.0.0.1/e?s=blog&v=" + encodeURIComponent(v), { headers: { "user-agent": "${CHROME}" } });
      await answer.arrayBuffer();
      if (answer.status !== 200) console.log(answer.status);
      await pause(${Math.floor((DAY_MIN * 60_000) / VIEWS)});
    }`;
  const line = program.replaceAll(/\s*\n\s*/g, " ").trim();
  return `/usr/bin/tallydeck-node --input-type=module -e '${line}'`;
}
