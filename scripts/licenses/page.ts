/** Makes the page of all licenses, for the box's own documentation. */
import type { LicensedPart, LicenseList } from "../../appliance/base/release/license-list.ts";
import { docsPage, escaped } from "../docs.ts";

const INTRO =
  "Tallydeck is under the MIT license. It comes with the work of many others: this page names each part, and has its notice.";
const OF_DEBIAN = " Notices of Debian’s packages are files of the box, and open from here.";

/** @returns a page of HTML, with the notices below a table of all parts */
export function licensesPage(list: LicenseList): string {
  const rows = list.parts.map(
    (part) =>
      `<tr role="row"><td role="cell">${linked(part)}</td>${cell("Version", part.version)}${cell("License", part.license)}</tr>`,
  );
  const heads = ["Name", "Version", "License"].map(
    (head) => `<th role="columnheader">${head}</th>`,
  );
  const notices = list.texts.map(
    (text, place) =>
      `<h3 id="notice-${place}">${escaped(namesOf(list, place))}</h3>\n<pre tabindex="0"><code>${escaped(text)}</code></pre>`,
  );
  return docsPage("Licenses", {
    body: `<h1>Licenses</h1>
<p>${INTRO}${list.parts.some(({ file }) => file !== undefined) ? OF_DEBIAN : ""}</p>
<div class="wide" tabindex="0" role="region" aria-label="Table"><table role="table"><thead role="rowgroup"><tr role="row">${heads.join("")}</tr></thead><tbody role="rowgroup">
${rows.join("\n")}
</tbody></table></div>
<h2>Notices</h2>
${notices.join("\n")}`,
    about: "The licenses of all that comes with Tallydeck.",
  });
}

function linked({ name, file, notices }: LicensedPart & { notices: readonly number[] }): string {
  const [first] = notices;
  const to =
    file === undefined
      ? first !== undefined && `#notice-${first}`
      : `copyright-${encodeURIComponent(name)}.txt`;
  return to ? `<a href="${escaped(to)}">${escaped(name)}</a>` : escaped(name);
}

function cell(head: string, text: string): string {
  return `<td role="cell" data-head="${head}">${escaped(text)}</td>`;
}

/** The parts that a notice is of; of many, the first ones. */
function namesOf({ parts }: LicenseList, place: number): string {
  const names = [
    ...new Set(parts.filter(({ notices }) => notices.includes(place)).map(({ name }) => name)),
  ];
  const [first = ""] = names;
  return names.length > 3 ? `${first} and ${names.length - 1} more` : names.join(", ");
}
