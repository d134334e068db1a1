import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MAIN } from "./tallydeck.ts";

/**
 * A start of the command line that writes down in `folder` every module and every thread it comes to
 * have: `env` and `program` are for `Running`, `loaded` reads the list.
 */
export function listingModules(folder: string) {
  const [list, hook] = [join(folder, "loaded"), join(folder, "hook.mjs")];
  writeFileSync(hook, LIST_MODULES);
  return {
    env: { LOADED_FILE: list },
    program: ["--import", hook, MAIN],
    loaded: () => readFileSync(list, "utf8").split("\n"),
  };
}

const LIST_MODULES = `
import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";
import diagnostics from "node:diagnostics_channel";
const say = (what) => appendFileSync(process.env.LOADED_FILE, what + "\\n");
diagnostics.subscribe("worker_threads", ({ worker }) => say("worker:" + worker.threadId));
registerHooks({ load: (url, context, next) => (say(url), next(url, context)) });
`;
