/** Runs as a user without rights while the set-up network is open: see tallydeck-portal.service. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { endAtUncaught } from "../../../base/system/uncaught.ts";
import { Portal, type PortalContent, SENT } from "./portal.ts";
import { openPortalServers } from "./servers.ts";

const FOLDER = "/run/tallydeck-portal";

const warn = (line: string) => console.error(line);
endAtUncaught(warn);
const content = JSON.parse(readFileSync(join(FOLDER, "content.json"), "utf8")) as PortalContent;
const portal = new Portal({
  content,
  join: (wish) => send(SENT.form, JSON.stringify(wish)),
  lookAgain: () => send(SENT.again, ""),
});
await openPortalServers({
  answer: (request) => portal.answer(request),
  warn,
});

/** Root reads it by the rights of the group, since its unit has no others. */
function send(name: string, text: string): void {
  const file = join(FOLDER, "sent", name);
  writeFileSync(`${file}.new`, text, { mode: 0o640 });
  renameSync(`${file}.new`, file);
}
