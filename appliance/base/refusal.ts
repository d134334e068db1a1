interface RefusalAnswer {
  readonly status: number;
  /** The code in the answer, where it differs. */
  readonly code?: string;
  /** Seconds until it is worth trying again. */
  readonly retryAfter?: number;
}

/** The reasons of refusals, for programs, and how each is answered over HTTP. */
const REASONS = {
  invalid_backup: { status: 400 },
  invalid_channel: { status: 400 },
  invalid_field: { status: 400 },
  invalid_image: { status: 400 },
  invalid_json: { status: 400 },
  invalid_release: { status: 400 },
  too_much: { status: 400 },
  not_found: { status: 404 },
  alarm_limit: { status: 409 },
  channel_limit: { status: 409 },
  deck_limit: { status: 409 },
  digest_limit: { status: 409 },
  exchange_busy: { status: 409, code: "busy" },
  last_page: { status: 409 },
  left_out_limit: { status: 409 },
  image_limit: { status: 409 },
  no_public_address: { status: 409 },
  no_release_source: { status: 409 },
  no_room: { status: 409 },
  no_update: { status: 409 },
  not_now: { status: 409 },
  nothing_to_redo: { status: 409 },
  nothing_to_undo: { status: 409 },
  origin_limit: { status: 409 },
  page_limit: { status: 409 },
  rule_limit: { status: 409 },
  place_limit: { status: 409 },
  share_limit: { status: 409 },
  source_limit: { status: 409 },
  token_limit: { status: 409 },
  untried_board: { status: 409 },
  too_large: { status: 413 },
  test_limit: { status: 429, code: "rate_limited" },
  surveys_full: { status: 429, code: "rate_limited" },
  asker_left: { status: 503, code: "busy", retryAfter: 5 },
  read_failed: { status: 503, retryAfter: 60 },
  reads_busy: { status: 503, code: "busy", retryAfter: 5 },
  storage_unavailable: { status: 503, retryAfter: 60 },
  no_space: { status: 507 },
  // Refusals that clients do not cause.
  data_in_use: { status: 500 },
  invalid_config: { status: 500 },
  web_build_missing: { status: 500 },
} as const satisfies Readonly<Record<string, RefusalAnswer>>;

export type RefusalCode = keyof typeof REASONS;

export const REFUSAL_ANSWERS: Readonly<Record<RefusalCode, RefusalAnswer>> = REASONS;

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
