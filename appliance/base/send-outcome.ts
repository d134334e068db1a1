/** The end of a delivery to somewhere else. `why` is a sentence for people. */
export type SendOutcome =
  | { readonly kind: "sent" }
  /** `again`: not taken now; `never`: refused for good; `unsure`: perhaps taken. */
  | { readonly kind: "again" | "never" | "unsure"; readonly why: string };
