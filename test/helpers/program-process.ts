import { runHere } from "./here.ts";
import type { Asked, Said } from "./programs.ts";

const say = (said: Said) => void process.send?.(said);

process.on("disconnect", () => process.exit());
process.on("message", async ({ words, env }: Asked) => {
  const code = await runHere(words, env, {
    out: (out) => say({ out }),
    err: (err) => say({ err }),
  });
  say({ code });
});
