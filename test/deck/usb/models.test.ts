import assert from "node:assert/strict";
import {
  DEVICE_MODELS2,
  DeviceModelType,
  type HIDDevice,
  type HIDDeviceEvents,
  VENDOR_ID,
} from "@elgato-stream-deck/core";
import { EventEmitter } from "eventemitter3";
import {
  EVIDENCE_TEXT,
  MODELS,
  modelById,
  modelByUsb,
} from "../../../appliance/deck/usb/models.ts";
import { VIRTUAL_MODELS } from "../../../web/control/deck/fields/virtual-models.ts";

describe("The model table", () => {
  it("has every id that --virtual-deck promises", () => {
    const promised = "mini mk2 xl plus neo mirabox-293 mirabox-293s mirabox-k1pro akp05e".split(
      " ",
    );
    const left = promised.filter((id) => modelById(id) === undefined);
    assert.deepEqual(left, []);
  });

  it("names every model, slot, input, place and pair of USB ids once", () => {
    const pairs = MODELS.flatMap(({ usb }) =>
      usb.map(({ vendor, product }) => `${vendor} ${product}`),
    );
    const unique = (all: string[]) => assert.equal(new Set(all).size, all.length);
    unique(MODELS.map(({ id }) => id));
    unique(pairs);
    for (const { slots, inputs } of MODELS) {
      unique([...slots.map(({ slot }) => slot), ...inputs.map(({ input }) => input)]);
      unique([...slots, ...inputs].map(({ column, row }) => `${column} ${row}`));
    }
  });

  it("says of every model how sure we are of it", () => {
    const left = MODELS.filter(({ evidence }) => !EVIDENCE_TEXT[evidence]);
    assert.deepEqual(left, []);
  });

  it("calls nothing verified that nobody ran on hardware", () => {
    const verified = MODELS.filter(({ evidence }) => evidence === "HW").map(({ id }) => id);
    assert.deepEqual(verified, [
      "mirabox-293",
      "mirabox-293s",
      "mirabox-k1pro",
      "akp153e-rev2",
      "fifine-d6-rev2",
      "akp05e",
    ]);
  });

  it("gives every slot and input of a CRT deck codes of its own", () => {
    for (const model of MODELS) {
      if (model.family === "elgato") continue;
      const { imageIds, inputCodes, dialCodes, swipeCodes } = model.wire;
      assert.equal(new Set(imageIds).size, model.slots.length, model.id);
      const keys = model.slots.filter(({ kind }) => kind === "key");
      assert.ok(inputCodes.length >= keys.length, model.id);
      assert.equal(model.hasStrip, swipeCodes !== undefined, model.id);
      assert.equal(dialCodes.length, model.inputs.length, model.id);
      const dials = dialCodes.flatMap(({ press, left, right }) => [press, left, right]);
      const codes = [...inputCodes, ...dials, ...Object.values(swipeCodes ?? {})];
      assert.equal(new Set(codes).size, codes.length, model.id);
    }
  });

  it("has no Elgato id that the library, which drives them, does not know", () => {
    const known = Object.values(DEVICE_MODELS2).flatMap(({ vendorId, productIds }) =>
      productIds.map((product) => `${vendorId} ${product}`),
    );
    const unknown = MODELS.filter(({ family }) => family === "elgato").flatMap(({ id, usb }) =>
      usb
        .filter(({ vendor, product }) => !known.includes(`${vendor} ${product}`))
        .map(({ product }) => `${id}: 0x${product.toString(16)}`),
    );
    assert.deepEqual(unknown, []);
  });

  it("has the names by which the Web UI offers virtual decks", () => {
    for (const { id, name } of VIRTUAL_MODELS) assert.equal(modelById(id)?.name, name);
  });

  it("finds a model by what USB says", () => {
    assert.equal(modelByUsb(0x5548, 0x6670)?.id, "mirabox-293s");
    assert.equal(modelByUsb(0x0fd9, 0x5548), undefined);
  });

  for (const [name, spec] of Object.entries(DEVICE_MODELS2)) {
    if (spec.type === DeviceModelType.NETWORK_DOCK || spec.vendorId !== VENDOR_ID) continue;

    it(`agrees with the Elgato library about ${name}`, async () => {
      const deck = await spec.factory(new Untouched(), {
        encodeJPEG: async () => new Uint8Array(),
      });
      const [first = 0] = spec.productIds;
      const model = modelByUsb(spec.vendorId, first);
      const products = model?.usb.map(({ product }) => product);
      assert.deepEqual(products, spec.productIds);
      const keys = deck.CONTROLS.flatMap((control) =>
        control.type === "button" && control.feedbackType === "lcd"
          ? [{ slot: `k${control.index}`, ...placeOf(control), ...control.pixelSize }]
          : [],
      );
      const known = model?.slots.filter(({ kind }) => kind === "key");
      assert.deepEqual(
        known?.map(({ slot, width, height, ...place }) => ({
          slot,
          ...placeOf(place),
          width,
          height,
        })),
        keys,
      );
      const inputs = deck.CONTROLS.flatMap((control) => {
        if (control.type === "encoder") return [{ kind: "dial", ...placeOf(control) }];
        if (control.type !== "button" || control.feedbackType === "lcd") return [];
        const kind = control.feedbackType === "rgb" ? "touch" : "button";
        return [{ kind, ...placeOf(control) }];
      });
      const found = model?.inputs.map(({ kind, ...place }) => ({ kind, ...placeOf(place) }));
      assert.deepEqual(found, inputs);
      const hasStrip = deck.CONTROLS.some((c) => c.type === "lcd-segment" && c.drawRegions);
      assert.equal(model?.hasStrip, hasStrip);
      const [strip] = deck.CONTROLS.filter((control) => control.type === "lcd-segment");
      const zones = model?.slots.filter(({ kind }) => kind === "zone") ?? [];
      const seen = zones.reduce((sum, { width }) => sum + width, 0);
      assert.equal(seen, strip?.pixelSize.width ?? 0);
    });
  }
});

function placeOf({ column, row }: { column: number; row: number }) {
  return { column, row };
}

/** A device that must not be asked anything. */
class Untouched extends EventEmitter<HIDDeviceEvents> implements HIDDevice {
  #never(): never {
    throw new Error("the device was touched");
  }
  close = async () => this.#never();
  sendFeatureReport = async () => this.#never();
  getFeatureReport = async () => this.#never();
  sendReports = async () => this.#never();
  getDeviceInfo = async () => this.#never();
  getChildDeviceInfo = async () => this.#never();
}
