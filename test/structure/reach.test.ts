import assert from "node:assert/strict";
import { testsReachedBy } from "./reach.ts";

/** A small project: file → the files that it imports. */
const PROJECT: Readonly<Record<string, readonly string[]>> = {
  "appliance/app/service/service.ts": ["../../links/mqtt/link.ts", "../../links/mail/client.ts"],
  "appliance/links/mqtt/link.ts": ["./topic.ts"],
  "appliance/links/mqtt/topic.ts": ["../../base/names.ts"],
  "appliance/links/mail/client.ts": [],
  "appliance/links/mail/parts/letter.ts": [],
  "appliance/base/names.ts": [],
  "scripts/build.ts": [],
  "web/control/main.tsx": ["./deck/bar.tsx", "./push/list.tsx", "../shared/word.ts"],
  "web/control/deck/bar.tsx": ["../../shared/line.ts"],
  "web/control/push/list.tsx": [],
  "web/dashboard/overview/card.tsx": ["../../shared/line.ts"],
  "web/shared/line.ts": ["./word.ts"],
  "web/shared/word.ts": [],
  "test/helpers/world.ts": ["../../appliance/app/service/service.ts"],
  "test/links/mqtt/link.test.ts": ["../../helpers/world.ts"],
  "test/links/mail/mail.test.ts": ["../../helpers/world.ts"],
  "test/deck/push/held.test.ts": ["../../../appliance/links/mqtt/topic.ts"],
  "test/app/service/service.test.ts": ["../../helpers/world.ts"],
  "test/browser/control-deck.test.ts": ["../helpers/world.ts"],
  "test/browser/control-start.test.ts": ["../helpers/world.ts"],
  "test/browser/overview.test.ts": ["../helpers/world.ts"],
  "test/scripts/build.test.ts": [],
  "test/image/system.test.ts": [],
  "test/docs/links.test.ts": [],
  "test/structure.test.ts": [],
};

/** The sources, and `more` of them: path → text. */
function files(more: Readonly<Record<string, string>> = {}): Map<string, string> {
  const texts = Object.entries(PROJECT).map(([file, imports]): [string, string] => [
    file,
    imports.map((path, at) => `import { name${at} } from "${path}";\n`).join(""),
  ]);
  return new Map([...texts, ...Object.entries(more)]);
}

/** The tests that a change reaches, but for the one that each does. */
function reached(changed: string, more?: Readonly<Record<string, string>>): string[] {
  const tests = testsReachedBy([changed], files(more));
  assert.ok(tests.includes("test/structure.test.ts"));
  return tests.filter((test) => test !== "test/structure.test.ts");
}

describe("a change reaches", () => {
  it("the tests of its room, and those elsewhere that import it", () => {
    assert.deepEqual(reached("appliance/links/mqtt/topic.ts"), [
      "test/deck/push/held.test.ts",
      "test/links/mqtt/link.test.ts",
    ]);
  });

  it("tests by way of other rooms", () => {
    assert.deepEqual(reached("appliance/base/names.ts"), ["test/deck/push/held.test.ts"]);
  });

  it("by the store's door the tests of the store, not those of all that use it", () => {
    const more = {
      "appliance/store/store.ts": 'import { fold } from "./blocks/fold.ts";',
      "appliance/traffic/digest.ts": 'import { store } from "../store/store.ts";',
      "test/store/clock.test.ts": 'import { store } from "../../appliance/store/store.ts";',
      "test/traffic/digest.test.ts": 'import { digest } from "../../appliance/traffic/digest.ts";',
    };
    assert.deepEqual(reached("appliance/store/blocks/fold.ts", more), ["test/store/clock.test.ts"]);
    assert.deepEqual(reached("appliance/store/store.ts", more), [
      "test/store/clock.test.ts",
      "test/traffic/digest.test.ts",
    ]);
  });

  it("the tests of the room around its own, which has none", () => {
    assert.deepEqual(reached("appliance/links/mail/parts/letter.ts"), [
      "test/links/mail/mail.test.ts",
    ]);
  });

  it("no test by its types alone", () => {
    const typed = 'import type { Topic } from "../../appliance/links/mqtt/topic.ts";';
    assert.ok(
      !reached("appliance/links/mqtt/topic.ts", { "test/base/typed.test.ts": typed }).includes(
        "test/base/typed.test.ts",
      ),
    );
  });

  it("a test by a program that it starts", () => {
    const starts = 'new Worker(new URL("../../appliance/links/mqtt/link.ts", import.meta.url));';
    assert.ok(
      reached("appliance/links/mqtt/link.ts", { "test/base/starts.test.ts": starts }).includes(
        "test/base/starts.test.ts",
      ),
    );
  });

  it("all tests of the service, where it is what puts them together", () => {
    for (const file of ["appliance/app/service/service.ts", "test/helpers/world.ts"])
      assert.equal(reached(file).filter((test) => !/scripts|image|docs|push/.test(test)).length, 6);
  });

  it("the browser tests of its part of a page", () => {
    assert.deepEqual(reached("web/control/deck/bar.tsx"), ["test/browser/control-deck.test.ts"]);
    assert.deepEqual(reached("web/dashboard/overview/card.tsx"), ["test/browser/overview.test.ts"]);
  });

  it("the browser tests of a whole page, where its part has none of its own", () => {
    assert.deepEqual(reached("web/control/push/list.tsx"), [
      "test/browser/control-deck.test.ts",
      "test/browser/control-start.test.ts",
    ]);
  });

  it("the pages that use what they share", () => {
    assert.deepEqual(reached("web/shared/line.ts"), [
      "test/browser/control-deck.test.ts",
      "test/browser/overview.test.ts",
    ]);
    assert.ok(reached("web/shared/word.ts").includes("test/browser/control-start.test.ts"));
  });

  it("the test of a script's name", () => {
    assert.deepEqual(reached("scripts/build.ts"), ["test/scripts/build.test.ts"]);
  });

  it("a test that names a file which nothing imports", () => {
    assert.deepEqual(reached(".ci/run", { "test/scripts/ci.test.ts": 'read(".ci/run");' }), [
      "test/scripts/ci.test.ts",
    ]);
  });

  it("the tests of the docs, where a page of them changes", () => {
    assert.deepEqual(reached("docs/api.md"), ["test/docs/links.test.ts"]);
    assert.deepEqual(reached("README.md"), ["test/docs/links.test.ts"]);
  });

  it("the tests of the image by a unit", () => {
    assert.deepEqual(reached("firmware-config/a.service"), ["test/image/system.test.ts"]);
  });

  it("those that read a fixture", () => {
    const reads = 'const FOLDER = join(import.meta.dirname, "../fixtures/golden");';
    assert.deepEqual(reached("test/fixtures/golden/a.png", { "test/deck/paint.test.ts": reads }), [
      "test/deck/paint.test.ts",
    ]);
  });

  it("itself, where it is a test, and nothing where that is gone", () => {
    assert.deepEqual(reached("test/image/system.test.ts"), ["test/image/system.test.ts"]);
    assert.deepEqual(reached("test/image/gone.test.ts"), []);
  });

  it("every test, where packages change", () => {
    const all = [...files().keys()].filter((file) => file.endsWith(".test.ts"));
    assert.equal(testsReachedBy(["package-lock.json"], files()).length, all.length);
  });
});
