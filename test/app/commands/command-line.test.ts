import assert from "node:assert/strict";
import { parseCommandLine, UsageError } from "../../../appliance/app/commands/command.ts";

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
    [["--tlt"], "There is no option --tlt. Did you mean --ttl?"],
    [["--frobnicate"], "There is no option --frobnicate."],
    [["--ttl"], "--ttl needs a value."],
    [["--clear=1"], "--clear takes no value."],
    [
      ["--ttl", "--clear"],
      "--ttl needs a value. One that begins with a hyphen is written --ttl=--clear.",
    ],
  ] as const)
    it(`is not understood with ${args.join(" ")}, which is said`, () => {
      assert.throws(
        () => parseCommandLine(args, OPTIONS),
        (error) => {
          assert.ok(error instanceof UsageError);
          assert.equal(error.message, complaint);
          return true;
        },
      );
    });
});
