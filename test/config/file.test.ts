import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../appliance/config/config.ts";
import { eachFolder } from "../helpers/folder.ts";
import { problemsOf } from "./reading.ts";

describe("the configuration file", () => {
  const folder = eachFolder();

  function file(text: string): string {
    const path = join(folder(), "tallydeck.env");
    writeFileSync(path, text);
    return path;
  }

  const read = (text: string, env = {}, flags = {}) => readConfig({ flags, env, file: file(text) });

  it("is lines of KEY=VALUE, with comments and empty lines", () => {
    const { sites, port, adminToken, siteTokens } = read(
      "\uFEFF# Tallydeck\r\n\r\nSITES=blog,shop\r\n  PORT = 81 \nSTATS_TOKEN='a=b#c'\n" +
        'STATS_TOKEN_BLOG="x"\n',
    );
    assert.deepEqual(
      {
        sites: sites.map(({ id }) => id),
        port,
        adminToken,
        token: siteTokens.get("STATS_TOKEN_BLOG"),
      },
      { sites: ["blog", "shop"], port: 81, adminToken: "a=b#c", token: "x" },
    );
  });

  it("may be written as for a shell, or with the curly quotes of an editor", () => {
    const { port, adminToken } = read("export PORT=81\nSTATS_TOKEN=“a-c”");
    assert.deepEqual({ port, adminToken }, { port: 81, adminToken: "a-c" });
  });

  it("gives way to the environment, and that to a flag", () => {
    const text = "PORT=1001\nWEBUI_PORT=1002\nBIND=127.0.0.3\nSTATS_TOKEN_BLOG=of-the-file";
    const env = { WEBUI_PORT: "2002", BIND: "127.0.0.4", STATS_TOKEN_BLOG: "of-the-environment" };
    const { port, webuiPort, bind, siteTokens, retentionDays } = read(text, env, {
      BIND: "127.0.0.5",
    });
    assert.deepEqual(
      { port, webuiPort, bind, token: siteTokens.get("STATS_TOKEN_BLOG"), retentionDays },
      {
        port: 1001,
        webuiPort: 2002,
        bind: "127.0.0.5",
        token: "of-the-environment",
        retentionDays: 800,
      },
    );
  });

  it("stands where the environment or a flag is empty", () => {
    const { port } = read("PORT=1001", { PORT: "" }, { PORT: "" });
    assert.equal(port, 1001);
  });

  it("may hold signs that JavaScript takes for line ends", () => {
    for (const list of ["a,\u2028b", '"a,\u2029b"'])
      assert.deepEqual(read(`ALLOWED_HOSTS=${list}\n`).allowedHosts, ["a", "b"]);
  });

  it("that does not exist is a problem", () => {
    const [problem = ""] = problemsOf({}, join(folder(), "missing.env"));
    assert.match(problem, /missing\.env.*ENOENT/);
  });

  it("names the line of what is no KEY=VALUE and of a key nobody knows", () => {
    const problems = problemsOf({ PORT: "x" }, file("SITES=blog\nnonsense\nPROT=80\n"));
    assert.equal(problems.length, 3);
    assert.match(problems[0] ?? "", /tallydeck\.env:2 is not KEY=VALUE/);
    assert.match(problems[1] ?? "", /tallydeck\.env:3 sets PROT.*\bPORT\b/);
    assert.match(problems[2] ?? "", /^PORT must be/);
  });

  it("never has a value of its own shown, for it may be a secret", () => {
    const problems = problemsOf({}, file("STATS_TOKEN=se cret\nSTATS_TOKEN_x=secret\nsecret\n"));
    assert.ok(problems.length >= 2);
    assert.doesNotMatch(problems.join(), /cret/);
  });
});
