/** Decks without hardware that the page offers: the better known ones. */
export const VIRTUAL_MODELS = [
  { id: "mk2", name: "Elgato Stream Deck MK.2" },
  { id: "mini", name: "Elgato Stream Deck Mini" },
  { id: "xl", name: "Elgato Stream Deck XL" },
  { id: "plus", name: "Elgato Stream Deck +" },
  { id: "neo", name: "Elgato Stream Deck Neo" },
  { id: "pedal", name: "Elgato Stream Deck Pedal" },
  { id: "mirabox-293", name: "Mirabox 293V3" },
  { id: "mirabox-293s", name: "Mirabox 293S" },
  { id: "mirabox-k1pro", name: "Mirabox K1 Pro" },
  { id: "akp05e", name: "AJAZZ AKP05E" },
] as const;
