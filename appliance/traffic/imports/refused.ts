/** A file cannot be imported; the message is a sentence for its owner. */
export class ImportRefused extends Error {
  override readonly name = "ImportRefused";
}
