import assert from "node:assert/strict";
import { goers, parseChoice } from "../../image/modules.ts";

const CHOICE = parseChoice(
  "# words\n- drivers/net/*\n+ drivers/net/wire*/b/*\n! usb-net vc4\n- lib/a+b.ko*\n",
);
const BUILT_IN = "kernel/drivers/vc4.ko\n";
const dep = (...lines: string[]) => ["kernel/lib/usb_net.ko.xz:", ...lines, ""].join("\n");

describe("the choice of kernel modules", () => {
  it("lets the last line decide that fits, and keeps what none names", () => {
    const paths = ["drivers/net/a/x.ko.xz", "drivers/net/wired/b/x.ko", "drivers/usb/x.ko"];
    assert.deepEqual(paths.map(CHOICE.stays), [false, true, true]);
    assert.deepEqual(["lib/a+b.ko.xz", "lib/aab.ko"].map(CHOICE.stays), [false, true]);
  });

  it("lets go what needs something that goes", () => {
    const lines = dep("kernel/x.ko: kernel/y.ko kernel/drivers/net/z.ko", "kernel/y.ko:");
    assert.deepEqual(goers(CHOICE, lines, BUILT_IN), ["kernel/x.ko"]);
  });

  it("refuses to go without what the image needs, whether it was let go or is not there", () => {
    const taken = dep("kernel/lib/vc4.ko: kernel/drivers/net/z.ko").replace("usb_net", "usb");
    assert.throws(() => goers(CHOICE, taken, ""), /would lack usb-net, vc4\./);
    assert.doesNotThrow(() => goers(CHOICE, dep(), BUILT_IN));
  });
});
