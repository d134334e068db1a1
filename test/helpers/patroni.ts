import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { giveToPostgres } from "../../scripts/postgres/folder.ts";
import { needTools } from "../../scripts/tools.ts";
import { readFleet } from "./fleet.ts";
import { endedAtLast } from "./hooks.ts";
import { COMPILED } from "./open-program.ts";
import { MAIN } from "./tallydeck.ts";
import { type Ask, askPort, type Reply } from "./world.ts";

const run = promisify(execFile);
const NODES = [1, 2, 3] as const;
export type NodeNumber = (typeof NODES)[number];
/** The names in `DATABASE_URL`; each machine's `hosts` file has their addresses. */
const nameOf = (n: number) => `db-${n}.example.org`;
const addressOf = (n: number) => `10.77.0.${10 + n}`;
const COLLECTORS = "10.77.0.1";
const LOOK_MS = 250;
/** Long enough for a slow machine: three servers, two of them copies of the first. */
const PATIENCE_MS = 180_000;
/** Processes of each life have numbers of their own, as after a start of a machine. */
const PIDS_A_LIFE = 1_000;

/** A member in Patroni's answer. */
interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly timeline?: number;
  readonly lag?: number | string;
}

/** From what a node is cut off. */
type Side = "etcd" | "standbys" | "collectors";

const open = endedAtLast<PatroniFleet>();

/**
 * A machine on this kernel: a network, mounts and processes of its own, which are gone with this process.
 * Its end of a cable is `eth0`.
 */
class Machine {
  readonly #unshare: ChildProcess;
  readonly ended: Promise<unknown>;

  private constructor(unshare: ChildProcess) {
    this.#unshare = unshare;
    this.ended = once(unshare, "exit");
  }

  /**
   * @param script starts in the background what runs there, once a line has come in
   * @param args of the script: `$1` and so on
   */
  static async start(script: string, args: readonly string[], log: string): Promise<Machine> {
    const own = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
    // It stays beside `cat`, for an init takes care of who lost his parent.
    const init = `ip link set lo up; echo up; read -r _; ${script}\necho begun; cat; exit`;
    const file = openSync(log, "a");
    const child = spawn("unshare", [...own, "bash", "-euc", init, "bash", ...args], {
      stdio: ["pipe", "pipe", file],
      env: { PATH: process.env.PATH ?? "" },
    });
    closeSync(file);
    child.stdin?.on("error", () => {});
    child.stdout?.resume();
    await Promise.race([once(child.stdout as NodeJS.ReadableStream, "data"), once(child, "exit")]);
    if (child.exitCode !== null) throw new Error(`no machine: ${readFileSync(log, "utf8")}`);
    return new Machine(child);
  }

  get pid(): number {
    return this.#unshare.pid ?? 0;
  }

  async begin(): Promise<void> {
    const begun = once(this.#unshare.stdout as NodeJS.ReadableStream, "data");
    this.#unshare.stdin?.write("\n");
    await Promise.race([begun, this.ended]);
  }

  /** The command that runs another one there. */
  inside(...command: readonly string[]): [string, string[]] {
    const of = `/proc/${this.pid}/ns`;
    const where = [`--net=${of}/net`, `--mount=${of}/mnt`, `--pid=${of}/pid_for_children`];
    return ["nsenter", [...where, ...command]];
  }

  async says(...command: readonly string[]): Promise<string> {
    return (await run(...this.inside(...command))).stdout;
  }

  /** Its processes whose command line fits; the first one holds the others. */
  processes(which = /./): number[] {
    const own = readlinkSync(`/proc/${this.pid}/ns/pid_for_children`);
    return readdirSync("/proc")
      .filter((pid) => /^\d+$/.test(pid) && which.test(commandOf(pid)) && isIn(pid, own))
      .map(Number);
  }

  signal(signal: NodeJS.Signals, which?: RegExp): void {
    for (const pid of this.processes(which)) {
      try {
        process.kill(pid, signal);
      } catch {
        // The process ended meanwhile.
      }
    }
  }

  /** Loses its power. */
  async end(): Promise<void> {
    const own = readlinkSync(`/proc/${this.pid}/ns/pid_for_children`);
    this.#unshare.ref();
    this.#unshare.kill("SIGKILL");
    await this.ended;
    while (readdirSync("/proc").some((pid) => /^\d+$/.test(pid) && isIn(pid, own)))
      await setTimeout(10);
  }
}

/**
 * Three machines with etcd, Patroni and PostgreSQL as `docs/fleet` has them, and one with collectors,
 * on a switch.
 */
export class PatroniFleet {
  readonly #folder: string;
  readonly #nodes = new Map<NodeNumber, Machine>();
  readonly #ports: number[] = [];
  #street: Machine;
  #lives = 0;

  private constructor(folder: string, street: Machine) {
    this.#folder = folder;
    this.#street = street;
    open.add(this);
  }

