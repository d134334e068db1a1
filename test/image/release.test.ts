import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { unpackBundle } from "../../appliance/base/release/archive.ts";
import { type Manifest, readManifest } from "../../appliance/base/release/manifest.ts";
import { type PublicKey, parseKey } from "../../appliance/base/release/minisign.ts";
import { needTools } from "../../scripts/tools.ts";
import { madeBuilt } from "../helpers/built.ts";

const ROOT = join(import.meta.dirname, "../..");
const DOCUMENT = readFileSync(join(ROOT, "docs/release.md"), "utf8");
const HOST = "https://github.com/OWNER/tallydeck/releases/latest/download";

/** A maintainer's computer: a checkout, a home, and stand-ins for what is not made here. */
class Maintainer {
  readonly folder = mkdtempSync(join(tmpdir(), "tallydeck-maintainer-"));
  readonly checkout = join(this.folder, "checkout");
  /** The newest release of the host. */
  readonly published = join(this.folder, "published");
  readonly #programs = join(this.folder, "bin");

  constructor() {
    const parts = [
      "appliance",
      "image",
      "scripts",
      "package.json",
      "package-lock.json",
      "CHANGELOG.md",
    ];
    for (const part of parts)
      cpSync(join(ROOT, part), join(this.checkout, part), {
        recursive: true,
        filter: (path) => path !== join(ROOT, "image/out"),
      });
    this.#linkModules();
    this.#standIns();
    mkdirSync(this.published);
    writeFileSync(join(this.checkout, ".gitignore"), "node_modules/\nimage/out/\n");
    this.run("git init -q --bare ../remote && git init -q && git remote add origin ../remote");
    this.run("git add . && git commit -qm Checkout");
  }

  /** Runs what somebody types; `stdin` is what he answers. @returns what is said, or else throws it */
  run(commands: string): string {
    const { status, stdout, stderr } = this.try(commands);
    if (status !== 0) throw new Error(`${commands}\n${stdout}\n${stderr}`);
    return stdout;
  }

  try(commands: string) {
    return spawnSync("bash", ["-euo", "pipefail", "-c", commands], {
      cwd: this.checkout,
      encoding: "utf8",
      env: {
        ...process.env,
        HOME: this.folder,
        BUILT: join(this.folder, "built"),
        PUBLISHED: this.published,
        MODULES: join(ROOT, "node_modules"),
        IMAGE_URL: "https://example.org/tallydeck-0.2.0-arm64.img.xz",
        PATH: `${this.#programs}${delimiter}${process.env.PATH}`,
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_AUTHOR_NAME: "Maintainer",
        GIT_AUTHOR_EMAIL: "maintainer@example.org",
        GIT_COMMITTER_NAME: "Maintainer",
        GIT_COMMITTER_EMAIL: "maintainer@example.org",
      },
    });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  /** The modules of this checkout, which are not to be installed anew because a version was raised. */
  #linkModules(): void {
    const modules = join(this.checkout, "node_modules");
    mkdirSync(modules);
    for (const name of readdirSync(join(ROOT, "node_modules")).filter(
      (name) => name !== ".installed",
    ))
      symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
    writeFileSync(join(modules, ".installed"), "");
    utimesSync(join(modules, ".installed"), 4e9, 4e9);
  }

