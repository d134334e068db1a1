import assert from "node:assert/strict";
import type { SurveyLabels, SurveysAnswer } from "../../../../appliance/traffic/collector/wire.ts";
import {
  crossTable,
  partText,
  questionsOf,
  versionInUse,
} from "../../../../web/dashboard/surveys/survey-model.ts";

const survey: SurveysAnswer = {
  site: "app",
  sv: 1,
  total: 5,
  short: 1,
  counts: { nps: { "10": 1, "9": 3 }, found: { friend: 2, search: 4 } },
  nps: { score: 100, answered: 4, promoters: 4, detractors: 0 },
  cross: "os",
  groups: {
    linux: { total: 1, counts: { found: { friend: 1, search: 1 } } },
    macos: { total: 4, counts: { found: { search: 3, friend: 1 }, nps: { "9": 3 } } },
  },
  comments: [],
};
const [nps, found] = questionsOf(survey);

describe("a survey's questions", () => {
  it("count their options and weigh them against the responses, of which each may choose several", () => {
    assert.deepEqual(found, {
      id: "found",
      name: "found",
      answers: 6,
      options: [
        { option: "search", name: "search", count: 4, share: 0.8 },
        { option: "friend", name: "friend", count: 2, share: 0.4 },
      ],
    });
  });

  it("keep a scale in its order", () => {
    const found = nps?.options.map(({ option }) => option);
    assert.deepEqual(found, ["9", "10"]);
  });
});

describe("labels", () => {
  const named = (labels: SurveyLabels) =>
    questionsOf({ ...survey, counts: { found: { search: 4 }, constructor: { name: 1 } } }, labels);

  it("stand for questions and options of their version, and ids for what has none", () => {
    const [question] = named({ 1: { found: { name: "How?", options: { search: "Searched" } } } });
    assert.deepEqual([question?.name, question?.options[0]?.name], ["How?", "Searched"]);
    const [other] = named({ 2: { found: { name: "How?" } } });
    assert.deepEqual([other?.name, other?.options[0]?.name], ["found", "search"]);
  });

  it("are never what every object has", () => {
    const [, question] = named({ 1: {} });
    assert.deepEqual([question?.name, question?.options[0]?.name], ["constructor", "name"]);
  });
});

describe("the part of a whole", () => {
  it("is in percent, and of a small whole in numbers", () => {
    assert.equal(partText(2, 3), "of 3");
    assert.equal(partText(19, 19), "of 19");
    assert.equal(partText(5, 20), "25.0%");
  });
});

describe("what is not told apart", () => {
  const other = "(other)";

  it("stands last, and leaves a scale in its order", () => {
    const [question] = questionsOf({ ...survey, counts: { nps: { "10": 1, [other]: 9, "9": 3 } } });
    const found = question?.options.map(({ option }) => option);
    assert.deepEqual(found, ["9", "10", other]);
  });

  it("is the last column, however large", () => {
    assert.ok(found);
    const groups = { [other]: { total: 9, counts: {} }, ...survey.groups };
    const names = crossTable({ ...survey, groups }, found).groups.map(({ name }) => name);
    assert.deepEqual(names, ["macos", "linux", other]);
  });
});

describe("a cross-table", () => {
  it("has a column per group, the largest first, and shares of the group's responses", () => {
    assert.ok(found);
    assert.deepEqual(crossTable(survey, found), {
      groups: [
        { name: "macos", total: 4 },
        { name: "linux", total: 1 },
      ],
      rows: [
        {
          option: "search",
          name: "search",
          cells: [
            { count: 3, share: 0.75 },
            { count: 1, share: 1 },
          ],
        },
        {
          option: "friend",
          name: "friend",
          cells: [
            { count: 1, share: 0.25 },
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
      { count: 3, share: 0.75 },
      { count: 0, share: 0 },
    ]);
  });
});

describe("the version that is shown", () => {
  const answered = (...totals: [sv: number, total: number][]) =>
    versionInUse(totals.map(([sv, total]) => ({ sv, total, last: "2026-03-04" })));

  it("is the newest that people answer", () => {
    assert.equal(answered([3, 40], [2, 400], [1, 9]), 3);
  });

  it("is none that somebody made up", () => {
    assert.equal(answered([999_999, 3], [2, 400], [1, 9]), 2);
  });

  it("is the first where nobody answered", () => {
    assert.equal(answered(), 1);
  });
});
