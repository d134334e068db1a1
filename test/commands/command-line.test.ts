import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { parseCommandLine, UsageError } from "../../appliance/commands/command.ts";

const OPTIONS = { ttl: { type: "string" }, clear: { type: "boolean" } } as const;

describe("a command line", () => {
  it("may hold words that begin with one hyphen", () => {
    assert.deepEqual(parseCommandLine(["door", "-5°", "--ttl", "-1"], OPTIONS).positionals, [
      "door",
      "-5°",
    ]);
  });

  it("means what follows two hyphens as it is", () => {
    assert.deepEqual(parseCommandLine(["--clear", "--", "--ttl"], OPTIONS).positionals, ["--ttl"]);
  });

  for (const [args, complaint] of [
    [["--prot"], "Unknown option '--prot'."],
    [["--ttl"], "Option '--ttl <value>' argument missing."],
    [["--clear=1"], "Option '--clear' does not take an argument."],
    [["--ttl", "--clear"], /^Option '--ttl' argument is ambiguous\.\n.*'--ttl=-XYZ'\.$/s],
  ] as const)
    it(`is not understood with ${args.join(" ")}, which is said`, () => {
      assert.throws(
        () => parseCommandLine(args, OPTIONS),
        (error) => {
          assert.ok(error instanceof UsageError);
          if (typeof complaint === "string") assert.equal(error.message, complaint);
          else assert.match(error.message, complaint);
          return true;
        },
      );
    });
});
