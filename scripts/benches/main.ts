/** Started by scripts/bench. */
import { runScript, text } from "../running/parts.ts";
import { batches } from "./batches.ts";
import { blocks } from "./blocks.ts";
import { channels } from "./channels.ts";
import { type Commits, compare } from "./compare.ts";
import { lone, midnight } from "./days.ts";
import { fleet } from "./fleet.ts";
import { imports } from "./imports.ts";
import { hour, ingest } from "./ingest.ts";
import { large } from "./large.ts";
import { page } from "./page.ts";
import { painting } from "./painting.ts";
import { places } from "./places.ts";
import { press } from "./press.ts";
import { push } from "./push.ts";
import { flood, reads } from "./reads.ts";
import { sites } from "./sites.ts";
import { start } from "./start.ts";
import { tls } from "./tls.ts";

await runScript<Commits>({
  parts: {
    start,
    ingest,
    tls,
    reads,
    page,
    flood,
    push,
    press,
    channels,
    blocks,
    lone,
    midnight,
    batches,
    imports,
    fleet,
    sites,
    hour,
    painting,
    large,
    places,
    compare,
  },
  options: { before: text("HEAD"), after: text(".") },
  seed: 42,
});
