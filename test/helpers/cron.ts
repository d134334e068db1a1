import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { promisify } from "node:util";

/**
 * Runs the command of the first line of a crontab that names `part`, as cron does: by sh, with what
 * the crontab sets and little else around it. Fails when it prints anything, for cron would mail it.
 * @param files where this machine has what the command names
 */
export async function runAsCron(
  crontab: string,
  part: string,
  files: Readonly<Record<string, string>> = {},
): Promise<void> {
  const lines = crontab.split("\n");
  const command = lines
    .map((line) => /^(?:[\d*/]+ ){5}(.+)$/.exec(line)?.[1])
    .find((found) => found?.includes(part));
  assert.ok(command !== undefined, `no line names ${part}`);
  assert.doesNotMatch(command, /(?<!\\)%/, "cron ends a command at a percent sign");
  const set = lines.flatMap((line) => [...line.matchAll(/^([A-Z_]+)=(.*)$/g)]);
  const here = Object.entries(files).reduce(
    (so, [file, ours]) => so.replaceAll(file, () => ours),
    command.replaceAll("\\%", "%"),
  );
  const { stdout, stderr } = await promisify(execFile)("/bin/sh", ["-c", here], {
    env: {
      HOME: tmpdir(),
      PATH: "/usr/bin:/bin",
      SHELL: "/bin/sh",
      ...Object.fromEntries(set.map(([, name, value]) => [name, value])),
    },
  });
  assert.deepEqual([stdout, stderr], ["", ""]);
}
