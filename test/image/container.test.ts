import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ComposeFile, imageCommands } from "../helpers/fleet.ts";

const ROOT = join(import.meta.dirname, "../..");
const MADE_OF = join(ROOT, "firmware-config/container");
const VARIABLES = {
  STATS_NAME: "stats.example.com",
  STATS_TOKEN: "token",
  DATABASE_PASSWORD: "counts",
  DATABASE_OWNER_PASSWORD: "owns",
};

describe("the container image", () => {
  it("runs as a user that its own list of users knows, and who owns the data", () => {
    const text = readFileSync(join(MADE_OF, "Containerfile"), "utf8");
    const [, uid, gid] = /^USER (\d+):(\d+)$/m.exec(text) ?? [];
    const users = readFileSync(join(MADE_OF, "etc/passwd"), "utf8");
    assert.notEqual(uid, "0");
    assert.match(users, new RegExp(`^tallydeck:x:${uid}:${gid}:[^:]*:/data:`, "m"));
    assert.match(text, new RegExp(`^COPY --chown=${uid}:${gid} data /data$`, "m"));
    assert.match(text, /^ENV .*\bDATA_DIR=\/data\b/m);
  });

  it("has the version of this checkout in compose.yaml, which never fetches it", () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const { services } = new ComposeFile(VARIABLES);
    for (const name of ["collect-1", "collect-2", "collect-3", "migrate"]) {
      assert.equal(services[name]?.image, `localhost/tallydeck:${version}`);
      assert.equal(services[name]?.pull_policy, "never");
    }
  });

  it("is not healthy where nobody answers", () => {
    const [program, ...args] = imageCommands().health;
    assert.equal(program, "node");
    assert.equal(spawnSync(process.execPath, args, { env: { PORT: "1" } }).status, 1);
  });

  it("says which machines it is made for", () => {
    const { status, stderr } = spawnSync(join(ROOT, "image/container"), ["--arch", "riscv64"], {
      encoding: "utf8",
    });
    assert.equal(status, 2);
    assert.match(stderr, /^--arch takes amd64 and arm64, not riscv64\.$/m);
  });
});
