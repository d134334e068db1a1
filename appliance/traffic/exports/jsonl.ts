import { formatDay } from "../../base/calendar.ts";
import type { ExportedSite } from "./site.ts";

/** The version of the lines. A reader takes this one and those before. */
const JSONL_VERSION = 1;

/** All that there is of a site, an object in each line, from which another box has the same answers. */
export async function* jsonlExport(
  site: ExportedSite,
  onShare: (share: number) => void,
): AsyncGenerator<string> {
  const { id, zone } = site;
  const line = (value: object) => `${JSON.stringify(value)}\n`;
  yield line({ tallydeck: JSONL_VERSION, site: id, zone });
  const gaps = await site.gaps();
  for await (const [setting, body] of site.settings()) yield line({ setting, body });
  yield line({ past: await site.past() });
  for await (const { day, content, share } of site.days()) {
    onShare(share);
    const lacks = gaps.find(({ from, to }) => from <= day && day <= to)?.lacks;
    yield line({ day, lacks, ...content });
  }
  for await (const { day, payload } of site.surveys())
    yield line({ response: JSON.parse(payload), day: formatDay(day) });
}
