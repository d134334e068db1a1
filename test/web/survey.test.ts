import assert from "node:assert/strict";
import { crossTable, questionsOf } from "../../web/dashboard/survey-model.ts";
import type { SurveysAnswer } from "../../web/shared/wire.ts";

const survey: SurveysAnswer = {
  site: "app",
  sv: 1,
  total: 5,
  short: 1,
  counts: { nps: { "10": 1, "9": 3 }, found: { friend: 1, search: 3 } },
  nps: { score: 100, answered: 4, promoters: 4, detractors: 0 },
  cross: "os",
  groups: {
    linux: { total: 1, counts: { found: { friend: 1 } } },
    macos: { total: 3, counts: { found: { search: 3 }, nps: { "9": 3 } } },
  },
  comments: [],
};
const [nps, found] = questionsOf(survey.counts);

describe("a survey's questions", () => {
  it("count and weigh their options", () => {
    assert.deepEqual(found, {
      id: "found",
      answers: 4,
      options: [
        { option: "search", count: 3, share: 0.75 },
        { option: "friend", count: 1, share: 0.25 },
      ],
    });
  });

  it("keep a scale in its order", () => {
    assert.deepEqual(
      nps?.options.map(({ option }) => option),
      ["9", "10"],
    );
  });
});

describe("a cross-table", () => {
  it("has a column per group, the largest first, and shares of the group's answers", () => {
    assert.ok(found);
    assert.deepEqual(crossTable(survey, found), {
      groups: [
        { name: "macos", total: 3, answers: 3 },
        { name: "linux", total: 1, answers: 1 },
      ],
      rows: [
        {
          option: "search",
          cells: [
            { count: 3, share: 1 },
            { count: 0, share: 0 },
          ],
        },
        {
          option: "friend",
          cells: [
            { count: 0, share: 0 },
            { count: 1, share: 1 },
          ],
        },
      ],
    });
  });

  it("has empty cells for a group that left the question out", () => {
    assert.ok(nps);
    const [nine] = crossTable(survey, nps).rows;
    assert.deepEqual(nine?.cells, [
      { count: 3, share: 1 },
      { count: 0, share: 0 },
    ]);
  });
});
