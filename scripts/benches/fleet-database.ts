import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { createServer } from "node:net";
import { newCluster, postgresCommand } from "../postgres/folder.ts";
import { PostgresProcess } from "../postgres/process.ts";
import { statOf, TICKS_A_SECOND } from "../stall.ts";

/** Settings under which a commit is on the disk, as on a real server. */
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  shared_buffers: "256MB",
  max_wal_size: "1GB",
  dynamic_shared_memory_type: "mmap",
};

/** A server of PostgreSQL's, as Debian has it. */
export interface FleetDatabase {
  readonly url: string;
  /** CPU time of all its processes so far, ms. */
  cpu(): number;
  /** Bytes of its tables and indices now, and bytes of the log that it has written so far. */
  bytes(): { readonly tables: number; readonly log: number };
  /** Bytes of its tables and indices after a VACUUM FULL. */
  packed(): number;
  run(statements: string): void;
  close(): Promise<void>;
}

/** Starts a server that is deleted with its data when it is closed. */
export async function startDatabase(): Promise<FleetDatabase> {
  const port = await freePort();
  const server = new PostgresProcess(port, SETTINGS);
  newCluster(server.data);
  await server.start();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const run = (statements: string) => {
    const [file, args] = postgresCommand("psql", [url, "-Atc", statements]);
    return execFileSync(file, args, { encoding: "utf8", cwd: "/" });
  };
  const ask = (question: string) => Number(run(question));
  const tables = () =>
    ask(`SELECT sum(pg_total_relation_size(oid)) FROM pg_class
      WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`);
  return {
    url,
    cpu: () => cpuOf(server.pid),
    bytes: () => ({
      tables: tables(),
      log: ask("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')"),
    }),
    packed: () => {
      ask("VACUUM FULL");
      return tables();
    },
    run,
    close: () => server.remove(),
  };
}

/** CPU time of a process and its children, those that have ended included, in ms. */
function cpuOf(pid: number): number {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  let ticks = 0;
  for (const each of all) {
    const fields = fieldsOf(each);
    if (Number(each) === pid) for (const at of [11, 12, 13, 14]) ticks += Number(fields[at]);
    else if (Number(fields[1]) === pid) ticks += Number(fields[11]) + Number(fields[12]);
  }
  return (ticks * 1_000) / TICKS_A_SECOND;
}

function fieldsOf(pid: string): string[] {
  try {
    return statOf(pid);
  } catch {
    // The process ended meanwhile.
    return [];
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0));
    });
  });
}
