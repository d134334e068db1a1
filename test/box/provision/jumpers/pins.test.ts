import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { commandLine } from "../../../../appliance/base/system/program.ts";
import { jumpersOn } from "../../../../appliance/box/provision/jumpers/pins.ts";
import { eachFolder } from "../../../helpers/folder.ts";

/** The chips of the boards, as gpiodetect of libgpiod 2.2 writes them. */
const CHIPS = {
  "Pi 3": "gpiochip0 [pinctrl-bcm2835] (54 lines)\ngpiochip1 [raspberrypi-exp-gpio] (8 lines)\n",
  "Pi 4": "gpiochip0 [pinctrl-bcm2711] (58 lines)\ngpiochip1 [raspberrypi-exp-gpio] (8 lines)\n",
  "Pi 5":
    "gpiochip10 [gpio-brcmstb@107d508500] (32 lines)\ngpiochip12 [pinctrl-rp1] (54 lines)\ngpiochip13 [gpio-brcmstb@107d517c00] (17 lines)\n",
};

describe("the jumpers of the header", () => {
  const folder = eachFolder();
  let ran: string[] = [];
  /** A machine with these chips, whose two pins have the levels that gpioget writes; undefined: the program fails. */
  const read = (chips: string | undefined, levels: string | undefined) => {
    ran = [];
    const on = jumpersOn(folder(), (program, own, values) => {
      ran.push([program, ...commandLine(own, values)].join(" "));
      const output = program === "gpiodetect" ? chips : levels;
      if (output === undefined) throw new Error(`${program} failed`);
      return output;
    });
    return on && [...on];
  };

  for (const [board, chips] of Object.entries(CHIPS))
    it(`are read with a pull-up on a ${board}`, () => {
      assert.deepEqual(read(chips, "1 1\n"), []);
      const [, chip] = /^(\S+) \[pinctrl-(?:bcm|rp1)/m.exec(chips) ?? [];
      assert.equal(ran.at(-1), `gpioget --chip=${chip} --bias=pull-up --numeric -- 5 7`);
      assert.deepEqual(read(chips, "0 1\n"), ["wifi"]);
      assert.deepEqual(read(chips, "1 0\n"), ["reset"]);
      assert.equal(read(chips, "0 0\n"), undefined, "a board that holds both down");
    });

  it("are not known without a chip of a Pi, and no other one is asked", () => {
    const virt = "gpiochip0 [9030000.pl061] (8 lines)\n";
    const others = ["", "\n", virt, "gpiochip0\n", "gpiochip0 [] (8 lines)\n", "[pinctrl-rp1]"];
    for (const chips of [undefined, ...others, CHIPS["Pi 3"] + CHIPS["Pi 4"]]) {
      assert.equal(read(chips, "0 1\n"), undefined, chips);
      assert.deepEqual(ran, ["gpiodetect"]);
    }
  });

  it("are not known where a pin is in use, or the levels are none", () => {
    const nonsense = ["", "0", "1\n", "0 0 0", "0 2", '"5"=inactive "7"=active', "00", "\0 \0"];
    for (const levels of [undefined, ...nonsense])
      assert.equal(read(CHIPS["Pi 4"], levels), undefined, levels);
  });

  it("are not read with a board on the header that says what it is", () => {
    mkdirSync(join(folder(), "sys/firmware/devicetree/base/hat"), { recursive: true });
    assert.equal(read(CHIPS["Pi 4"], "1 0\n"), undefined);
    assert.deepEqual(ran, []);
  });
});
