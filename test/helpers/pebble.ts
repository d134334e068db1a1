import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { SystemClock } from "../../appliance/base/system/system-clock.ts";
import { type AskOutside, askWith } from "../../appliance/links/public/ask.ts";
import { needTools } from "../../scripts/tools.ts";
import { makeCertificates } from "./certificates.ts";
import { ended } from "./daemon.ts";
import { freePort } from "./free-port.ts";
import { endedAtLast } from "./hooks.ts";

const open = endedAtLast<Pebble>();

interface Ports {
  readonly directory: number;
  readonly management: number;
  readonly dns: number;
  readonly dnsManagement: number;
  /** The ports at which Pebble looks for challenges instead of 443 and 80. */
  readonly tls: number;
  readonly http: number;
}

/**
 * Debian's Pebble, a CA for tests, on free ports of 127.0.0.1, and its name server, for which every
 * name is 127.0.0.1. It rejects one good nonce of twenty and keeps half of the proofs.
 */
export class Pebble {
  readonly ports: Ports;
  readonly #folder: string;
  readonly #ask: AskOutside;
  readonly #running: ChildProcess[] = [];

  private constructor(folder: string, ports: Ports) {
    this.ports = ports;
    this.#folder = folder;
    this.#ask = askWith({ clock: new SystemClock(), ca: this.ca, userAgent: "test" });
  }

  /**
   * @param names of the certificate of the directory itself
   * @param tls where it looks for challenges instead of 443; a free port unless given
   */
  static async open({ names, tls }: { names?: string; tls?: number } = {}): Promise<Pebble> {
    const folder = mkdtempSync(join(tmpdir(), "tallydeck-pebble-"));
    makeCertificates(folder, names);
    const ports = {
      directory: await freePort(),
      management: await freePort(),
      dns: await freePort(),
      dnsManagement: await freePort(),
      tls: tls ?? (await freePort()),
      http: await freePort(),
    };
    const pebble = new Pebble(folder, ports);
    open.add(pebble);
    await pebble.#start();
    return pebble;
  }

  get directory(): string {
    return `https://localhost:${this.ports.directory}/dir`;
  }

  /** PEM of who signed the certificate of the directory itself. */
  get ca(): string {
    return readFileSync(this.caFile, "utf8");
  }

  get caFile(): string {
    return join(this.#folder, "ca.pem");
  }

  /** PEM of the root of what it issues. */
  async root(): Promise<string> {
    const url = `https://localhost:${this.ports.management}/roots/0`;
    return (await this.#ask({ method: "GET", url })).body.toString();
  }

  async end(): Promise<void> {
    open.delete(this);
    await Promise.all(this.#running.splice(0).map((child) => ended(child)));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    const { ports } = this;
    const local = (port: number) => `127.0.0.1:${port}`;
    const pebble = {
      listenAddress: local(ports.directory),
      managementListenAddress: local(ports.management),
      certificate: join(this.#folder, "server.pem"),
      privateKey: join(this.#folder, "server.key"),
      httpPort: ports.http,
      tlsPort: ports.tls,
      ocspResponderURL: "",
      // CAs with profiles list them in their directory.
      profiles: {
        tlsserver: { description: "for names", validityPeriod: 3_888_000 },
        shortlived: { description: "for addresses", validityPeriod: 576_000 },
      },
      retryAfter: { authz: 1, order: 1 },
    };
    const config = join(this.#folder, "pebble.json");
    writeFileSync(config, JSON.stringify({ pebble }));
    needTools("pebble");
    this.#spawn("pebble-challtestsrv", [
      ...["-dns01", local(ports.dns), "-management", local(ports.dnsManagement)],
      ...["-defaultIPv4", "127.0.0.1", "-defaultIPv6", ""],
      // Its own answers to challenges are not wanted; which there are differs by version.
      ...unwanted("-http01", "-https01", "-tlsalpn01", "-doh"),
    ]);
    this.#spawn("pebble", ["-config", config, "-dnsserver", local(ports.dns)]);
    // Pebble makes its keys first.
    while (!(await this.#answers())) await setTimeout(50);
  }

  #spawn(program: string, args: readonly string[]): void {
    const env = { ...process.env, PEBBLE_VA_NOSLEEP: "1" };
    this.#running.push(spawn(program, args, { stdio: "ignore", env }));
  }

  async #answers(): Promise<boolean> {
    if (this.#running.some(({ exitCode }) => exitCode !== null))
      throw new Error("pebble ended: is the package pebble installed?");
    return this.#ask({ method: "GET", url: this.directory }).then(
      () => true,
      () => false,
    );
  }
}

function unwanted(...flags: readonly string[]): string[] {
  const { stderr, stdout } = spawnSync("pebble-challtestsrv", ["-help"], { encoding: "utf8" });
  const known = new Set(`${stderr}${stdout}`.match(/-[a-z0-9]+/gi));
  return flags.filter((flag) => known.has(flag)).flatMap((flag) => [flag, ""]);
}
