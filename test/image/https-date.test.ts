import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { needTools } from "../../scripts/tools.ts";

const SCRIPT = join(
  import.meta.dirname,
  "../../firmware-config/system/usr/lib/tallydeck/https-date",
);
const NOW = "Wed, 04 Mar 2037 12:00:00 GMT";

describe("the clock by a web server's date", () => {
  let folder = "";
  let server: Server | undefined;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "tallydeck-date-"));
    needTools("openssl");
    const openssl = (words: string) =>
      execFileSync("openssl", words.split(" "), { cwd: folder, stdio: "pipe" });
    const key = "-newkey rsa:2048 -nodes -keyout";
    const name = "-subj /CN=localhost -addext subjectAltName=DNS:localhost";
    openssl(`req -x509 ${key} ca.key -out ca.pem -days 7300 -subj /CN=Test`);
    // Valid from today to 2041, but not in 2050; and one that nobody vouches for.
    openssl(`req ${key} server.key -out server.csr ${name}`);
    openssl(
      "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -out server.pem -days 5400 -copy_extensions copy",
    );
    openssl(`req -x509 ${key} rogue.key -out rogue.pem -days 1 ${name}`);
  });
  after(() => rmSync(folder, { recursive: true }));
  afterEach(() => server?.close());

  /** The output of the script with a server of this certificate and date. */
  async function ask(date: string | undefined, certificate = "server", name = "localhost") {
    const read = (file: string) => readFileSync(join(folder, file));
    server = createServer(
      { key: read(`${certificate}.key`), cert: read(`${certificate}.pem`) },
      (_, response) => {
        response.sendDate = false;
        response.writeHead(200, { ...(date && { date }), connection: "close" }).end();
      },
    ).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const script = spawn("sh", [SCRIPT, `${name}:${port}`], {
      env: { ...process.env, DRY_RUN: "1", CA_FILE: join(folder, "ca.pem") },
    });
    let said = "";
    for (const stream of [script.stdout, script.stderr])
      stream.on("data", (bytes: Buffer) => (said += bytes.toString()));
    const [status] = await once(script, "close");
    return { status, said: said.trim() };
  }

  it("is the one the server tells, also when this machine's clock is years off", async () => {
    assert.deepEqual(await ask(NOW), { status: 0, said: String(Date.parse(NOW) / 1_000) });
  });

  it("is not taken from a server whose certificate nobody vouches for", async () => {
    const { status, said } = await ask(NOW, "rogue");
    assert.equal(status, 1);
    assert.match(said, /certificate is not good/);
  });

  it("is not taken from a server of another name", async () => {
    assert.equal((await ask(NOW, "server", "127.0.0.1")).status, 1);
  });

  it("is not a date at which the certificate is not valid", async () => {
    const { status, said } = await ask("Fri, 04 Mar 2050 12:00:00 GMT");
    assert.equal(status, 1);
    assert.match(said, /not valid/);
  });

  it("is not made up where the server tells none", async () => {
    assert.equal((await ask(undefined)).status, 1);
  });

  it("is not before the image was made", async () => {
    const { status } = await ask("Thu, 01 Jan 1970 00:00:00 GMT");
    assert.equal(status, 1);
  });
});
