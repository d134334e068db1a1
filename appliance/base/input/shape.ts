import { isHost, isSiteId, looksLikeSiteId, siteIdOf } from "../names.ts";
import { invalidField, type Refusal } from "../refusal.ts";
import { type Misfit, schemas } from "./schema.ts";

const misfitOf = schemas({
  verbose: true,
  discriminator: true,
  formats: {
    "new-site-id": (text: string) => isSiteId(siteIdOf(text)),
    "site-id": (text: string) => looksLikeSiteId(siteIdOf(text)),
    host: isHost,
  },
});

/**
 * Reads values of one shape. Each part of `schema` says in its `description` what it takes, to end
 * the sentence "field …"; objects of it take no other fields.
 * @throws {Refusal} `invalid_field` naming the field
 */
export function shape<T>(schema: object): (input: unknown) => T {
  const misfit = misfitOf({ additionalProperties: false, type: "object", ...schema });
  return (input) => {
    const found = misfit(input);
    if (found !== undefined) throw explain(found);
    return input as T;
  };
}

function explain(error: Misfit): Refusal {
  const path = error.instancePath.replaceAll("/", ".").slice(1);
  const within = (field: string) => (path === "" ? field : `${path}.${field}`);
  switch (error.keyword) {
    case "required":
      return invalidField(within(error.params.missingProperty), "is missing.");
    case "additionalProperties":
      return invalidField(within(error.params.additionalProperty), "is no field that is known.");
    default:
      return invalidField(
        // Where a name is what does not fit, it is in an object that is fine.
        error.propertyName === undefined ? path || "body" : within(error.propertyName),
        `${error.parentSchema?.description ?? "must be a JSON object"}.`,
      );
  }
}
