import { SURVEY_ID } from "../../../base/names.ts";
import { SURVEY_LABELS } from "../../../store/store.ts";
import { shape } from "../../input.ts";
import type { SurveyLabels } from "../../wire.ts";
import { settingRoutes } from "./site-setting.ts";

const MAX_VERSIONS = 100;
/** The most questions and options, as in reports. */
const MAX_NAMED = 200;

const NAME = {
  type: "string",
  minLength: 1,
  maxLength: 128,
  description: "must be a text of 1 to 128 characters",
};
const SURVEY_IDS = {
  pattern: SURVEY_ID.source,
  description: "must be an id: 1 to 32 of a-z, 0-9 and -",
};
const objectOf = (
  what: string,
  maxProperties: number,
  propertyNames: object,
  additionalProperties: object,
) => ({
  type: "object",
  maxProperties,
  propertyNames,
  additionalProperties,
  description: `must be an object of at most ${maxProperties}: ${what}`,
});

const readLabels = shape<SurveyLabels>(
  objectOf(
    "version → questions",
    MAX_VERSIONS,
    { pattern: "^[1-9]\\d{0,15}$", description: "must be a version: a whole number from 1" },
    objectOf("question → {name, options}", MAX_NAMED, SURVEY_IDS, {
      type: "object",
      description: "must be an object with a name, or options, or both",
      properties: {
        name: NAME,
        options: objectOf("option → its name", MAX_NAMED, SURVEY_IDS, NAME),
      },
      additionalProperties: false,
    }),
  ),
);

/**
 * `GET /api/sites/:id/survey-labels` → the labels of the site's questions and options. `PUT` replaces them; `{}` removes
 * all.
 */
export const surveyLabels = settingRoutes(SURVEY_LABELS, readLabels, {});
