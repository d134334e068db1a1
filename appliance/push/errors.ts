export type PushErrorCode =
  | "invalid_channel"
  | "invalid_field"
  | "channel_limit"
  | "token_limit"
  | "not_found";

/** A refusal of the push service; the message tells a person what to do next. */
export class PushError extends Error {
  readonly code: PushErrorCode;

  constructor(code: PushErrorCode, message: string) {
    super(message);
    this.name = "PushError";
    this.code = code;
  }
}
