/** The libraries inside of Node: its LICENSE names each, with where it is and the text of its license. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writtenNotice } from "./notices.ts";
import { LicenseUnknown, type Part } from "./part.ts";

const ENTRY = /^- (.+), located at (\S+), is licensed as follows:\n {2}"""\n([\s\S]*?)\n {2}"""$/gm;

/** Libraries that are built with, tested with, or come beside the program, which is all that we take. */
const NOT_IN_PROGRAM = /^(?:test\/|tools\/|deps\/(?:corepack|googletest|npm)\b)/;

/** A phrase that only one license has → that license. */
const PHRASES: readonly [phrase: RegExp, license: string][] = [
  [/Blue Oak Model License/, "BlueOak-1.0.0"],
  [/UNICODE LICENSE V3/, "Unicode-3.0"],
  [/Apache License\s+Version 2\.0|Licensed under the Apache License, Version 2\.0/, "Apache-2.0"],
  [/Redistribution and use[\s\S]*Neither the name/, "BSD-3-Clause"],
  [/Redistribution and use(?![\s\S]*Neither the name)/, "BSD-2-Clause"],
  [/to\s+deal\s+in\s+the\s+Software\s+without\s+restriction/i, "MIT"],
  [/Permission to use, copy, modify, and\/or distribute this software/, "ISC"],
  [/Altered source versions must be plainly marked/, "Zlib"],
  [/dedicated all\s+copyright[\s\S]*to the public\s+domain/, "CC0-1.0"],
];

/** The name under which `process.versions` has a library. */
const VERSION_NAMES: Readonly<Record<string, string>> = { "c-ares": "ares", libuv: "uv" };

/** The libraries of a module that is Node; none of another. @throws {LicenseUnknown} that names a library */
export function nodeLibraries(module: Part, folder: string): Part[] {
  if (!/^node-linux-/.test(module.name)) return [];
  const entries = [...readFileSync(join(folder, "LICENSE"), "utf8").matchAll(ENTRY)];
  if (entries.length === 0)
    throw new LicenseUnknown(`${folder}/LICENSE lists no library: its form has changed.`);
  const libraries = entries
    .filter(([, , place = ""]) => !NOT_IN_PROGRAM.test(place))
    .map(([, name = "", , text = ""]) => library(module, name, text));
  return [...libraries, sqliteOf(module)];
}

function library(module: Part, name: string, text: string): Part {
  const notice = text.replaceAll(/^ {4}/gm, "").trim();
  const licenses = PHRASES.filter(([phrase]) => phrase.test(notice)).map(([, id]) => id);
  if (licenses.length === 0)
    throw new LicenseUnknown(
      `${name} in ${module.name} has a license that is not known here: read it in its LICENSE, then add a phrase of it to scripts/licenses/node-libraries.ts.`,
    );
  return {
    name,
    version: libraryVersion(module, name),
    kind: "generic",
    license: licenses.join(" AND "),
    notices: [notice],
    within: [module.name],
  };
}

/** The version that this Node says of a library, where it is the one that is passed on. */
function libraryVersion({ version }: Part, name: string): string {
  const said = process.versions[VERSION_NAMES[name] ?? name.toLowerCase()];
  return (process.versions.node === version && said) || `in Node ${version}`;
}

/** In the public domain, and so not in that file. */
function sqliteOf(module: Part): Part {
  return {
    name: "sqlite",
    version: libraryVersion(module, "sqlite"),
    kind: "generic",
    license: "blessing",
    notices: writtenNotice("sqlite", "blessing"),
    within: [module.name],
  };
}
