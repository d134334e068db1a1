import assert from "node:assert/strict";
import { vitalsOf } from "../../appliance/box/vitals.ts";

/** The vitals of a machine whose system keeps these files. */
function vitals(files: Readonly<Record<string, string>>) {
  return vitalsOf("/run/wifi-name", {
    read: async (path) => files[path],
    list: async (folder) => [
      ...new Set(
        Object.keys(files)
          .filter((path) => path.startsWith(`${folder}/`))
          .map((path) => path.slice(folder.length + 1).split("/")[0] ?? ""),
      ),
    ],
  });
}

const WIRELESS = `Inter-| sta-|   Quality        |   Discarded packets               | Missed | WE
 face | tus | link level noise |  nwid  crypt   frag  retry   misc | beacon | 22
 wlan0: 0000   54.  -56.  -256        0      0      0      0     12        0
`;
const sensor = (zone: number, type: string, temp: string) => ({
  [`/sys/class/thermal/thermal_zone${zone}/type`]: `${type}\n`,
  [`/sys/class/thermal/thermal_zone${zone}/temp`]: temp,
});

describe("the vitals of the machine", () => {
  it("are its memory and how long it runs, whatever else is known", async () => {
    const { memory, upSeconds, ...rest } = await vitals({});
    assert.ok(memory.totalBytes > memory.serviceBytes && memory.serviceBytes > 0);
    assert.ok(upSeconds > 0 && Number.isInteger(upSeconds));
    assert.equal(memory.availableBytes, undefined);
    assert.deepEqual(rest, {});
  });

  it("say what programs could still take", async () => {
    const text = "MemTotal:        3884676 kB\nMemFree:  90 kB\nMemAvailable:    2933752 kB\n";
    const { memory } = await vitals({ "/proc/meminfo": text });
    assert.equal(memory.availableBytes, 2_933_752 * 1024);
  });

  it("say how warm the processor is, not what else has a sensor", async () => {
    const files = { ...sensor(0, "wifi", "70000\n"), ...sensor(1, "cpu-thermal", "48312\n") };
    assert.equal((await vitals(files)).temperature, 48.312);
    assert.equal((await vitals(sensor(0, "acpitz", "27800\n"))).temperature, undefined);
  });

  it("say how strongly a wireless network is received", async () => {
    assert.deepEqual((await vitals({ "/proc/self/net/wireless": WIRELESS })).wifi, { dbm: -56 });
    const named = { "/proc/self/net/wireless": WIRELESS, "/run/wifi-name": "At home\n" };
    assert.deepEqual((await vitals(named)).wifi, { dbm: -56, name: "At home" });
    const alone = WIRELESS.split("\n").slice(0, 2).join("\n");
    assert.equal((await vitals({ "/proc/self/net/wireless": alone })).wifi, undefined);
    assert.equal((await vitals({ "/run/wifi-name": "At home\n" })).wifi, undefined);
  });

  it("leave out what is written in another form", async () => {
    const { memory, temperature, wifi } = await vitals({
      "/proc/meminfo": "MemAvailable: much\n",
      "/proc/self/net/wireless": "wlan0: on\n",
      ...sensor(0, "cpu-thermal", "warm\n"),
    });
    assert.deepEqual([memory.availableBytes, temperature, wifi], [undefined, undefined, undefined]);
  });

  it("are read from this machine unless told", async () => {
    assert.ok((await vitalsOf("")).memory.totalBytes > 0);
  });
});