  #standIns(): void {
    mkdirSync(this.#programs);
    const program = (path: string, text: string) => {
      writeFileSync(path, `#!/usr/bin/env bash\nset -euo pipefail\n${text}`);
      chmodSync(path, 0o755);
    };
    program(join(this.#programs, "sudo"), 'exec "$@"\n');
    // A password costs a gigabyte of memory and seconds.
    needTools("minisign");
    const minisign = execFileSync("which", ["minisign"], { encoding: "utf8" }).trim();
    program(
      join(this.#programs, "minisign"),
      `[ "$1" != -G ] || set -- -G -W "\${@:2}"\nexec ${minisign} "$@"\n`,
    );
    program(
      join(this.#programs, "gh"),
      'for file in "$@"; do [[ $file != image/out/* ]] || cp "$file" "$PUBLISHED/"; done\n',
    );
    program(join(this.checkout, "image/build"), BUILD);
    program(join(this.checkout, "image/package"), PACKAGE);
    program(join(this.checkout, "image/container"), 'echo "$1" >"$2/tallydeck.container.tar.xz"\n');
    program(
      join(this.checkout, "image/sources"),
      'for folder; do :; done; echo "sources of $1" >"$folder/sources.txt"\n',
    );
  }
}

/** The last steps of the real one, over a root and boot files that are made up. */
const BUILD = `
here=$(dirname "$(readlink -f "$0")")
# A new checkout has the modules of the first.
[ -e "$here/../node_modules" ] || { mkdir "$here/../node_modules"; ln -s "$MODULES"/* "$MODULES"/.bin "$here/../node_modules/"; }
touch -d 2040-01-01 "$here/../node_modules/.installed"
. "$here/../scripts/install"
. "$here/steps/common"
. "$here/steps/bundle"
[ "\${1:-}" = --out ] || set -- --out "$here/out"
work=$BUILT boot=$BUILT/boot rootfs=$BUILT/root out=$2
SOURCE_DATE_EPOCH=$(git -C "$repo" log -1 --format=%ct)
export SOURCE_DATE_EPOCH
cd "$here/.."
node -p '"RELEASE=" + JSON.parse(fs.readFileSync("image/release.json")).release + "\\nVERSION=" +
  JSON.parse(fs.readFileSync("package.json")).version' >"$boot/a/release"
rm -rf "$rootfs" && mkdir -p "$rootfs" "$out"
add_keys
write_bundle
version=$(node -p 'JSON.parse(fs.readFileSync("package.json")).version')
printf '{"os_list":[{"url":"%s"}]}' "\${IMAGE_URL:-}" >"$out/tallydeck-$version-arm64.os-list.json"
echo raw >"$out/tallydeck-$version-arm64.img"
echo parts >"$out/tallydeck-$version-arm64.spdx.json"
`;

/** A package that says of which commit and which Debian it is. */
const PACKAGE = `
here=$(dirname "$(readlink -f "$0")")
git -C "$here" log -1 --format="%H $DEBIAN_SNAPSHOT" >"$2/tallydeck_made-up_amd64.deb"
`;

/** The commands of a section of the document. */
function commandsOf(heading: string): string[] {
  const [, section = ""] = DOCUMENT.split(`\n## ${heading}\n`);
  const own = section.split("\n## ")[0] ?? "";
  const blocks = [...own.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  assert.notEqual(blocks.length, 0, heading);
  return blocks;
}

describe("A maintainer who follows docs/release.md", () => {
  let maintainer: Maintainer;
  const file = (path: string) => readFileSync(join(maintainer.checkout, path), "utf8");
  /** The keys that the image has that was built last. */
  const imageKeys = (): PublicKey[] => {
    const folder = join(maintainer.folder, "built/root/usr/share/tallydeck/keys");
    return readdirSync(folder).map((name) => {
      const key = parseKey(readFileSync(join(folder, name), "utf8"));
      assert.ok(key);
      return key;
    });
  };
  /** Takes a `.tallydeck` with these keys, as a box does. */
  const take = async (path: string, keys: readonly PublicKey[]): Promise<Manifest> => {
    const folder = mkdtempSync(join(maintainer.folder, "box-"));
    return unpackBundle(createReadStream(path), folder, (manifest, signature) =>
      readManifest(manifest, signature, keys),
    );
  };
  const follow = (heading: string) => {
    let said = "";
    for (const block of commandsOf(heading))
      said += maintainer.run(block.replaceAll(HOST, `file://${maintainer.published}`));
    return said;
  };

  before(() => {
    maintainer = new Maintainer();
    madeBuilt(join(maintainer.folder, "built"));
  });
  after(() => maintainer.remove());

  it("is told that an image without keys takes no release, and cannot sign one", () => {
    const { stderr } = maintainer.try("./image/build");
    assert.match(stderr, /No key is in image\/keys/);
    const { status, stderr: said } = maintainer.try("./image/sign --key package.json");
    assert.notEqual(status, 0);
    assert.match(said, /no public key is in image\/keys/);
  });

  it("makes keys", () => {
    follow("Once: make the keys");
    assert.ok(existsSync(join(maintainer.folder, "tallydeck-keys/2.key")));
    assert.equal(maintainer.run("git ls-files image/keys | wc -l").trim(), "3");
  });

  it("publishes a release that boxes take, and minisign too", async () => {
    const said = follow("Each time");
    assert.match(said, /Trusted comment: product tallydeck, version 0\.2\.0, release 2/);
    const { files, commit, debian } = JSON.parse(file("image/out/release/manifest.json"));
    assert.equal(commit, maintainer.run("git rev-parse v0.2.0").trim());
    assert.equal(debian, "20261127T000000Z");
    for (const name of ["boot.tar.zst", "root.img"])
      assert.ok(said.includes(`${files[name].sha256}  ${name}`), said);
    const path = join(maintainer.published, "tallydeck-0.2.0.tallydeck");
    const keys = imageKeys();
    assert.equal(keys.length, 2);
    const taken = await take(path, keys);
    assert.deepEqual([taken.release, taken.notes], [2, "Counts twice as fast."]);
    assert.equal(maintainer.run("git ls-remote --tags origin v0.2.0 | wc -l").trim(), "1");
  });

  it("has with it what the build makes, hashes of all of it, and notes of this version", () => {
    const names = readdirSync(maintainer.published);
    const made = ["tallydeck_made-up_amd64.deb", "tallydeck.container.tar.xz"];
    for (const name of ["SHA256SUMS.minisig", "sources.txt", ...made])
      assert.ok(names.includes(name), names.join(" "));
    assert.ok(!names.some((name) => name.endsWith(".img") && name !== "root.img"));
    const summed = file("image/out/release/SHA256SUMS").trim().split("\n");
    assert.deepEqual(
      summed.map((line) => line.slice(66)).sort(),
      names.filter((name) => !name.startsWith("SHA256SUMS")).sort(),
    );
    const top = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8").split("\n## ")[1] ?? "";
    assert.equal(
      file("image/out/release/NOTES.md").trim(),
      top.split("\n").slice(1).join("\n").trim(),
    );
  });

  describe("and a stranger who checks it", () => {
    const checked = (spoil = ":") => {
      const copy = join(maintainer.folder, "downloaded");
      rmSync(copy, { recursive: true, force: true });
      return maintainer.try(
        `cp -R "$PUBLISHED" ${copy} && (cd ${copy} && ${spoil}) && ./image/release --check ${copy}`,
      );
    };

    it("is told that all files are what the commit makes", () => {
      const { status, stderr } = checked();
      assert.equal(status, 0, stderr);
      assert.match(stderr, /manifest\.json is signed with 1\.pub/);
      for (const name of [
        "manifest.json",
        "root.img",
        "boot.tar.zst",
        "tallydeck_made-up_amd64.deb",
      ])
        assert.match(stderr, new RegExp(`the same bytes   ${name}`));
      assert.equal(maintainer.run("git worktree list | wc -l").trim(), "1");
    });

    it("is told which files were not downloaded", () => {
      const { status, stderr } = checked("rm tallydeck_made-up_amd64.deb");
      assert.equal(status, 0, stderr);
      assert.match(stderr, /not downloaded {3}tallydeck_made-up_amd64\.deb/);
    });

    for (const [what, spoil, said] of [
      ["a file that was changed", "printf x >>root.img", /is not what SHA256SUMS says/],
      ["half a download", "truncate -s 10 boot.tar.zst", /the download broke off/],
      ["a list that was changed", "printf x >>SHA256SUMS", /SHA256SUMS is signed with none/],
      ["a manifest without signature", "rm manifest.json.minisig", /has no signature/],
      ["nothing", "rm *", /has no manifest\.json/],
    ] as const)
      it(`is told of ${what}`, () => {
        const { status, stderr } = checked(spoil);
        assert.equal(status, 1, stderr);
        assert.match(stderr, said);
      });

    it("is told of a file that the commit does not make, though it was signed", () => {
      const { status, stderr } = checked(
        `printf x >>tallydeck_made-up_amd64.deb && sha256sum $(cut -c67- SHA256SUMS) >s && mv s SHA256SUMS &&
        minisign -S -s ~/tallydeck-keys/1.key -m SHA256SUMS >&2`,
      );
      assert.equal(status, 1, stderr);
      assert.match(stderr, /DIFFERENT {8}tallydeck_made-up_amd64\.deb/);
      assert.match(stderr, /Do not install them/);
    });
  });

  describe("makes no release", () => {
    for (const [what, [spoil, said]] of Object.entries({
      "of changes that are in no commit": [
        "echo >>package.json",
        /has changes that are in no commit/,
      ],
      "of a commit without its tag": ["git tag -d v0.2.0", /there is no tag v0\.2\.0/],
      "of a version that is another commit": [
        "git commit -q --allow-empty -m More",
        /v0\.2\.0 is another commit than this one/,
      ],
      "of a version that others have as another commit": [
        "git commit -q --allow-empty -m More && git tag -f v0.2.0",
        /v0\.2\.0 is published with another commit/,
      ],
      "that names no moment of Debian's packages": [
        `sed -i 's/"debian": "[^"]*", //' image/release.json && git commit -qam More && git tag -f v0.2.0 && git push -qf origin v0.2.0`,
        /names no moment/,
      ],
      "without its section in the changelog": [
        `sed -i 's/^## 0.2.0$/## Unreleased/' CHANGELOG.md && git commit -qam More && git tag -f v0.2.0 && git push -qf origin v0.2.0`,
        /has no section 0\.2\.0/,
      ],
      "over another one": [":", /has files already/],
    } as const))
      it(what, () => {
        const before = maintainer.run("git rev-parse HEAD").trim();
        try {
          const { status, stderr } = maintainer.try(`(${spoil}) >&2 && ./image/release`);
          assert.equal(status, 1, stderr);
          assert.match(stderr, said);
        } finally {
          maintainer.run(
            `git reset -q --hard ${before} && git tag -f v0.2.0 ${before} && git push -qf origin v0.2.0`,
          );
        }
      });
  });

  describe("signs nothing of", () => {
    const OURS = "--key ~/tallydeck-keys/1.key";
    for (const [what, [spoil, sign, said]] of Object.entries({
      "a number that is out": [
        'sed -i \'s/"version": "0.2.0"/"version": "0.2.1"/\' image/out/manifest.json',
        OURS,
        /Raise "release"/,
      ],
      "a root that was changed": [
        "printf x >>image/out/root.img",
        `${OURS} --above 1`,
        /root\.img is not what manifest\.json says/,
      ],
      "boot files that were changed": [
        "printf x >>image/out/boot.tar.zst",
        `${OURS} --above 1`,
        /boot\.tar\.zst is not what manifest\.json says/,
      ],
      "a manifest of another number": [
        'sed -i \'s/"release": 2/"release": 3/\' image/out/manifest.json',
        OURS,
        /is of another release/,
      ],
      "a release that none before may become": [
        'sed -i \'s/"from": 1/"from": 2/\' image/out/manifest.json',
        `${OURS} --above 1`,
        /no box could take it/,
      ],
      "somebody else's key": [
        "minisign -G -f -p ~/other.pub -s ~/other.key",
        "--key ~/other.key --above 1",
        /none of the keys in image\/keys/,
      ],
      "no key": [":", "--key ~/none.key", /there is no secret key at/],
    } as const))
      it(what, () => {
        maintainer.run(`./image/build && ${spoil}`);
        const result = maintainer.try(`./image/sign ${sign}`);
        assert.equal(result.status, 1, result.stderr);
        assert.match(result.stderr, said);
        const made = readdirSync(join(maintainer.checkout, "image/out"));
        const ours = made.filter((name) => !name.startsWith("tallydeck-0.") && name !== "release");
        assert.deepEqual(ours.sort(), ["boot.tar.zst", "manifest.json", "root.img"]);
      });
  });

  describe("later", () => {
    it("changes the keys, and boxes with the old ones come along", async () => {
      const old = imageKeys();
      maintainer.run(
        "sed -i '0,/^## /s//## Unreleased\\n\\n- More.\\n\\n## /' CHANGELOG.md && git commit -qam More",
      );
      follow("Change the keys");
      const path = join(maintainer.checkout, "image/out/release/tallydeck-0.3.0.tallydeck");
      assert.equal((await take(path, old)).release, 3);
      const now = imageKeys();
      const before = join(maintainer.published, "tallydeck-0.2.0.tallydeck");
      await assert.rejects(take(before, now), { message: /signed with the key .* takes only/ });
      assert.equal(now.filter(({ id }) => old.some((key) => key.id === id)).length, 1);
    });

    it("has no image built with three keys", () => {
      maintainer.run("cp ~/other.pub image/keys/4.pub && git add image/keys");
      const { status, stderr } = maintainer.try("./image/build");
      assert.equal(status, 1);
      assert.match(stderr, /has 3 keys/);
    });
  });
});
