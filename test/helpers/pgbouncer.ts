import { type ChildProcess, spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { giveToPostgres, passingFolder } from "../../scripts/postgres/folder.ts";
import { needTools } from "../../scripts/tools.ts";
import { answering, ended } from "./daemon.ts";
import { freePort } from "./free-port.ts";
import { endedAtLast } from "./hooks.ts";

const PROGRAM = "/usr/sbin/pgbouncer";

const open = endedAtLast<PgBouncer>();

/**
 * Debian's pooler before a server of 127.0.0.1, for its owner `postgres`; it pools by transaction. It ends
 * with the tests of the file, or with this process.
 */
export class PgBouncer {
  readonly port: number;
  readonly folder = passingFolder("tallydeck-pgbouncer-", { home: ".", pidFile: "pid" });
  #process: ChildProcess | undefined;

  private constructor(port: number) {
    this.port = port;
  }

  /** @param target a port of 127.0.0.1 */
  static async open(target: number): Promise<PgBouncer> {
    needTools("pgbouncer");
    const pooler = new PgBouncer(await freePort());
    open.add(pooler);
    pooler.#configure(target);
    await pooler.#start();
    return pooler;
  }

  /** Leads to another server: what it is asked next, while what it has begun goes on at the one before. */
  lead(target: number): void {
    this.#configure(target);
    this.#process?.kill("SIGHUP");
  }

  async end(): Promise<void> {
    open.delete(this);
    await ended(this.#process);
    rmSync(this.folder, { recursive: true, force: true });
  }

  get #file(): string {
    return join(this.folder, "pgbouncer.ini");
  }

  #configure(target: number): void {
    const lines = [
      "[databases]",
      `* = host=127.0.0.1 port=${target} user=postgres`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${this.port}`,
      "unix_socket_dir =",
      `pidfile = ${join(this.folder, "pid")}`,
      "auth_type = any",
      "pool_mode = transaction",
      "",
    ];
    writeFileSync(this.#file, lines.join("\n"));
    giveToPostgres(this.#file, 0o600);
  }

  async #start(): Promise<void> {
    // PgBouncer refuses to run as root.
    const as = process.getuid?.() === 0 ? ["-u", "postgres"] : [];
    this.#process = spawn(PROGRAM, ["-q", ...as, this.#file], {
      stdio: "ignore",
      // A terminal's Ctrl-C ends a whole group of processes.
      detached: true,
      cwd: this.folder,
    });
    await answering(this.#process, this.port);
  }
}
