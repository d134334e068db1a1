import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { connect } from "node:tls";
import { median } from "./figures.ts";
import { interleaved, type Round } from "./rounds.ts";
import { type Running, SITE, startProgram, withServer } from "./servers.ts";
import { beaconPath, USER_AGENTS, views } from "./traffic.ts";

const BARE = join(import.meta.dirname, "bare-server.ts");
const SERVICE = join(import.meta.dirname, "tls-server.ts");
const ROUNDS = 3;
const ROUND_SECONDS = 5;
/** Clients that come anew for each hit. */
const CLIENTS = 8;

/** Both to the bare `node:https` server of the same run. */
interface TlsFigures {
  /** Hits a second on connections that are kept. */
  readonly hits: number;
  /** Visitors a second who each shake hands, ask once and go. */
  readonly handshakes: number;
  /** Microseconds of the main thread's CPU that such a visitor takes. */
  readonly cpu: Readonly<Record<"bare" | "tallydeck", number>>;
}

/** Views by TLS, beside a server of `node:https` that stores nothing. */
export async function measureTls(dataDir: string): Promise<TlsFigures> {
  const files = makeCertificate(dataDir);
  let figures: TlsFigures | undefined;
  await withServer(
    () => startProgram(BARE, files, "https"),
    (bare) =>
      withServer(
        () => startProgram(SERVICE, [join(dataDir, "data"), ...files], "https"),
        async (tallydeck) => {
          const kept = await interleaved({ bare, tallydeck }, ROUNDS, ROUND_SECONDS);
          const ratio = (
            rounds: readonly Record<"bare" | "tallydeck", Pick<Round, "perSecond">>[],
          ) => median(rounds.map((round) => round.tallydeck.perSecond / round.bare.perSecond));
          const anew: Record<"bare" | "tallydeck", Anew>[] = [];
          for (let round = 0; round <= ROUNDS; round++)
            anew.push({ bare: await comeAnew(bare), tallydeck: await comeAnew(tallydeck) });
          // In the first round both still compile.
          anew.shift();
          const cpu = (of: "bare" | "tallydeck") => median(anew.map((round) => round[of].cpu));
          figures = {
            hits: ratio(kept),
            handshakes: ratio(anew),
            cpu: { bare: cpu("bare"), tallydeck: cpu("tallydeck") },
          };
        },
      ),
  );
  return figures as TlsFigures;
}

/** @returns the files of certificate and key */
function makeCertificate(folder: string): [cert: string, key: string] {
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

async function comeAnew(server: Running): Promise<Anew> {
  const [before, start] = [server.cpu().main, performance.now()];
  const nextView = views(1);
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
