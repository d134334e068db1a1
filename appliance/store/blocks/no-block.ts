/** Bytes are no block: a card has bent them, or a stranger made them. Memory that is short is another RangeError. */
export class NoBlock extends RangeError {
  override readonly name = "NoBlock";

  constructor(why: string, options?: ErrorOptions) {
    super(`These bytes are no block: ${why}`, options);
  }
}
