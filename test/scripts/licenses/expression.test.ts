import assert from "node:assert/strict";
import { chosenOf, licensesIn, parsedExpression } from "../../../scripts/licenses/expression.ts";

describe("a license expression", () => {
  for (const [text, licenses] of [
    ["MIT", ["MIT"]],
    ["(MIT OR Apache-2.0) AND Unicode-3.0", ["MIT", "Apache-2.0", "Unicode-3.0"]],
    ["Apache-2.0 WITH LLVM-exception OR MIT", ["Apache-2.0", "MIT"]],
    ["LicenseRef-glibc-copyright AND Zlib", ["LicenseRef-glibc-copyright", "Zlib"]],
  ] as const)
    it(`is read: ${text}`, () => {
      assert.deepEqual(licensesIn(parsedExpression(text)), licenses);
    });

  for (const text of [
    "",
    "SEE LICENSE IN README.md",
    "MIT / Apache-2.0",
    "MIT or Zlib",
    "(MIT",
    "MIT)",
    "MIT AND",
    "GPL-2.0-only WITH Nobody-exception",
    "LicenseRef-a b",
    "Proprietary",
  ])
    it(`is refused: “${text}”`, () => {
      assert.throws(() => parsedExpression(text), SyntaxError);
    });

  it("binds AND stronger than OR", () => {
    assert.deepEqual(parsedExpression("MIT OR ISC AND Zlib"), {
      operator: "OR",
      operands: [
        { license: "MIT" },
        { operator: "AND", operands: [{ license: "ISC" }, { license: "Zlib" }] },
      ],
    });
  });

  it("leaves a choice, of which the preferred license is taken", () => {
    const expression = parsedExpression("(MIT OR Apache-2.0) AND Unicode-3.0");
    assert.deepEqual(chosenOf(expression, ["Apache-2.0"]), ["Apache-2.0", "Unicode-3.0"]);
    assert.deepEqual(chosenOf(expression, ["Zlib"]), ["MIT", "Unicode-3.0"]);
  });
});
