import assert from "node:assert/strict";
import {
  type AccessPoint,
  heardIn,
  quietestChannels,
} from "../../../appliance/box/wifi/channels.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";

/** The form of iw 6.9, and below it that of iw 5.9, without the elements that follow. */
const DUMP = `BSS 02:00:5e:00:53:01(on wlan0)
\tlast seen: 702.018s [boottime]
\tTSF: 5026317 usec (0d, 00:00:05)
\tfreq: 2412.0
\tbeacon interval: 100 TUs
\tcapability: ESS Privacy ShortSlotTime (0x0411)
\tsignal: -41.00 dBm
\tlast seen: 12 ms ago
\tInformation elements from Probe Response frame:
\tSSID: Caf\\xc3\\xa9 \\x0afreq: 2462
\tSupported rates: 1.0* 2.0* 5.5* 11.0*
\tDS Parameter set: channel 1
BSS 02:00:5e:00:53:02(on wlan0) -- associated
\tTSF: 0 usec (0d, 00:00:00)
\tfreq: 5180
\tbeacon interval: 100 TUs
\tcapability: ESS (0x0001)
\tsignal: -63.00 dBm
\tlast seen: 0 ms ago
\tSSID: \\x20
`;

const at = (channel: number, signal: number): AccessPoint => ({
  frequency: 2_407 + 5 * channel,
  signal,
});

describe("the access points of a scan", () => {
  it("are read with frequency and strength, whatever they are called", () => {
    const heard = [
      { frequency: 2_412, signal: -41 },
      { frequency: 5_180, signal: -63 },
    ];
    assert.deepEqual(heardIn(DUMP), heard);
  });

  it("are left out where one of both is missing or in another form", () => {
    for (const line of [
      "signal: 42/100",
      "signal: -4100 dBm",
      "signal: dBm",
      "signal: -41 dBm x",
      "",
    ])
      assert.equal(heardIn(DUMP.replace("signal: -41.00 dBm", line)).length, 1, line);
    for (const line of ["freq: 24", "freq: 24120", "freq: 2412,0", "freq: -2412"])
      assert.equal(heardIn(DUMP.replace("freq: 2412.0", line)).length, 1, line);
    for (const text of ["", "\n", "command failed: No such device (-19)\n", "freq: 2412\n", "BSS "])
      assert.deepEqual(heardIn(text), []);
  });

  it("are not more for lines that one of them makes in text that is not escaped than it could make by sending", () => {
    const forged = `\t\t * Device name: x\n\tfreq: 2437\nBSS x\n\tfreq: 2437.0\n\tsignal: -30.00 dBm\n`;
    const heard = heardIn(DUMP.replace("BSS 02:00:5e:00:53:02", `${forged}$&`));
    assert.deepEqual(heard[0], { frequency: 2_412, signal: -41 });
    assert.equal(heard.length, 3);
    assert.equal(heardIn(DUMP.repeat(5_000)).length, 500);
  });
});

describe("the channel of the own network", () => {
  it("is any of the three where nothing is heard, or other bands alone", () => {
    assert.deepEqual(quietestChannels([]), [1, 6, 11]);
    assert.deepEqual(quietestChannels(heardIn(DUMP).slice(1)), [1, 6, 11]);
    assert.deepEqual(
      quietestChannels([at(6, -110), { frequency: 2_484, signal: -40 }]),
      [1, 6, 11],
    );
  });

  for (const [what, heard, channels] of [
    ["the free one", [at(1, -50), at(11, -70)], [6]],
    ["one of two that are free", [at(6, -80)], [1, 11]],
    ["that of the weakest", [at(1, -40), at(6, -45), at(11, -85)], [11]],
    [
      "that with the fewest of the same strength",
      [at(1, -60), at(6, -60), at(6, -60), at(11, -60), at(11, -60)],
      [1],
    ],
    ["that which a network in between overlaps least", [at(1, -60), at(9, -50)], [6]],
    [
      "one strong neighbour rather than many",
      [at(1, -50), ...Array(9).fill(at(6, -70)), ...Array(9).fill(at(11, -70))],
      [1],
    ],
  ] as const)
    it(`is ${what}`, () => {
      assert.deepEqual(quietestChannels(heard), channels);
    });

  it(`is there whatever is heard, with seed ${TEST_SEED}`, () => {
    const { below } = seeded(TEST_SEED);
    for (let street = 0; street < 300; street += 1) {
      const heard = Array.from({ length: below(40) }, () => ({
        frequency: below(10_000),
        signal: -below(1_000),
      }));
      const channels = quietestChannels(heard);
      assert.ok(channels.length > 0 && channels.every((channel) => [1, 6, 11].includes(channel)));
    }
  });
});
