import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { watchUsage } from "../../scripts/abuses/usage.ts";
import { makeHistory } from "../../scripts/running/history.ts";
import { SITE } from "../../scripts/running/servers.ts";
import type { Card } from "./card.ts";
import type { Checks } from "./checks.ts";
import { Lab, STRANGERS, VISITORS } from "./lab.ts";
import type { Machine } from "./machine.ts";
import { until } from "./owner.ts";
import { withMachine } from "./starts.ts";

const ROOT = join(import.meta.dirname, "../..");
const AUTOCANNON = join(ROOT, "node_modules/autocannon/autocannon.js");
/** A Zero 2 W, or the smallest Pi 3. */
const MEGABYTES = 512;
const SETTLE_S = 30;
/** The rate for a board. */
const HITS_A_SECOND = 200;
/** Plain hits that a board could answer, at least, for each honest one that is asked of it. */
const CAPACITY_FOR_A_HIT = 50;
const HISTORY = { days: 400, hits: 200_000 };
const STARTS_MS = 10 * 60_000;
const BARE_PORT = 8080;
const CAPACITY = ["--connections", "20", "--duration", "15", "--timeout", "60", "--json"];
/** Fails unless a URL answers 200. */
const ANSWERS =
  "fetch(process.argv[1], { signal: AbortSignal.timeout(10_000) }).then(({ status }) => process.exit(status === 200 ? 0 : 1))";

/** All attacks together against the booted box, with as little memory as a board may have. */
export async function checkAbuse(checks: Checks, card: Card, seed: number): Promise<void> {
  const token = randomBytes(16).toString("hex");
  card.boot.write("tallydeck.env", `SITES=${SITE}\nBADGE_SITES=${SITE}\nSTATS_TOKEN=${token}\n`);
  card.boot.write("history.db", await history(seed));
  const lab = new Lab();
  try {
    await withMachine(card, { network: lab, megabytes: MEGABYTES }, async (machine) => {
      const box = new AttackedBox(machine, lab, token);
      await box.prepare();
      const rate = await box.capacity();
      await checks.check(
        `lives through attacks far beyond its strength, with ${MEGABYTES} MB`,
        () => box.overwhelm({ rate, seed }),
      );
      await checks.check(
        `answers and counts ${rate} honest hits a second while it is attacked in proportion`,
        () => box.withstand({ rate, seed }),
      );
    });
  } finally {
    lab.remove();
  }
}

