/** The JSON the collector answers. */

import type { Mark } from "../../base/text/marks.ts";

export type { ErrorAnswer } from "../../base/http/wire.ts";
export type {
  CrossField,
  ExportPage,
  GoalsAnswer,
  HoursOfDay,
  OverviewAnswer,
  SeriesRow,
  SiteSource,
  SiteWeek,
  StatsAnswer,
  StatsTotals,
  SurveyLabels,
  SurveysAnswer,
  SurveyVersions,
  Warning,
} from "../../store/reports.ts";

/** The answer of `POST /session`: a token that reads every site for a while. */
export interface SessionAnswer {
  token: string;
}

/** `GET /public-address`: where visitors reach this collector, or the host of the site that was named; null until they do. */
export interface PublicAddressAnswer {
  /** `https://stats.example.com` */
  url: string | null;
  /** The place that counts the site that was named with its token; null where none does. */
  place: TagPlace | null;
}

/** A place as the tag of a site names it. */
export interface TagPlace {
  /** Its name for people. */
  name: string;
  /** `https://stats.example.com` */
  url: string;
  /** The id that the site has there. */
  site: string;
}

/** `GET /web-ui`: where who asks reaches the owner's Web UI; null where that is not known, or no site but one is theirs to read. */
export interface WebUiAnswer {
  /** `http://tallydeck.local:3000` */
  url: string | null;
}

/** The answer of `GET /marks`. */
export interface MarksAnswer {
  site: string;
  marks: readonly Mark[];
}

/** An entry of `GET /sites`. */
export interface SiteEntry {
  id: string;
  host: string | null;
}
