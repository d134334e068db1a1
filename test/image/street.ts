import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { needTools } from "../../scripts/tools.ts";

const SYSTEM = join(import.meta.dirname, "../../firmware-config/system");
const FIREWALL = join(SYSTEM, "etc/nftables.conf");

type Outcome = "open" | "refused" | "silent";

export interface Tries {
  readonly from: string;
  readonly to: string;
  readonly port: number;
  /** Connections held at once; one unless given. */
  readonly count?: number;
}

/**
 * A box behind the image's firewall and a street before it, on this kernel: two network namespaces
 * and a cable. Real packets; nothing of it touches this machine's own network.
 */
export class Street {
  readonly #box: ChildProcess;
  readonly #street: string;

  private constructor(box: ChildProcess, street: string) {
    this.#box = box;
    this.#street = street;
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

  /** @param cable what the box calls its end of it */
  static async build(cable = "box"): Promise<Street> {
    const box = spawn(
      "unshare",
      ["--net", "bash", "-euc", BUILD, "bash", FIREWALL, process.execPath, cable],
      {
        stdio: ["pipe", "pipe", "inherit"],
      },
    );
    let said = "";
    for await (const bytes of box.stdout ?? []) {
      said += bytes;
      const [, street] = /street (\d+)\n[\s\S]*listening\n/.exec(said) ?? [];
      if (street !== undefined) return new Street(box, street);
    }
    throw new Error(`no street was built: ${said}`);
  }

  /** Outcomes of connections from addresses of the street to addresses of the box, all at once. */
  async tries(...tries: readonly Tries[]): Promise<Outcome[]> {
    const program = ["--input-type=module", "-e", TRY, JSON.stringify(tries)];
    const nsenter = spawn("nsenter", ["-t", this.#street, "-n", process.execPath, ...program]);
    let said = "";
    nsenter.stdout.on("data", (bytes: Buffer) => (said += bytes));
    nsenter.stderr.on("data", (bytes: Buffer) => (said += bytes));
    await once(nsenter, "close");
    return JSON.parse(said) as Outcome[];
  }

  /**
   * Has box and street each say a word to the mDNS group, from these addresses and mDNS's port.
   * @returns the words that reach a socket of the box there
   */
  async hears(from: string, own: string): Promise<string[]> {
    const enter = (pid: string | number | undefined, ...args: string[]) =>
      spawn("nsenter", ["-t", String(pid), "-n", process.execPath, "-e", ...args]);
    const box = enter(this.#box.pid, HEAR, own);
    let heard = "";
    const closed = once(box, "close");
    await new Promise<void>((listening) => {
      box.stdout.on("data", (bytes: Buffer) => {
        heard += bytes;
        if (heard.includes("listening")) listening();
      });
    });
    await once(enter(this.#street, SAY, from), "close");
    await closed;
    return heard.split("\n").filter((word) => word !== "" && word !== "listening");
  }

  /**
   * Sends datagrams to a port of the box, each from an address and a port of the street, its number in
   * the list its word.
   * @param sentTo the port that the street sends to, where the firewall leads it to another
   * @returns the numbers that reach the box until the last one does
   */
  async receives(
    port: number,
    from: readonly (readonly [string, string, number])[],
    sentTo = port,
  ): Promise<number[]> {
    const run = (pid: string | number | undefined, program: string, ...args: string[]) =>
      spawn("nsenter", ["-t", String(pid), "-n", process.execPath, "-e", program, ...args]);
    const box = run(this.#box.pid, RECEIVE, String(port), String(from.length - 1));
    const closed = once(box, "close");
    let said = "";
    box.stdout.on("data", (bytes: Buffer) => (said += bytes));
    await once(box.stdout, "data");
    await once(run(this.#street, SEND, String(sentTo), JSON.stringify(from)), "close");
    await closed;
    return said.split("\n").slice(1, -1).map(Number);
  }

  /** Runs a program in the box's namespace. */
  inBox(program: string, ...args: string[]): string {
    const enter = ["-t", String(this.#box.pid), "-n", program, ...args];
    return execFileSync("nsenter", enter, { encoding: "utf8", stdio: "pipe" });
  }

  async close(): Promise<void> {
    const gone = once(this.#box, "close");
    // Its shell waits for this, and then ends what it started.
    this.#box.stdin?.end();
    await gone;
  }
}

/** Box and street both have a private, a public, a unique-local, a link-local and a global address. */
const BUILD = `
  unshare --net sleep infinity & street=$!
  until [ "$(readlink /proc/$street/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done
  trap 'kill $street $server' EXIT
  echo "street $street"
  ip link add $3 type veth peer name street
  ip link set street netns $street
  in_street() { nsenter -t $street -n "$@"; }
  for each in '' in_street; do $each ip link set lo up; done
  ip link set $3 up; in_street ip link set street up
  number=1
  for each in "ip address add dev $3" 'in_street ip address add dev street'; do
    for net in 192.168.7 172.31.7 198.51.100 100.64.7; do $each $net.$number/24; done
    for net in fd00:7: 2001:db8: 2001:db8:0:2: fe80:; do $each $net:$number/64 nodad; done
    number=2
  done
  in_street ip address add dev street 198.51.100.3/24
  in_street ip address add dev street 2001:db8::3/64 nodad
  nft -f "$1"
  "$2" --input-type=module -e '
    import { createServer } from "node:net";
    for (const port of [22, 80, 443, 3000, 8080]) {
      const server = createServer((socket) => socket.on("error", () => {}).write("in"));
      await new Promise((done) => server.listen(port, "::", done));
    }
    console.log("listening");
  ' & server=$!
  read -r _ || true
`;

/** Joins the group, speaks, and tells what came until the street has had its say. */
const HEAR = `
  const socket = require("dgram").createSocket({ type: "udp4", reuseAddr: true });
  const own = process.argv[1];
  socket.on("message", (text) => console.log(String(text)));
  socket.bind(5353, () => {
    socket.addMembership("224.0.0.251", own);
    socket.setMulticastInterface(own);
    socket.setMulticastLoopback(true);
    socket.send("box", 5353, "224.0.0.251", () => console.log("listening"));
    setTimeout(() => process.exit(), 3000);
  });
`;

const SAY = `
  const socket = require("dgram").createSocket({ type: "udp4", reuseAddr: true });
  const from = process.argv[1];
  socket.bind(5353, () => {
    socket.setMulticastInterface(from);
    socket.send("street", 5353, "224.0.0.251", () => process.exit());
  });
`;

const RECEIVE = `
  const [port, last] = process.argv.slice(1);
  const socket = require("dgram").createSocket("udp4");
  socket.on("message", (text) => {
    console.log(String(text));
    if (String(text) === last) process.exit();
  });
  socket.bind(Number(port), () => {
    if (port === "1900") socket.addMembership("239.255.255.250", "192.168.7.1");
    console.log("listening");
  });
`;

const SEND = `
  const [port, all] = process.argv.slice(1);
  const send = (word, [from, to, fromPort]) => new Promise((sent) => {
    const socket = require("dgram").createSocket("udp4");
    socket.bind(fromPort, from, () => {
      socket.setMulticastInterface(from);
      socket.send(word, Number(port), to, () => socket.close(sent));
    });
  });
  const entries = JSON.parse(all).entries();
  (async () => { for (const [word, each] of entries) await send(String(word), each); })();
`;

const TRY = `
  import { connect } from "node:net";
  const one = ({ from, to, port }) => new Promise((done) => {
    const scope = to.startsWith("fe80") ? "%street" : "";
    const socket = connect({ host: to + scope, port, localAddress: from + scope });
    setTimeout(() => done("silent"), 2500);
    socket.on("data", () => done("open")).on("error", () => done("refused"));
  });
  const all = JSON.parse(process.argv[1]).flatMap((tries) => Array(tries.count ?? 1).fill(tries));
  console.log(JSON.stringify(await Promise.all(all.map(one))));
  process.exit();
`;
