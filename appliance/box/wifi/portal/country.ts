/** Languages that are spoken, above all, in one country. */
const HOMES: ReadonlyMap<string, string> = new Map(
  `bg-BG cs-CZ da-DK de-DE el-GR es-ES et-EE fi-FI fr-FR he-IL hr-HR hu-HU is-IS it-IT ja-JP ko-KR lt-LT
   lv-LV nb-NO nl-NL nn-NO no-NO pl-PL ro-RO sk-SK sl-SI sv-SE th-TH tr-TR uk-UA vi-VN`
    .split(/\s+/)
    .map((each) => [each.slice(0, 2), each.slice(3)]),
);

/** The most languages of a header that are looked at. */
const MOST_LANGUAGES = 10;

/**
 * The country that a phone's languages speak for; empty where they speak for none.
 * @param languages the header `Accept-Language`: `de-CH,de;q=0.9`
 */
export function proposedCountry(languages: string, countries: readonly string[]): string {
  const tags = languages
    .slice(0, 500)
    .split(",")
    .slice(0, MOST_LANGUAGES)
    .map((tag) => tag.replace(/;.*$/s, "").trim());
  const regions = tags.map((tag) => /^[a-z]{2,3}(?:-[a-z]{4})?-([a-z]{2})$/i.exec(tag)?.[1] ?? "");
  const homes = tags.map((tag) => HOMES.get(tag.toLowerCase()) ?? "");
  return (
    [...regions, ...homes]
      .map((code) => code.toUpperCase())
      .find((code) => countries.includes(code)) ?? ""
  );
}