  /** The reason that Patroni is impossible here; undefined where it is possible. */
  static get isMissing(): string | undefined {
    try {
      needTools("postgresql", "patroni", "etcd-server", "nftables", "iproute2");
      execFileSync("unshare", ["--net", "--pid", "--fork", "nft", "list", "ruleset"], {
        stdio: "pipe",
      });
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  /** @param urlText as `docs/scale.md` has it @param env of each collector */
  static async start(
    urlText: string,
    { collectors, env }: { collectors: number; env: Readonly<Record<string, string>> },
  ): Promise<PatroniFleet> {
    const folder = mkdtempSync(join(tmpdir(), "tallydeck-patroni-"));
    giveToPostgres(folder, 0o755);
    const hosts = NODES.map((n) => `${addressOf(n)} ${nameOf(n)}\n`).join("");
    writeFileSync(join(folder, "hosts"), `127.0.0.1 localhost\n${hosts}`);
    const street = await Machine.start(STREET, [folder], join(folder, "street.log"));
    await street.begin();
    const fleet = new PatroniFleet(folder, street);
    await Promise.all(NODES.map((n) => fleet.powerOn(n)));
    await fleet.settled();
    await fleet.#makeDatabase(urlText);
    for (let i = 0; i < collectors; i++)
      await fleet.#startCollector({ ...env, DATABASE_URL: urlText, NODE_NAME: `collector-${i}` });
    return fleet;
  }

  ask(collector: number, path: string, ask?: Ask): Promise<Reply> {
    return askPort(this.#ports[collector] ?? 0, path, ask);
  }

  /** A start of the machine, with the disk it had. */
  async powerOn(n: NodeNumber): Promise<void> {
    const folder = join(this.#folder, `db-${n}`);
    mkdirSync(folder, { recursive: true });
    giveToPostgres(folder);
    // Each file stands for the first; names in a list may come in any order.
    const own = (text: string) =>
      text.replace(/db-[1-3]/g, (name) =>
        name === "db-1" ? `db-${n}` : name === `db-${n}` ? "db-1" : name,
      );
    const patroni = own(readFleet("patroni.yml"))
      .replace("/var/lib/postgresql/15/tallydeck", join(folder, "data"))
      .replace("/usr/lib/postgresql/15/bin", binaries());
    writeFileSync(join(folder, "patroni.yml"), patroni);
    const etcd = own(readFleet("etcd.env")).replace(
      "/var/lib/etcd/tallydeck",
      join(folder, "etcd"),
    );
    writeFileSync(join(folder, "etcd.env"), etcd);
    this.#lives += 1;
    const args = [this.#folder, folder, `${addressOf(n)}/24`, `${this.#lives * PIDS_A_LIFE}`];
    const node = await Machine.start(NODE, args, join(folder, "log"));
    this.#nodes.set(n, node);
    const cable = `db${n}-${this.#lives}`;
    const ends = [`netns ${this.#street.pid} type veth peer name eth0 netns ${node.pid}`];
    await run("ip", `link add ${cable} ${ends}`.split(" "));
    await this.#street.says("ip", "link", "set", cable, "master", "switch", "up");
    await node.begin();
  }

  async powerOff(n: NodeNumber): Promise<void> {
    const node = this.#node(n);
    this.#nodes.delete(n);
    await node.end();
  }

  /** Sends a signal to each process of a node that fits, or to all. */
  signal(n: NodeNumber, signal: NodeJS.Signals, which?: RegExp): void {
    this.#node(n).signal(signal, which);
  }

  /** Has packets between it and others go nowhere, both ways. */
  async cut(n: NodeNumber, side: Side): Promise<void> {
    const others = `{ ${NODES.filter((each) => each !== n).map(addressOf)} }`;
    const rules = {
      etcd: ["tcp dport 2379-2380 drop", "tcp sport 2379-2380 drop"],
      standbys: ["saddr", "daddr"].flatMap((end) =>
        ["dport", "sport"].map((port) => `ip ${end} ${others} tcp ${port} 5432 drop`),
      ),
      collectors: [`ip saddr ${COLLECTORS} drop`, `ip daddr ${COLLECTORS} drop`],
    }[side];
    const chain = (hook: string, own: string) =>
      `chain ${hook} { type filter hook ${hook} priority 0; ${own} lo accept; ${rules.join("; ")}; }`;
    const file = join(this.#folder, `db-${n}`, "cut.nft");
    writeFileSync(file, `table ip cut { ${chain("input", "iif")}; ${chain("output", "oif")}; }\n`);
    await this.#node(n).says("nft", "-f", file);
  }

  async mend(n: NodeNumber): Promise<void> {
    await this.#node(n).says("nft", "flush", "ruleset");
  }

  /**
   * Waits until all nodes say the same: there is a leader, with two standbys that have all it has.
   * @returns the leader and the standby that commits wait for
   */
  async settled(): Promise<{ leader: NodeNumber; sync: NodeNumber }> {
    const since = performance.now();
    for (;;) {
      const told = await this.#members();
      const [members = []] = told;
      const [leader, sync] = ["leader", "sync_standby"].map((role) =>
        members.find((member) => member.role === role),
      );
      const areWell = told.every(
        (all) =>
          all.length === NODES.length &&
          all.every(
            ({ name, role, state, timeline, lag = 0 }) =>
              /^(running|streaming)$/.test(state) &&
              timeline === leader?.timeline &&
              lag === 0 &&
              (name === leader?.name) === (role === "leader"),
          ),
      );
      if (leader !== undefined && sync !== undefined && areWell)
        return { leader: numberOf(leader), sync: numberOf(sync) };
      if (performance.now() - since > PATIENCE_MS)
        throw new Error(`the servers are not well: ${JSON.stringify(told)}. See ${this.#folder}`);
      await setTimeout(LOOK_MS);
    }
  }

  async end(): Promise<void> {
    if (!open.delete(this)) return;
    await Promise.all([...this.#nodes.values(), this.#street].map((machine) => machine.end()));
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** The members by each node; none by a node that does not answer. */
  async #members(): Promise<readonly (readonly Member[])[]> {
    const urls = NODES.map((n) => `http://${addressOf(n)}:8008/cluster`);
    return JSON.parse(await this.#street.says(process.execPath, "-e", ASK, ...urls));
  }

  #node(n: NodeNumber): Machine {
    const node = this.#nodes.get(n);
    if (node === undefined) throw new Error(`db-${n} has no power`);
    return node;
  }

  async #makeDatabase(urlText: string): Promise<void> {
    const { leader } = await this.settled();
    const url = new URL(urlText.replace(/@[^/]*/, `@${nameOf(leader)}`));
    const owner = `postgres://postgres:choose-one@${nameOf(leader)}`;
    const sql = (text: string) => this.#street.says("psql", `${owner}/postgres`, "-qc", text);
    await sql(`CREATE ROLE ${url.username} LOGIN PASSWORD '${url.password}'`);
    await sql(`CREATE DATABASE ${url.pathname.slice(1)}`);
    await this.#street.says(
      ...["env", `DATABASE_URL=${owner}${url.pathname}`, process.execPath, MAIN],
      ...["migrate", "--grant", url.username],
    );
  }

  /** It reaches the switch, and is reached here. */
  async #startCollector(env: Readonly<Record<string, string>>): Promise<void> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const { fd }: { fd: number } = Reflect.get(server, "_handle");
    const log = openSync(join(this.#folder, `${env.NODE_NAME}.log`), "a");
    const handed = 'LISTEN_PID=$$ exec "$0" "$@"';
    const child = spawn(
      ...this.#street.inside("sh", "-c", handed, process.execPath, MAIN, "collect"),
      {
        env: {
          PATH: process.env.PATH ?? "",
          NODE_COMPILE_CACHE: COMPILED,
          LISTEN_FDS: "1",
          LISTEN_FDNAMES: "collector",
          ...env,
        },
        stdio: ["ignore", log, log, fd],
      },
    );
    child.unref();
    server.close();
    closeSync(log);
    while ((await askPort(port, "/")).status !== 200) await setTimeout(LOOK_MS);
    this.#ports.push(port);
  }
}

const STREET = `
mount --bind "$1/hosts" /etc/hosts
ip link add switch type bridge
ip addr add ${COLLECTORS}/24 dev switch
ip link set switch up`;

/** Three servers have one and the same place for their sockets, but not one and the same memory. */
const NODE = `
mount --bind "$1/hosts" /etc/hosts
mkdir -p /run/postgresql
mount -t tmpfs -o mode=1777 none /run/postgresql
ip addr add "$3" dev eth0
ip link set eth0 up
echo "$4" >/proc/sys/kernel/ns_last_pid
set -a; . "$2/etcd.env"; set +a
etcd >>"$2/etcd.log" 2>&1 </dev/null &
cd "$2"
setpriv --reuid=postgres --regid=postgres --init-groups patroni "$2/patroni.yml" >>"$2/patroni.log" 2>&1 </dev/null &`;

const ASK = `
const ask = async (url) => {
  const answer = await fetch(url, { signal: AbortSignal.timeout(2000) });
  return (await answer.json()).members;
};
Promise.all(process.argv.slice(1).map((url) => ask(url).catch(() => []))).then((all) => {
  console.log(JSON.stringify(all));
  process.exit();
});`;

function numberOf({ name }: Member): NodeNumber {
  return NODES.find((n) => `db-${n}` === name) ?? 1;
}

function binaries(): string {
  const all = "/usr/lib/postgresql";
  const newest = readdirSync(all).sort((a, b) => Number(b) - Number(a))[0];
  return join(all, newest ?? "", "bin");
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

function isIn(pid: string, namespace: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`) === namespace;
  } catch {
    return false;
  }
}
