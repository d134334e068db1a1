import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eachFolder } from "../helpers/folder.ts";
import { until } from "../helpers/until.ts";

const SCRIPTS = join(import.meta.dirname, "../../scripts");

describe("a script of parts", () => {
  const folder = eachFolder();

  /** Writes a script with these parts, and takes `--rate`. */
  const scriptOf = (parts: string): string => {
    const file = join(folder(), "script.ts");
    writeFileSync(
      file,
      `import { number, runScript } from ${JSON.stringify(join(SCRIPTS, "running/parts.ts"))};
      await runScript({ parts: {${parts}}, options: { rate: number(7) } });`,
    );
    return file;
  };
  const run = (parts: string, ...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [scriptOf(parts), ...args], {
      encoding: "utf8",
    });
    return { status, out: stdout, err: stderr };
  };
  const told = (name: string, more = "") =>
    `${name}: { says: "Tells ${name}.", ${more}
      async run({ report, options, seed }) { report.figure("rate", options.rate); report.note("drawn from " + seed); } },`;

  it("lists its parts, and which of them run only when they are named", () => {
    const parts = told("a") + told("long", "isLong: true,");
    assert.deepEqual(run(parts, "--list"), {
      status: 0,
      out: "a     Tells a.\nlong  Tells long. Runs only when it is named.\n",
      err: "",
    });
  });

  it("runs them in the order of the list, and those that take long only when they are named", () => {
    const parts = told("b") + told("a") + told("long", "isLong: true,");
    const table = (...rows: string[]) =>
      `\n\n| part | measure | result |\n|---|---|---|\n${rows.join("\n")}\n`;
    const usual = run(parts);
    assert.ok(usual.out.endsWith(table("| b | rate | 7 |", "| a | rate | 7 |")), usual.out);
    const named = run(parts, "--only", "long,b", "--rate", "9");
    assert.ok(named.out.endsWith(table("| b | rate | 9 |", "| long | rate | 9 |")), named.out);
  });

  it("tells its seed, which is another one each time unless it is given", () => {
    const seedOf = (...args: readonly string[]) => {
      const { out } = run(told("a"), ...args);
      const [, seed] = /^# seed (\d+)\n/.exec(out) ?? [];
      assert.ok(out.includes(`drawn from ${seed}\n`), out);
      return seed;
    };
    assert.equal(seedOf("--seed", "4711"), "4711");
    assert.notEqual(seedOf(), seedOf());
  });

  it("does nothing when it is asked for what it does not know, and says what is wrong", () => {
    for (const [args, sentence] of [
      [["--only", "b"], "There is no part b: a."],
      [["--only", ""], "--only takes a text"],
      [["--rate", "much"], "--rate takes a number."],
      [["--rate", "-1"], "Option '--rate' argument is ambiguous."],
      [["--weather"], "Unknown option '--weather'"],
      [["a"], "Unexpected argument 'a'"],
    ] as const) {
      const { status, out, err } = run(told("a"), ...args);
      assert.deepEqual([status, out], [2, ""]);
      assert.ok(err.startsWith(sentence) && err.includes("--help and --list"), err);
    }
  });

  it("goes on after a part that failed, tells the figures of both, and ends with 1", () => {
    const failing = `bad: { says: "", async run({ report }) { report.figure("seen", 1); throw new Error("It broke."); } },`;
    const { status, out } = run(failing + told("good"));
    assert.equal(status, 1);
    assert.ok(out.endsWith("| bad | seen | 1 |\n| good | rate | 7 |\n\nbad: It broke.\n"), out);
  });

  it("says of each goal whether it was met, and does not fail over one", () => {
    const goals = `a: { says: "", async run({ report }) {
      report.atLeast("speed", 12.4, "hits/s", 12);
      report.atMost("wait", 1.234, "ms", 1);
      report.figure("size", "3 kB");
    } },`;
    const { status, out } = run(goals);
    assert.equal(status, 0);
    assert.ok(
      out.endsWith(`| a | speed | 12 hits/s | >= 12 hits/s | met |
| a | wait | 1.23 ms | <= 1 ms | missed |
| a | size | 3 kB |  |  |
`),
      out,
    );
  });

  it("closes a part's stage before the next begins, the newest first, also when the part failed", () => {
    const server = (name: string) =>
      `await stage.add({ close: async () => console.log("${name} closed") });`;
    const { out } = run(
      `a: { says: "", async run({ stage }) { ${server("first")} ${server("second")} throw new Error("no"); } },` +
        told("b"),
    );
    assert.match(out, /\na \.\.\.\nsecond closed\nfirst closed\n.*\nb \.\.\.\n/s);
  });

  it("closes everything when it is stopped", async () => {
    const waits = `a: { says: "", async run({ stage, whole }) {
      whole.onClose(() => console.log("whole closed"));
      console.log("in " + stage.folder());
      await new Promise((resolve) => setTimeout(resolve, 600_000));
    } },`;
    const child = spawn(process.execPath, [scriptOf(waits)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      out += text;
    });
    await until(() => out.includes("in /"));
    child.kill("SIGTERM");
    await once(child, "close");
    assert.equal(child.exitCode, 143);
    assert.ok(out.endsWith("whole closed\n"), out);
    assert.equal(existsSync(/in (.+)\n/.exec(out)?.[1] ?? "/"), false);
  });
});

describe("bench, abuse, simulate and pictures", () => {
  for (const program of ["benches", "abuses", "simulations", "shots"])
    it(`say a sentence about each part: ${program}`, () => {
      const { status, stdout } = spawnSync(
        process.execPath,
        [join(SCRIPTS, program, "main.ts"), "--list"],
        { encoding: "utf8" },
      );
      assert.equal(status, 0);
      const lines = stdout.trimEnd().split("\n");
      assert.ok(lines.length > 6);
      for (const line of lines) assert.match(line, /^[a-z0-9-]+ +[A-Z].+\.$/);
    });
});
