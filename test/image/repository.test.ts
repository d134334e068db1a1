import assert from "node:assert/strict";
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { needTools } from "../../scripts/tools.ts";
import { eachFolder } from "../helpers/folder.ts";

const SCRIPT = join(import.meta.dirname, "../../image/repository");
const INDEX = "dists/stable/main/binary-amd64/Packages";

describe("an apt repository", () => {
  const folder = eachFolder();
  const at = (...names: string[]) => join(folder(), ...names);
  let server: Server | undefined;
  let url = "";

  before(() => needTools("apt-utils", "gnupg"));
  beforeEach(async () => {
    server = createServer((request, response) => {
      const file = at("apt", decodeURIComponent(request.url ?? ""));
      response.statusCode = existsSync(file) ? 200 : 404;
      response.end(existsSync(file) ? readFileSync(file) : undefined);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
    makeKey("key.asc");
    mkdirSync(at("packages"));
  });
  afterEach(() => server?.close());

  function makeKey(name: string): void {
    const home = at(`home-${name}`);
    mkdirSync(home, { mode: 0o700 });
    const gpg = (...args: string[]) =>
      execFileSync("gpg", ["--homedir", home, "--batch", "--quiet", "--passphrase", "", ...args], {
        stdio: ["ignore", "pipe", "ignore"],
      });
    gpg("--quick-generate-key", "Tallydeck packages", "ed25519", "sign", "never");
    writeFileSync(at(name), gpg("--armor", "--export-secret-keys"));
    execFileSync("gpgconf", ["--homedir", home, "--kill", "gpg-agent"]);
  }

  /** Makes a package with nothing in it but its version. */
  function makePackage(version: string, { name = "tallydeck", content = version } = {}): string {
    const tree = at("tree");
    mkdirSync(join(tree, "DEBIAN"), { recursive: true });
    mkdirSync(join(tree, "usr/share/tallydeck"), { recursive: true });
    writeFileSync(join(tree, "usr/share/tallydeck/version"), content);
    writeFileSync(
      join(tree, "DEBIAN/control"),
      `Package: ${name}\nVersion: ${version}\nArchitecture: amd64\nMaintainer: A <a@b.invalid>\nDescription: made up\n`,
    );
    const file = at("packages", `${name}-${version}.deb`);
    execFileSync("dpkg-deb", ["--root-owner-group", "-b", tree, file], { stdio: "ignore" });
    rmSync(tree, { recursive: true });
    return file;
  }

  function make(...more: string[]) {
    return spawnSync(
      SCRIPT,
      [
        ...["--key", at("key.asc"), "--url", url],
        ...["--packages", at("packages"), "--out", at("apt"), ...more],
      ],
      { encoding: "utf8" },
    );
  }

  function published(...versions: string[]): void {
    for (const version of versions) makePackage(version);
    const { status, stderr } = make();
    assert.equal(status, 0, stderr);
  }

  /** Runs apt as a machine that has the repository's two files, and no package. */
  async function apt(...args: string[]): Promise<{ code: number; said: string }> {
    const machine = at("machine");
    for (const name of [
      "state/lists/partial",
      "cache/archives/partial",
      "sources",
      "prefs",
      "conf",
    ])
      mkdirSync(join(machine, name), { recursive: true });
    writeFileSync(join(machine, "status"), "");
    if (!existsSync(join(machine, "sources/tallydeck.sources"))) {
      cpSync(at("apt/tallydeck.sources"), join(machine, "sources/tallydeck.sources"));
      cpSync(at("apt/tallydeck.pref"), join(machine, "prefs/tallydeck.pref"));
    }
    const config = join(machine, "apt.conf");
    writeFileSync(
      config,
      `Dir::State "${machine}/state/"; Dir::State::status "${machine}/status"; Dir::Cache "${machine}/cache/";
      Dir::Etc::SourceList "/dev/null"; Dir::Etc::SourceParts "${machine}/sources/"; Dir::Etc::Main "/dev/null";
      Dir::Etc::Parts "${machine}/conf/"; Dir::Etc::PreferencesParts "${machine}/prefs/";
      APT::Architecture "amd64"; APT::Architectures "amd64"; APT::Sandbox::User "root"; Acquire::Languages "none";
      Acquire::Retries "0";`,
    );
    try {
      const { stdout, stderr } = await promisify(execFile)("apt-get", args, {
        cwd: machine,
        env: { PATH: process.env.PATH, APT_CONFIG: config, LC_ALL: "C" },
      });
      return { code: 0, said: stdout + stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, said: stdout + stderr };
    }
  }

  const versions = () =>
    readdirSync(at("apt/pool"))
      .map((name) => name.split("_")[1])
      .sort();

  it("is taken by apt with its key inside, and gives the newest version", async () => {
    published("0.1.0", "0.2.0", "0.2.0~rc1");
    assert.deepEqual(await apt("update", "--error-on=any").then(({ code }) => code), 0);
    const { code, said } = await apt("download", "tallydeck");
    assert.equal(code, 0, said);
    assert.ok(existsSync(at("machine/tallydeck_0.2.0_amd64.deb")));
  });

  it("keeps the last three versions, as Debian orders them", () => {
    published("0.9.0", "0.10.0", "0.10.0~rc1", "0.2.0");
    assert.deepEqual(versions(), ["0.10.0", "0.10.0~rc1", "0.9.0"]);
  });

  it("is read whole by who has an older InRelease than its indexes", async () => {
    published("0.1.0");
    const older = readFileSync(at("apt/dists/stable/InRelease"));
    published("0.2.0");
    writeFileSync(at("apt/dists/stable/InRelease"), older);
    const { code, said } = await apt("update", "--error-on=any");
    assert.equal(code, 0, said);
    assert.equal((await apt("download", "tallydeck=0.1.0")).code, 0);
  });

  it("replaces no package of Debian's", async () => {
    published("0.1.0");
    await apt("update");
    const { stdout } = await promisify(execFile)("apt-cache", ["policy", "tallydeck"], {
      env: { PATH: process.env.PATH, APT_CONFIG: at("machine/apt.conf"), LC_ALL: "C" },
    });
    assert.match(stdout, / 100 http/);
  });

  describe("that somebody changed", () => {
    beforeEach(() => published("0.1.0"));

    it("is refused for a changed InRelease", async () => {
      const file = at("apt/dists/stable/InRelease");
      writeFileSync(
        file,
        readFileSync(file, "utf8").replace("Label: Tallydeck", "Label: Tellydeck"),
      );
      const { code, said } = await apt("update", "--error-on=any");
      assert.notEqual(code, 0);
      assert.match(said, /BADSIG|Bad|invalid/i);
    });

    it("is refused for a changed index", async () => {
      rmSync(at("apt", INDEX, "../by-hash"), { recursive: true });
      for (const name of ["", ".gz", ".xz"]) appendFileSync(at("apt", `${INDEX}${name}`), "\n");
      const { code, said } = await apt("update", "--error-on=any");
      assert.notEqual(code, 0);
      assert.match(said, /Hash Sum mismatch|unexpected size/);
    });

    it("is refused for a changed package", async () => {
      await apt("update");
      appendFileSync(at("apt/pool/tallydeck_0.1.0_amd64.deb"), "x");
      const { code, said } = await apt("download", "tallydeck");
      assert.notEqual(code, 0);
      assert.match(said, /Hash Sum mismatch|unexpected size/);
    });

    it("is refused for the key of somebody else", async () => {
      await apt("update");
      makeKey("other.asc");
      assert.equal(make("--key", at("other.asc")).status, 0);
      const { code, said } = await apt("update", "--error-on=any");
      assert.notEqual(code, 0);
      assert.match(said, /NO_PUBKEY|not signed|Missing key/i);
    });
  });

  describe("is not made", () => {
    const refused = (words: RegExp, ...more: string[]) => {
      const { status, stderr } = make(...more);
      assert.equal(status, 1, stderr);
      assert.match(stderr, words);
    };

    it("of half a package, and stays what it was", () => {
      published("0.1.0");
      const before = readFileSync(at("apt/dists/stable/InRelease"), "utf8");
      makePackage("0.2.0");
      const half = makePackage("0.3.0", { content: "x".repeat(100_000) });
      writeFileSync(half, readFileSync(half).subarray(0, -100));
      refused(/is no whole package: build or download it again/);
      assert.deepEqual(versions(), ["0.1.0"]);
      assert.equal(readFileSync(at("apt/dists/stable/InRelease"), "utf8"), before);
    });

    it("of another program's package", () => {
      makePackage("0.1.0", { name: "bash" });
      refused(/is not a package of Tallydeck/);
    });

    it("of a version that is out with other bytes", () => {
      published("0.1.0");
      makePackage("0.1.0", { content: "changed" });
      refused(/with other bytes. Raise the version/);
    });

    it("of nothing", () => refused(/there is no .deb/));

    it("without a key that can sign", () => {
      makePackage("0.1.0");
      writeFileSync(at("public.asc"), "no key");
      refused(/is no OpenPGP key/, "--key", at("public.asc"));
      refused(/there is no secret key/, "--key", at("missing.asc"));
    });

    it("for an address that anybody on the way could change", () => {
      refused(/begins with https:/, "--url", "http://example.org/apt");
    });
  });
});
