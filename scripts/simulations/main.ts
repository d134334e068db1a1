/** Started by scripts/simulate. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { number, type Part, runScript } from "../running/parts.ts";
import { CHECKOUT } from "../running/servers.ts";
import { alarms, type Scaled } from "./alarms.ts";

await runScript<Scaled>({
  parts: {
    alarms,
    "public-address": testRun({
      says: "Four boxes with a public address live through 50 seeds, five minutes.",
      file: "test/links/public/simulation.test.ts",
      environment: (scale) => ({ SIM_LIVES: 50 * scale }),
    }),
    updates: testRun({
      says: "Two boxes live through the releases of 400 days, with 20 seeds, five minutes.",
      file: "test/links/updates/simulation.test.ts",
      environment: (scale) => ({ SIM_LIVES: 20 * scale }),
    }),
    digests: testRun({
      says: "A box sends digests for 400 days, with 100 seeds, three minutes.",
      file: "test/traffic/digest/simulation.test.ts",
      environment: (scale) => ({ SIM_LIVES: 100 * scale }),
    }),
    logs: testRun({
      says: "A log is followed for 40 hours, rotated, copied, with both sides killed and disks full; three minutes.",
      file: "test/traffic/follow/simulation.test.ts",
      environment: (scale) => ({ SIM_LIVES: 40 * scale }),
    }),
    stores: testRun({
      says: "Stores live in virtual time, each answer compared with a naive count; two minutes for each engine.",
      file: "test/store/simulation/simulation.test.ts",
      environment: (scale) => ({ SIM_S: 120 * scale }),
    }),
    copies: testRun({
      says: "Three databases count, restore and drop days, and are copied into each other; two minutes.",
      file: "test/store/copy/rings.test.ts",
      environment: (scale) => ({ COPY_ROUNDS: 9 * scale }),
    }),
    faults: testRun({
      says: "Collectors and databases are killed, connections cut within commits, standbys take over; five minutes.",
      file: "test/app/service/fleet-faults.test.ts",
      // Four rounds bring each kind of fault once, which the test expects.
      environment: (scale) => ({ FAULT_ROUNDS: Math.max(4, 20 * scale) }),
    }),
    failovers: testRun({
      says: "Standbys that lag are promoted beside primaries that go on, six minutes.",
      file: "test/store/postgres/failover-rounds.test.ts",
      environment: (scale) => ({ FAULT_ROUNDS: 40 * scale }),
    }),
    "high-availability": testRun({
      says: "Machines with Patroni, etcd and PostgreSQL, made of namespaces, fail in nine ways; six minutes.",
      file: "test/app/service/high-availability.test.ts",
      environment: (scale) => ({ HA_ROUNDS: 9 * scale }),
    }),
  },
  options: { scale: number(1) },
});

/** A test whose environment says how long it runs. */
function testRun({
  says,
  file,
  environment,
}: {
  readonly says: string;
  readonly file: string;
  /** Numbers that go with a scale; they are rounded, and at least 1. */
  readonly environment: (scale: number) => Readonly<Record<string, number>>;
}): Part<Scaled> {
  return {
    says,
    async run({ options, seed, stage, report }) {
      const begun = performance.now();
      const own = Object.entries({ ...environment(options.scale) })
        .map(([name, n]) => [name, `${Math.max(1, Math.round(n))}`] as const)
        .concat([["TEST_SEED", `${seed}`]]);
      const child = spawn(join(CHECKOUT, "scripts/test"), ["--long", file], {
        env: { ...process.env, ...Object.fromEntries(own) },
        stdio: "inherit",
      });
      stage.onClose(() => child.kill());
      const [code] = await once(child, "exit");
      report.figure(
        file,
        `${code === 0 ? "passed" : "failed"} after ${Math.round((performance.now() - begun) / 1_000)} s`,
      );
      const again = own.map(([name, value]) => `${name}=${value}`).join(" ");
      if (code !== 0)
        report.problem(
          `A test has failed. To see it again: ${again} ./scripts/test --long ${file}`,
        );
    },
  };
}
