import { HttpError } from "../../../base/http/errors.ts";

/** The refusal of something that is a box's alone. @param instead what the owner of another machine does */
export function notABox(instead: string): HttpError {
  const why = "Tallydeck is a program on this machine, not the whole of it.";
  return new HttpError(409, "not_a_box", `${why} ${instead}`);
}

/**
 * Waits for a request to root.
 * @param instead what the owner does where it cannot be made
 * @throws {HttpError} 503 `<what>_failed`
 */
export async function expectTold<T>(
  request: Promise<T>,
  what: string,
  instead: string,
): Promise<T> {
  try {
    return await request;
  } catch {
    throw new HttpError(503, `${what}_failed`, `The box could not be told. ${instead}`);
  }
}
