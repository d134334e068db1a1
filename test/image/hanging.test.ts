import assert from "node:assert/strict";
import { createServer } from "node:net";
import { join } from "node:path";
import { Shell } from "../../image/test/shell.ts";
import { StallWatch } from "../../scripts/stall.ts";
import { eachFolder } from "../helpers/folder.ts";

/** The first verdict on a guest with these looks, and its second. */
function judged(look: (at: number) => { said: number; usedS: number }, seconds = 3_600) {
  const watch = new StallWatch({ stillS: 180, spinsS: 300 });
  for (let at = 0; at <= seconds; at++) {
    const hangs = watch.see({ at, ...look(at) });
    if (hangs !== undefined) return `${at}: ${hangs}`;
  }
  return undefined;
}

describe("a guest", () => {
  const folder = eachFolder();

  it("that stands still hangs, whatever the clock of its processor takes", () => {
    assert.match(judged(() => ({ said: 9, usedS: 4 })) ?? "", /^180: it has stood still for 180 s/);
    assert.match(judged((at) => ({ said: 9, usedS: at / 20 })) ?? "", /^180: .*stood still/);
    const late = judged((at) => ({ said: Math.min(at, 500), usedS: Math.min(at, 500) }));
    assert.match(late ?? "", /^680: .*stood still/);
  });

  it("that uses processor time and says nothing new hangs", () => {
    assert.match(judged((at) => ({ said: 9, usedS: 2 * at })) ?? "", /^150: it has used 300 s/);
    // A busy host gives it less: it takes longer to know.
    assert.match(judged((at) => ({ said: 9, usedS: at / 4 })) ?? "", /^1200: it has used 300 s/);
  });

  it("that says something now and then moves on, however slowly", () => {
    const slowly = (at: number) => Math.floor(at / 140);
    const found = judged((at) => ({ said: slowly(at), usedS: 2 * at }));
    assert.equal(found, undefined);
    const seen = judged((at) => ({ said: slowly(at), usedS: at / 50 }));
    assert.equal(seen, undefined);
  });

  /** A shell of a guest that answers so to what is typed, and hangs. */
  async function shellOf(answer: (typed: string) => string): Promise<Shell> {
    const path = join(folder(), "shell.sock");
    const guest = createServer((socket) => {
      socket.setEncoding("utf8").on("data", (typed: string) => socket.write(answer(typed)));
      socket.on("error", () => {}).on("close", () => guest.close());
    }).listen(path);
    const shell = await Shell.open(path, () => true);
    shell.hangs = async () => "it has stood still";
    return shell;
  }

  it("that hangs is given up while its shell is waited for", async () => {
    const shell = await shellOf(() => "");
    await assert.rejects(shell.run("true"), /the machine hangs: it has stood still; see console/);
    shell.close();
  });

  it("that takes its time to come up is asked again, and not without a pause", async () => {
    let asked = 0;
    const shell = await shellOf((typed) =>
      typed.includes("awake") && ++asked < 2
        ? ""
        : typed.includes("awake")
          ? "\n<awake>\n"
          : "\n<done-1:0>\n",
    );
    let looks = 0;
    shell.hangs = async () => (++looks > 5 ? "it is looked at all the time" : undefined);
    assert.equal((await shell.run("true")).status, 0);
    assert.equal(asked, 2);
    shell.close();
  });

  it("that hangs once it is up is given up while a command is waited for", async () => {
    const shell = await shellOf((typed) => (typed.includes("awake") ? "\n<awake>\n" : ""));
    await assert.rejects(shell.run("true"), /the machine hangs: it has stood still; see console/);
    shell.close();
  });
});
