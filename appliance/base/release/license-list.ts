/** A part of what is passed on: a package, a library inside of one, a font. */
export interface LicensedPart {
  readonly name: string;
  readonly version: string;
  /** The type of its package URL: https://github.com/package-url/purl-spec */
  readonly kind: "cargo" | "deb" | "generic" | "npm";
  /** An SPDX expression. */
  readonly license: string;
  /** The parts whose files hold it, like the binary of a module. */
  readonly within?: readonly string[];
  /** Whether it is in the files for browsers, or in the bundled MQTT client. */
  readonly isBundled?: boolean;
  readonly checksum?: { readonly algorithm: "SHA256" | "SHA512"; readonly value: string };
  /** Debian's packages of source code that it was made of, its own first. */
  readonly sources?: readonly { readonly name: string; readonly version: string }[];
  /** Where its notice is on the box, when it is not in the list. */
  readonly file?: string;
}

/** All parts of a release, and their notices, each text once. */
export interface LicenseList {
  readonly parts: readonly (LicensedPart & {
    /** Places in `texts`. */
    readonly notices: readonly number[];
  })[];
  readonly texts: readonly string[];
}
