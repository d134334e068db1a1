/** The reasons of refusals, for programs; `http/errors` says how each is answered. */
export type RefusalCode =
  /** The input. */
  | "invalid_backup"
  | "invalid_channel"
  | "invalid_field"
  | "invalid_image"
  | "invalid_json"
  | "invalid_release"
  | "too_large"
  | "too_much"
  /** The requested thing does not exist. */
  | "not_found"
  /** The box holds as many of the kind as it may. */
  | "alarm_limit"
  | "channel_limit"
  | "deck_limit"
  | "digest_limit"
  | "image_limit"
  | "last_page"
  | "no_room"
  | "nothing_to_redo"
  | "nothing_to_undo"
  | "origin_limit"
  | "page_limit"
  | "source_limit"
  | "surveys_full"
  | "test_limit"
  | "token_limit"
  /** The state of the box. */
  | "asker_left"
  | "exchange_busy"
  | "no_public_address"
  | "no_release_source"
  | "no_space"
  | "no_update"
  | "not_now"
  | "read_failed"
  | "reads_busy"
  | "storage_unavailable"
  | "untried_board"
  /** A start, or a command. */
  | "data_in_use"
  | "invalid_config"
  | "web_build_missing";

interface RefusalDetails {
  /** The field that is wrong, as a path like `widget.channel`, or a setting. */
  readonly field?: string;
  /** The fault of the field, to end the sentence that begins with its name. */
  readonly problem?: string;
  /** Seconds until it is worth trying again, where that differs from time to time. */
  readonly retryAfter?: number;
}

/** A request that cannot be fulfilled; the message has advice for a person. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly field: string | undefined;
  readonly problem: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(code: RefusalCode, message: string, details: RefusalDetails = {}) {
    super(message);
    this.name = new.target.name;
    this.code = code;
    this.field = details.field;
    this.problem = details.problem;
    this.retryAfter = details.retryAfter;
  }
}

/** @param problem ends the sentence that begins with the field's name */
export function invalidField(field: string, problem: string): Refusal {
  return new Refusal("invalid_field", `"${field}" ${problem}`, { field, problem });
}

export function isRefusal(error: unknown, code: RefusalCode): error is Refusal {
  return error instanceof Refusal && error.code === code;
}

/** The result of `read`, or `otherwise` after a Refusal. */
export function orElse<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return otherwise;
  }
}

/** All errors of a configuration, so that they can be fixed together. */
export class ConfigRefused extends Refusal {
  readonly refusals: readonly Refusal[];

  constructor(refusals: readonly Refusal[]) {
    super("invalid_config", refusals.map(({ message }) => message).join("\n"));
    this.refusals = refusals;
  }
}

/** @param problem ends the sentence that begins with the setting's key */
export function invalidSetting(key: string, problem: string): Refusal {
  return new Refusal("invalid_config", `${key} ${problem}`, { field: key, problem });
}