/** A backup of a site with a long history, as bytes. */
async function history(seed: number): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "tallydeck-history-"));
  try {
    const [data, file] = [join(folder, "data"), join(folder, "history.db")];
    await makeHistory(data, { ...HISTORY, seed });
    await promisify(execFile)(join(ROOT, "scripts/tallydeck"), [
      ...["backup", file],
      ...["--data-dir", data],
    ]);
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Asked {
  /** Honest hits a second. */
  readonly rate: number;
  readonly seed: number;
}

class AttackedBox {
  readonly #machine: Machine;
  readonly #lab: Lab;
  readonly #token: string;

  constructor(machine: Machine, lab: Lab, token: string) {
    this.#machine = machine;
    this.#lab = lab;
    this.#token = token;
  }

  /** Plugs the box into the lab's network, and gives it its history. */
  async prepare(): Promise<void> {
    await this.#says(
      `mkdir -p /run/systemd/network; printf '${this.#lab.network.replaceAll("\n", "\\n")}' >/run/systemd/network/10-lab.network; install -D /dev/null /run/tallydeck-clock/set; networkctl reload; networkctl reconfigure eth0`,
    );
    const isUp = async () => (await this.#says("systemctl is-active tallydeck")) === "active";
    await until("the service is up", isUp, STARTS_MS);
    const { status, text } = await this.#machine.shell.run(
      "cp /boot/firmware/history.db /data/history.db && systemctl stop tallydeck-{collector,control}.socket tallydeck && tallydeck restore /data/history.db && systemctl start tallydeck && rm /data/history.db",
    );
    assert.equal(status, 0, text);
    await until("the box answers in the lab", () =>
      this.#lab.run({}, process.execPath, "-e", ANSWERS, `http://${this.#lab.box}/`),
    );
  }

  /**
   * Measures the capacity of a bare server and of the service on this emulated machine, without an attack.
   * @returns how many honest hits a second can be asked of it
   */
  async capacity(): Promise<number> {
    const source = readFileSync(join(ROOT, "scripts/benches/bare-server.ts"), "utf8");
    const bare = stripTypeScriptTypes(source).replace("listen(0", `listen(${BARE_PORT}`);
    await this.#says(
      `echo ${Buffer.from(bare).toString("base64")} | base64 -d >/run/bare.mjs; systemd-run --unit=bare /usr/bin/tallydeck-node /run/bare.mjs; nft add element inet tallydeck lan_ports { ${BARE_PORT} }`,
    );
    const bareRate = await this.#rateOf(`http://${this.#lab.box}:${BARE_PORT}/`);
    await this.#says(
      `systemctl stop bare; nft delete element inet tallydeck lan_ports { ${BARE_PORT} }`,
    );
    const rate = await this.#rateOf(`http://${this.#lab.box}/e?s=${SITE}`);
    // An emulated machine is weaker than any board: what is asked of it, and the attack, go by that.
    const asked = Math.max(1, Math.min(HITS_A_SECOND, Math.floor(rate / CAPACITY_FOR_A_HIT)));
    console.log(
      `      not attacked: a bare server answers ${bareRate} a second here, the box ${rate}; ${asked} are asked of it`,
    );
    return asked;
  }

  /** All attacks as strong as they would be against a board: nobody is promised an answer. */
  async overwhelm({ rate, seed }: Asked): Promise<void> {
    await this.#attack({ rate, seed, scale: 1, seconds: 60 });
    await until("visitors are answered again", () =>
      this.#lab.run({}, process.execPath, "-e", ANSWERS, `http://${this.#lab.box}/e?s=${SITE}`),
    );
  }

  /** All attacks, as strong for this machine as they would be for a board. */
  async withstand({ rate, seed }: Asked): Promise<void> {
    const scale = rate / HITS_A_SECOND;
    const status = await this.#attack({ rate, seed, scale, seconds: 180 });
    assert.equal(status, 0, "the attack says what went wrong");
  }

  /** @returns the exit code of scripts/abuse */
  async #attack({ rate, seed, scale, seconds }: Asked & { scale: number; seconds: number }) {
    const pid = await this.#says("systemctl show tallydeck -p MainPID --value");
    const tellUsage = await watchUsage(Number(pid), (command) => this.#says(command));
    const { box } = this.#lab;
    const status = await this.#spawn(
      ...[process.execPath, join(ROOT, "scripts/abuses/main.ts"), "--only", "all"],
      ...["--url", `http://${box}`, "--control", `http://${box}:3000`],
      ...["--site", SITE, "--token", this.#token, "--seed", String(seed)],
      ...["--attackers", STRANGERS, "--visitors", VISITORS, "--scale", String(scale)],
      ...["--seconds", String(seconds), "--rate", String(rate), "--settle", "0"],
    );
    await pause(SETTLE_S * 1_000);
    for (const [measure, seen] of await tellUsage()) console.log(`      ${measure}: ${seen}`);
    console.log(`      ${await this.#says("systemctl show tallydeck -p MemoryPeak; free -m")}`);
    assert.equal(await this.#says("systemctl show tallydeck -p MainPID --value"), pid);
    assert.equal(await this.#says("journalctl -b -k -q --no-pager -g 'out of memory'"), "");
    return status;
  }

  #says(command: string): Promise<string> {
    return this.#machine.shell.says(command);
  }

  /** Requests that are answered in a second. */
  async #rateOf(url: string): Promise<number> {
    const json = await this.#lab.run({}, process.execPath, AUTOCANNON, ...CAPACITY, url);
    return Math.round(JSON.parse(json).requests.average);
  }

  /** Lets a program in the lab say what it says, and gives its exit code. */
  async #spawn(program: string, ...args: readonly string[]): Promise<number | null> {
    const child = spawn(...this.#lab.inside(program, ...args), { stdio: "inherit" });
    const [code] = await once(child, "exit");
    return code;
  }
}
