import type { Clock } from "../../appliance/base/clock.ts";
import type { FakeUnit } from "./fake-hid.ts";
import { FakeAkp05, FakeCrt, MIRABOX_293S, MIRABOX_293V3, MIRABOX_K1_PRO } from "./fake-hid-crt.ts";
import { FakeJpegStreamDeck, FakeMini, FakeOriginal, mk2, neo, plus } from "./fake-hid-elgato.ts";

/** One unit of every protocol, by the id of its model. */
export const UNITS: Readonly<Record<string, (clock: Clock) => FakeUnit>> = {
  original: () => new FakeOriginal(),
  mini: () => new FakeMini(),
  mk2: () => mk2(),
  xl: () => new FakeJpegStreamDeck({ product: 0x006c, columns: 8, rows: 4, serial: "CL1" }),
  plus,
  neo,
  "mirabox-293": () => new FakeCrt(MIRABOX_293V3),
  "mirabox-293s": () => new FakeCrt(MIRABOX_293S),
  "mirabox-k1pro": () => new FakeCrt(MIRABOX_K1_PRO),
  akp05e: (clock) => new FakeAkp05(clock),
};
