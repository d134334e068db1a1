import { AKP05_MODELS, MIRABOX_MODELS } from "./crt-models.ts";
import { ELGATO_MODELS } from "./elgato-models.ts";
import type { Evidence, Model } from "./model.ts";

/**
 * All supported decks: USB ids, places and protocols, with the evidence for each. This project has run none of them on
 * hardware; the evidence comes from others.
 */

export const EVIDENCE_TEXT: Readonly<Record<Evidence, string>> = {
  HW: "verified on hardware by another project",
  SRC: "taken from another driver's source, not verified on hardware",
  OFF: "taken from the vendor's documentation, not verified on hardware",
  INF: "inferred from similar models, not verified on hardware",
  untested: "untested",
};

/** Every model, as `tallydeck devices --models` lists them. */
export const MODELS: readonly Model[] = [...ELGATO_MODELS, ...MIRABOX_MODELS, ...AKP05_MODELS];

/** The model with this id, as `--virtual-deck` names it. */
export function modelById(id: string): Model | undefined {
  return MODELS.find((model) => model.id === id);
}

/** The model behind a pair of USB ids. */
export function modelByUsb(vendor: number, product: number): Model | undefined {
  return MODELS.find(({ usb }) =>
    usb.some((known) => known.vendor === vendor && known.product === product),
  );
}
