import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { needTools } from "../../scripts/tools.ts";

export const FAR_ADDRESS = "10.77.0.2";
type Side = "home" | "place";

/**
 * A line between two machines of their own addresses, on this kernel: two network namespaces and a cable, of which nothing touches
 * this machine's own network. Real packets are lost, come late, or do not come at all.
 */
export class FarLine {
  readonly #shell: ChildProcess;
  readonly #pids: Readonly<Record<Side, string>>;
  readonly #helpers: ChildProcess[] = [];
  readonly #open: Server[] = [];

  private constructor(shell: ChildProcess, home: string) {
    this.#shell = shell;
    this.#pids = { home, place: String(shell.pid) };
  }

  /** The missing prerequisite; undefined without one. */
  static get isMissing(): string | undefined {
    try {
      needTools("nftables", "iproute2");
      execFileSync("unshare", ["--net", "nft", "list", "ruleset"], { stdio: "pipe" });
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  static async build(): Promise<FarLine> {
    const shell = spawn("unshare", ["--net", "bash", "--norc", "-euc", BUILD], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    let said = "";
    for await (const bytes of shell.stdout) {
      said += bytes;
      const [, home] = /^(\d+)\n/.exec(said) ?? [];
      if (home !== undefined) return new FarLine(shell, home);
    }
    throw new Error(`no line was built: ${said}`);
  }

  /** A command that runs another one on a side. */
  on(side: Side): readonly string[] {
    return ["nsenter", "-t", this.#pids[side], "-n"];
  }

  /** @param percent of the packets, in each direction */
  lose(percent: number): void {
    const drop = `numgen random mod 100 < ${percent} drop`;
    const rules = `table inet line
      delete table inet line
      table inet line {
        chain in { type filter hook input priority 0; iifname place ${drop}; }
        chain out { type filter hook output priority 0; oifname place ${drop}; }
      }`;
    this.#run("place", ["nft", rules]);
  }

  /** Packets queue for up to half a second before a line that takes so many kbit/s; undefined is as fast as it gets. */
  slow(kbits: number | undefined): void {
    for (const side of ["place", "home"] as const) {
      const queue = ["tc", "qdisc", kbits === undefined ? "del" : "replace", "dev", side, "root"];
      const rate = ["tbf", "rate", `${kbits}kbit`, "burst", "4kb", "latency", "500ms"];
      this.#run(side, kbits === undefined ? queue : [...queue, ...rate]);
    }
  }

  /** Whether the cable is in. */
  plug(isIn: boolean): void {
    this.#run("place", ["ip", "link", "set", "place", isIn ? "up" : "down"]);
  }

  #run(side: Side, words: readonly string[]): void {
    const [command = "", ...args] = [...this.on(side), ...words];
    execFileSync(command, args, { stdio: "pipe" });
  }

  /** A port of this machine that leads to one of a side; where that is another one later, so does it. */
  async lead(side: Side): Promise<{ readonly port: number; to: number }> {
    const helper = this.#helper(side, LEAD);
    const server = createServer({ pauseOnConnect: true }).listen(0, "127.0.0.1");
    await once(server, "listening");
    this.#open.push(server);
    const way = { port: (server.address() as AddressInfo).port, to: 0 };
    server.on("connection", (socket) => helper.send({ to: way.to }, socket));
    return way;
  }

  /** Listens at a port of the place, for this process. */
  async listen(port: number): Promise<Server> {
    const helper = this.#helper("place", `const port = ${port};${LISTEN}`);
    const [, server] = (await once(helper, "message")) as [unknown, Server];
    this.#open.push(server);
    return server;
  }

  #helper(side: Side, program: string): ChildProcess {
    const [command = "", ...args] = this.on(side);
    const helper = spawn(command, [...args, process.execPath, "-e", program], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    this.#helpers.push(helper);
    return helper;
  }

  async close(): Promise<void> {
    for (const server of this.#open) server.close();
    for (const helper of this.#helpers) helper.kill("SIGKILL");
    const gone = once(this.#shell, "close");
    this.#shell.stdin?.end();
    await gone;
  }
}

const BUILD = `
  unshare --net sleep infinity & home=$!
  trap 'kill $home' EXIT
  until [ "$(readlink /proc/$home/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done
  ip link add place type veth peer name home
  ip link set home netns $home
  ip link set lo up; ip link set place up; ip address add dev place ${FAR_ADDRESS}/24
  nsenter -t $home -n ip link set lo up; nsenter -t $home -n ip link set home up
  nsenter -t $home -n ip address add dev home 10.77.0.1/24
  echo $home
  read -r _ || true
`;

const LEAD = `
  const { connect } = require("net");
  process.on("message", ({ to }, socket) => {
    if (!socket) return;
    const on = connect(to, "127.0.0.1");
    for (const [one, other] of [[socket, on], [on, socket]])
      one.on("error", () => {}).on("close", () => other.destroy());
    socket.pipe(on).pipe(socket);
  });
`;

const LISTEN = `
  const server = require("net").createServer().listen(port, "0.0.0.0", () =>
    process.send("listening", server, () => server.close()));
`;
