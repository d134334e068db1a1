import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { connect } from "node:tls";
import type { Part } from "../running/parts.ts";
import { median } from "../running/report.ts";
import { type Running, SITE, startProgram } from "../running/servers.ts";
import { beaconPath, USER_AGENTS, views } from "../running/traffic.ts";
import { interleaved, type Round, startBare } from "./rounds.ts";

/** A service at a public name: see there. */
export const SERVICE = join(import.meta.dirname, "tls-server.ts");
const ROUNDS = 3;
const ROUND_SECONDS = 5;
/** Visitors at a time who each shake hands, ask once and go. */
const CLIENTS = 8;

type Both<T> = Record<"bare" | "tallydeck", T>;

export const tls: Part = {
  says: "Hits by TLS, to a server of `node:https` in turns.",
  async run({ seed, stage, report }) {
    const folder = stage.folder();
    const files = makeCertificate(folder);
    const args = [join(folder, "data"), ...files];
    const bare = await stage.add(startBare(...files));
    const tallydeck = await stage.add(startProgram(SERVICE, args, "https"));
    const of = { rounds: ROUNDS, seconds: ROUND_SECONDS, seed };
    const kept = await interleaved({ bare, tallydeck }, of);
    const ratio = (rounds: readonly Both<Pick<Round, "perSecond">>[]) =>
      median(rounds.map((round) => round.tallydeck.perSecond / round.bare.perSecond));
    const anew: Both<Anew>[] = [];
    for (let round = 0; round <= ROUNDS; round++)
      anew.push({ bare: await comeAnew(bare, seed), tallydeck: await comeAnew(tallydeck, seed) });
    // The first round compiles both.
    anew.shift();
    const cpu = (of: keyof Both<Anew>) => median(anew.map((round) => round[of].cpu)).toFixed(0);
    report.note(
      `µs of CPU for a handshake and a hit: ${cpu("tallydeck")}, of the bare server ${cpu("bare")}`,
    );
    report.atLeast("durable hits by TLS : bare node:https", ratio(kept), "", 0.7);
    report.atLeast("handshakes with a durable hit : bare node:https", ratio(anew), "", 0.8);
  },
};

/** @returns the files of certificate and key, for localhost */
export function makeCertificate(folder: string): [cert: string, key: string] {
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const files = ["-out", "cert.pem", "-keyout", "key.pem"];
  const more = [...files, "-subj", "/CN=localhost", "-days", "1"];
  execFileSync("openssl", ["req", "-x509", ...key, ...more], { cwd: folder, stdio: "ignore" });
  return [join(folder, "cert.pem"), join(folder, "key.pem")];
}

interface Anew {
  readonly perSecond: number;
  /** Microseconds of the main thread's CPU for each. */
  readonly cpu: number;
}

async function comeAnew(server: Running, seed: number): Promise<Anew> {
  const [before, start] = [server.cpu().main, performance.now()];
  const nextView = views(seed);
  let visits = 0;
  const visitor = async () => {
    while (performance.now() - start < ROUND_SECONDS * 1_000) {
      await visit(server, beaconPath(nextView(), SITE));
      visits += 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, visitor));
  const seconds = (performance.now() - start) / 1_000;
  return { perSecond: visits / seconds, cpu: ((server.cpu().main - before) * 1_000) / visits };
}

/** @throws {Error} when it is answered otherwise than with 200 */
function visit({ origin }: Running, path: string): Promise<void> {
  const { hostname: host, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    let heard = "";
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false })
      .on("data", (bytes) => {
        heard += bytes.toString("latin1");
      })
      .on("error", reject)
      .on("close", () =>
        heard.startsWith("HTTP/1.1 200 ") ? resolve() : reject(new Error(`answered ${heard}`)),
      );
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: ${USER_AGENTS[0]}\r\nConnection: close\r\n\r\n`,
    );
  });
}
