import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { fragmentOf } from "../../scripts/docs.ts";

const ROOT = join(import.meta.dirname, "../..");
const FORMS = join(ROOT, ".github/ISSUE_TEMPLATE");

interface Element {
  readonly type: string;
  readonly id?: string;
  readonly attributes: {
    readonly label?: string;
    readonly value?: string;
    readonly options?: readonly (string | { readonly label: string })[];
  };
}

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

/** https://docs.github.com/en/communities/using-templates-to-encourage-useful-issues-and-pull-requests/syntax-for-githubs-form-schema */
describe("the forms for issues", () => {
  const forms = readdirSync(FORMS).filter((name) => name !== "config.yml");

  it("are there for a deck and for a board", () => {
    assert.deepEqual(forms.toSorted(), ["board.yml", "deck.yml"]);
  });

  for (const form of forms) {
    const text = readFileSync(join(FORMS, form), "utf8");
    const { name, description, body } = parse(text) as {
      name: string;
      description: string;
      body: readonly Element[];
    };

    it(`have what GitHub demands: ${form}`, () => {
      assert.ok(name !== "" && description !== "");
      const fields = body.filter(({ type }) => type !== "markdown");
      assert.ok(fields.length > 0);
      for (const { type, attributes } of body)
        if (type === "markdown") assert.ok(attributes.value);
        else assert.ok(attributes.label, type);
      for (const { type, attributes } of fields) {
        assert.ok(["checkboxes", "dropdown", "input", "textarea"].includes(type), type);
        if (type === "dropdown" || type === "checkboxes") assert.ok(attributes.options?.length);
      }
      const ids = fields.map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length);
      const labels = fields.map(({ attributes }) => attributes.label);
      assert.equal(new Set(labels).size, labels.length);
    });

    it(`lead to headings and commands that are there: ${form}`, () => {
      const links = [...text.matchAll(/\]\(\.\.\/blob\/main\/([^)#]+)(?:#([^)]+))?\)/g)];
      assert.ok(links.length > 0);
      for (const [, file = "", fragment] of links) {
        const headings = [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
          fragmentOf(title),
        );
        if (fragment !== undefined) assert.ok(headings.includes(fragment), fragment);
      }
      const commands = [...text.matchAll(/`tallydeck ([a-z-]+)`/g)].map(
        ([, command = ""]) => command,
      );
      assert.ok(commands.length > 0);
      for (const command of commands)
        assert.match(read("docs/command-line.md"), new RegExp(`^\\| \`${command}\` +\\|`, "m"));
    });
  }
});
