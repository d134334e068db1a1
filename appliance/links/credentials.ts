import { invalidField } from "../base/refusal.ts";

const LONGEST = 256;

/** @throws {Refusal} `invalid_field` for one of these that is too long to be told to a server */
export function expectShort<Name extends string>(
  given: Readonly<Record<Name, string>>,
  ...names: readonly Name[]
): void {
  for (const name of names)
    if (given[name].length > LONGEST || given[name].includes("\0"))
      throw invalidField(name, `must have at most ${LONGEST} characters.`);
}

/** The user and the password for a server. @throws {Refusal} `invalid_field` */
export function expectUser(given: { readonly user: string; readonly password: string }): void {
  expectShort(given, "user", "password");
  if (given.password !== "" && given.user === "")
    throw invalidField("user", "is missing: a password goes with a user.");
}
