/** The body of every answer that is no success. */
export interface ErrorAnswer {
  /** The fault and the next step, for a person. */
  error: string;
  /** The same for a program. */
  code: string;
}
