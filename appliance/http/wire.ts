/** The body of every answer that is no success. */
export interface ErrorAnswer {
  /** What went wrong and what to do, for a person. */
  error: string;
  /** The same for a program. */
  code: string;
}
