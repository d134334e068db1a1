import { join } from "node:path";
import { isThere } from "../../../base/system/files.ts";
import type { AskProgram } from "../../../base/system/program.ts";

/** The wishes for which a jumper joins a pin of the board's header with the ground beside it. */
export const JUMPERS = ["wifi", "reset"] as const;
export type Jumper = (typeof JUMPERS)[number];

/**
 * GPIO 5 is pin 29 beside the ground of pin 30, GPIO 7 is pin 26 beside that of pin 25. The chips pull 0 to 8 up from
 * their reset on (BCM2835 ARM Peripherals, 6.2), so that an open pin is high also where nothing else sets it. Others pull
 * GPIO 7 up, too: it selects the second device of SPI, by a low level and for moments.
 */
const GPIO: Readonly<Record<Jumper, number>> = { wifi: 5, reset: 7 };
/** The labels of the chips that have the header's pins, of Linux' drivers for Pi 3 and Zero 2 W, 4, and 5. */
const CHIPS: ReadonlySet<string> = new Set(["pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1"]);
/** Where the firmware says which board it has found on the header, by that board's memory. */
const HAT = "sys/firmware/devicetree/base/hat";

/**
 * The jumpers that are on; undefined where that cannot be known: a machine without such a header, a pin in use, or a board
 * on the header, whose parts may hold any pin down. Where it does not say that it is there, both pins at once tell of it.
 */
export function jumpersOn(root: string, ask: AskProgram): ReadonlySet<Jumper> | undefined {
  if (isThere(join(root, HAT))) return undefined;
  try {
    const chips = [...ask("gpiodetect", []).matchAll(/^(gpiochip\d{1,4}) \[([^\]\n]*)\] /gm)];
    const [chip, ...others] = chips.filter(([, , label = ""]) => CHIPS.has(label));
    if (chip?.[1] === undefined || others.length > 0) return undefined;
    const lines = JUMPERS.map((jumper) => `${GPIO[jumper]}`);
    const own = [`--chip=${chip[1]}`, "--bias=pull-up", "--numeric"] as const;
    const levels = ask("gpioget", own, lines).trim().split(/\s+/);
    if (levels.length !== lines.length || levels.some((level) => !/^[01]$/.test(level)))
      return undefined;
    const on = new Set(JUMPERS.filter((_, index) => levels[index] === "0"));
    return on.size === JUMPERS.length ? undefined : on;
  } catch {
    return undefined;
  }
}
