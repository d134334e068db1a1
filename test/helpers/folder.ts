import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder for each test of the suite around it. */
export function eachFolder(): () => string {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "tallydeck-test-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  return () => folder;
}

/** One folder for all tests of the suite around it. */
export function sharedFolder(): () => string {
  let folder = "";
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "tallydeck-test-"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  return () => folder;
}

/** The paths of all files in a folder and those below it: the data of a service has folders, too, as it finds them of use. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}
