import { closed, documentKind, objectOf } from "../documents.ts";
import { invalidField } from "../refusal.ts";
import { conditionsOf } from "./conditions.ts";
import { readSelection, SAVED_VIEW_LIMITS, type SavedViews, selectionQuery } from "./selection.ts";
import { shape } from "./shape.ts";

/** @param ofName further rules of a view's name @param ofQuery of its query */
const viewsOf = (ofName: object, ofQuery: object) =>
  objectOf({
    views: {
      type: "array",
      maxItems: SAVED_VIEW_LIMITS.views,
      description: `must be a list of at most ${SAVED_VIEW_LIMITS.views} saved views`,
      items: {
        ...objectOf({
          name: {
            type: "string",
            minLength: 1,
            maxLength: SAVED_VIEW_LIMITS.name,
            description: `must be a text of 1 to ${SAVED_VIEW_LIMITS.name} characters`,
            ...ofName,
          },
          query: {
            type: "string",
            maxLength: SAVED_VIEW_LIMITS.query,
            description: `must be the part of a dashboard's address after its question mark, of at most ${SAVED_VIEW_LIMITS.query} characters`,
            ...ofQuery,
          },
        }),
        description: "must be an object with name and query",
      },
    },
  });

/** The saved views of a site, in the order in which they show. A query has the characters that `URLSearchParams` writes. */
export const SAVED_VIEWS = documentKind<SavedViews>(
  "saved_views",
  viewsOf({}, { pattern: "^[\\w.*+%&=-]*$" }),
  {
    of: "site",
    bound: { count: 10_000, bytes: 49_152, together: 32 * 1_048_576 },
    inBackup: "kept",
  },
);

const shaped = shape<SavedViews>(closed(viewsOf({ pattern: "\\S" }, {})));

/** Saved views as an owner sets them, as they are stored. @throws {Refusal} `invalid_field` */
export function readSavedViews(input: unknown): SavedViews {
  const names = new Set<string>();
  const views = shaped(input).views.map((view, place) => {
    const name = view.name.trim();
    const key = name.normalize("NFKC").toLowerCase();
    if (names.has(key))
      throw invalidField(
        `views.${place}.name`,
        "is the name of another view. Choose one of its own.",
      );
    names.add(key);
    return { name, query: storedQuery(view.query, `views.${place}.query`) };
  });
  return { views };
}

/** A query with what is saved of it, in one form: everything else in it is dropped. @throws {Refusal} `invalid_field` */
function storedQuery(query: string, field: string): string {
  const params = new URLSearchParams(query);
  // A view without one of its filters would show more than was meant.
  const where = conditionsOf(params.getAll("where"), (sentence) =>
    invalidField(field, `has a filter that is none. ${sentence}`),
  );
  const stored = selectionQuery({ ...readSelection(params), where });
  if (stored.length > SAVED_VIEW_LIMITS.query)
    throw invalidField(field, `must have at most ${SAVED_VIEW_LIMITS.query} characters.`);
  return stored;
}
