import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { CONTROL_PORT } from "../../appliance/base/ports.ts";
import { FLAGS } from "../../appliance/config/config.ts";
import { fragmentOf } from "../../scripts/docs.ts";
import { FILES } from "../../scripts/shots/pictures.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGES = ["", "docs", "scripts/examples"].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(ROOT, folder, name)),
);
/** Paths of the collector. On the image addresses need no port for it. */
const COLLECTOR_PATHS = /^\/(?:[eas]|s\.js|stats|surveys|overview|sites|badge|dashboard|help)\b/;
const read = (file: string) => readFileSync(file, "utf8");
const withoutBlocks = (text: string) => text.replace(/^```.*?^```$/gms, "");

/** The fragments of a page's headings. */
function fragmentsOf(file: string): string[] {
  return [...withoutBlocks(read(file)).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    fragmentOf(heading),
  );
}

/** Every match in every page, as "page: what". */
function findings(pattern: RegExp, isWrong: (found: string, page: string) => boolean): string[] {
  return PAGES.flatMap((page) =>
    [...withoutBlocks(read(page)).matchAll(pattern)]
      .map(([, found = ""]) => found)
      .filter((found) => isWrong(found, page))
      .map((found) => `${relative(ROOT, page)}: ${found}`),
  );
}

describe("the documentation", () => {
  it("links to files and headings that are there", () => {
    const isBroken = (target: string, page: string) => {
      const [path = "", fragment] = target.split("#", 2);
      const file = path === "" ? page : join(dirname(page), path);
      return !existsSync(file) || (fragment !== undefined && !fragmentsOf(file).includes(fragment));
    };
    assert.deepEqual(findings(/\]\((?!\w+:)([^)\s]+)\)/g, isBroken), []);
  });

  it("has the pages and parts that question marks in pages lead to", () => {
    const sources = readdirSync(join(ROOT, "web"), { recursive: true, encoding: "utf8" });
    const missing = sources
      .filter((name) => name.endsWith(".tsx"))
      .flatMap((name) =>
        [...read(join(ROOT, "web", name)).matchAll(/\b(?:of|help)="([\w#-]+)"/g)].map(
          ([, to = ""]) => to,
        ),
      )
      .filter((to) => {
        const [name, fragment] = to.split("#", 2);
        const file = join(ROOT, "docs", `${name}.md`);
        return (
          !existsSync(file) || (fragment !== undefined && !fragmentsOf(file).includes(fragment))
        );
      });
    assert.deepEqual(missing, []);
  });

  it("shows the pictures that scripts/pictures makes, and nothing else stands in their folder", () => {
    const shown = PAGES.flatMap((page) =>
      [...read(page).matchAll(/web\/pictures\/([^)\s]+)\)/g)].map(([, name]) => name),
    );
    assert.deepEqual([...new Set(shown)].sort(), FILES.toSorted());
    assert.deepEqual(readdirSync(join(ROOT, "web/pictures")).sort(), FILES.toSorted());
  });

  it("begins with a page of at most 220 lines, whose first lines to type are the two commands", () => {
    const page = read(join(ROOT, "README.md"));
    assert.ok(page.split("\n").length <= 221, `${page.split("\n").length - 1} lines`);
    const [, first = ""] = /^```sh\n(.*?)^```$/ms.exec(page) ?? [];
    const found = first.split("\n").map((line) => line.split(" #")[0]?.trim());
    assert.deepEqual(found, ["./scripts/start --demo", "./scripts/test", ""]);
  });

  it("lists every example, and whether it was run", () => {
    const page = read(join(ROOT, "scripts/examples/README.md"));
    const rows = page.split("\n").filter((line) => line.startsWith("| `"));
    for (const name of readdirSync(join(ROOT, "scripts/examples")))
      assert.ok(name === "README.md" || rows.some((row) => row.includes(`\`${name}\``)), name);
  });

  it("names the Node-RED that the tests run", () => {
    const { dependencies } = JSON.parse(read(join(ROOT, "test/fixtures/node-red/package.json")));
    for (const page of ["docs/home-automation.md", "scripts/examples/README.md"])
      assert.ok(read(join(ROOT, page)).includes(dependencies["node-red"]), page);
  });

  it("shows of files to paste only what stands in an example", () => {
    const examples = readdirSync(join(ROOT, "scripts/examples")).map((name) =>
      read(join(ROOT, "scripts/examples", name)),
    );
    // Commands and answers are run where they stand; tags and others' files are not about keys.
    const shown = PAGES.flatMap((page) =>
      [...read(page).matchAll(/^```(?!(?:sh|json|html|text|markdown)$)(\S+)\n(.*?)^```$/gms)].map(
        ([, language, block = ""]) => ({ language, block }),
      ),
    );
    const own = shown.filter(({ block }) => !examples.some((example) => example.includes(block)));
    assert.ok(shown.length > 0);
    assert.deepEqual(own, []);
  });

  it("names the port of the listener that answers, wherever it names the box", () => {
    const files = [
      ...PAGES,
      ...["scripts/examples", "firmware-config/boot"].flatMap((folder) =>
        readdirSync(join(ROOT, folder), { withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map(({ name }) => join(ROOT, folder, name)),
      ),
    ];
    const found = [...new Set(files)].flatMap((file) =>
      [...read(file).matchAll(/http:\/\/tallydeck\.local(:\d+)?([\w/-]*)/g)].map(
        ([address, port = "", path = ""]) => ({ file, address, port, path }),
      ),
    );
    const ofControl = found.filter(({ path }) => /^\/(?:api|ping|hooks)\//.test(path));
    const ofCollector = found.filter(({ path }) => COLLECTOR_PATHS.test(path));
    assert.ok(ofControl.length > 5 && ofCollector.length > 5);
    for (const { file, address, port } of ofControl)
      assert.equal(port, `:${CONTROL_PORT}`, `${file}: ${address}`);
    for (const { file, address, port } of ofCollector)
      assert.equal(port, "", `${file}: ${address}`);
    // Links without a path are for the Web UI, except where the text is about the collector's.
    const bare = found.filter(({ path, port }) => path === "" && port === "");
    const seen = bare.map(({ file }) => relative(ROOT, file));
    assert.deepEqual(seen, ["docs/collector-api.md"]);
  });

  it("names files that are there", () => {
    const folders = "appliance|docs|firmware-config|image|scripts|test|web";
    const named = new RegExp(`\`(?:\\./)?((?:${folders})/[\\w./-]+)`, "g");
    const made = ["image/out"];
    const isMissing = (file: string) =>
      !made.includes(file) &&
      !["", ".ts", ".tsx"].some((ending) => existsSync(join(ROOT, file + ending)));
    assert.deepEqual(findings(named, isMissing), []);
  });

  it("names commands that there are", () => {
    const text = PAGES.map(read).join("\n");
    const named = new Set(
      [...text.matchAll(/(?:\.\/scripts\/|`|^|\| )tallydeck ([a-z-]+)/gm)].map(
        ([, name = ""]) => name,
      ),
    );
    const commands = [
      ...readdirSync(join(ROOT, "appliance/app/commands"), {
        recursive: true,
        encoding: "utf8",
      }).map((name) => basename(name, ".ts")),
      "help",
      "version",
    ];
    const left = [...named].filter((name) => !commands.includes(name));
    assert.deepEqual(left, []);
    assert.ok(named.size > 5);
  });

  it("has every flag of a service beside its setting", () => {
    const page = read(join(ROOT, "docs/configuration.md"));
    for (const [flag, key] of FLAGS)
      assert.match(page, new RegExp(`^\\| \`${key}\` +\\| \`--${flag}\` `, "m"));
  });
});
