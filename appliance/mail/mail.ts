/** A mail to one address. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The part of its Message-ID before the `@`; another one for each mail. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly date: number;
}
