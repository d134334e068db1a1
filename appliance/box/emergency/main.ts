/**
 * Answers at both ports while the service cannot start: see tallydeck-emergency.service. It must run where modules, the
 * data or the settings are broken, and so takes nothing but Node.
 */
import { randomBytes, randomInt } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import {
  createFormServer,
  type FormAnswer,
  type FormRequest,
} from "../../base/http/form-server.ts";
import { createLog } from "../../base/log.ts";
import { RootRequests } from "../../base/system/root-requests.ts";
import { SystemClock } from "../../base/system/system-clock.ts";
import { endAtUncaught } from "../../base/system/uncaught.ts";
import { thisNetwork } from "../box-notices.ts";
import { Reset } from "../reset.ts";
import { SetupCode } from "../setup-code.ts";
import { handedSockets } from "../systemd.ts";
import { screenAt } from "../terminal.ts";
import { CodeOnDecks } from "./decks.ts";
import { Emergency } from "./emergency.ts";
import { BOX_FILES, endOfLog, readKnown } from "./known.ts";

/** `/`, or a folder in tests. */
const ROOT = process.env.ROOT ?? "/";
const at = (file: string) => join(ROOT, file);
/** A form has a code and a name. */
const MOST_FORM_BYTES = 1_024;
/** A page needs one or two. */
const CONNECTIONS = {
  collector: { total: 256, perAddress: 16 },
  control: { total: 64, perAddress: 8 },
} as const;
const LOOK_MS = 2_000;

const warn = (line: string) => console.error(line);
endAtUncaught(warn);
const clock = new SystemClock();
const code = new SetupCode({
  clock,
  randomInt: (end) => randomInt(end),
  needed: () => true,
  // No key can be held here: no driver reads decks.
  renews: true,
});
const reset = new Reset({ clock, log: createLog(warn), folder: at(BOX_FILES.reset) });
const emergency = new Emergency({
  clock,
  code,
  reset,
  network: thisNetwork(at(BOX_FILES.name)),
  hostname: hostname(),
  token: randomBytes(16).toString("hex"),
  known: () => readKnown(ROOT),
  log: () => endOfLog(ROOT),
  askForOther: () => new RootRequests(at(BOX_FILES.updater)).ask("rollback"),
  end: () => process.exit(0),
});

process.once("SIGTERM", () => process.exit(0));
const sockets = handedSockets(process.env, process.pid);
serve("collector", 0, (request) => emergency.answerVisitor(request));
serve("control", MOST_FORM_BYTES, (request) => emergency.answerOwner(request));

function serve(
  name: "collector" | "control",
  mostBytes: number,
  answer: (request: FormRequest) => FormAnswer,
): void {
  const fd = sockets.get(name);
  if (fd === undefined) throw new Error(`systemd handed no socket ${name} over.`);
  createFormServer({ answer, warn, mostBytes, connections: CONNECTIONS[name] }).listen({ fd });
}

const show = screenAt(process.env.CONSOLE_DEVICE ?? "/dev/tty1");
const decks = new CodeOnDecks(ROOT);
let shown = "";
function draw(): void {
  if (code.shown !== undefined) void decks.show(code.shown);
  const text = emergency.screenText();
  if (text !== shown) show(text);
  shown = text;
}
draw();
code.changed.on(draw);
reset.changed.on(draw);
reset.followRoot();
// An address, a name or a deck may come later. The timers of the clock keep no process alive, and its sockets do.
setInterval(draw, LOOK_MS);
warn(
  "The service cannot start: this program answers at its ports, and has it tried again in ten minutes",
);
