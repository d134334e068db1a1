import type { ExportFormat } from "../../../../appliance/base/text/export-name.ts";
import { Section } from "../section.tsx";

const CHOICES: readonly { format: ExportFormat; name: string; about: string }[] = [
  {
    format: "jsonl",
    name: "Everything",
    about: "For another Tallydeck, which then gives the same answers.",
  },
  {
    format: "csv",
    name: "One table",
    about: "For a spreadsheet: each value of each list by day.",
  },
  {
    format: "plausible",
    name: "For Plausible",
    about: "A zip archive that Plausible imports, and others who read its files.",
  },
];

/** Downloads of all that was counted of a site. */
export function ExportField({ site }: { site: string }) {
  return (
    <Section title="Export">
      <div class="stack moving">
        <p class="hint">All days of {site} as one file. It may take a minute to begin.</p>
        <ul class="entries">
          {CHOICES.map(({ format, name, about }) => (
            <li key={format} class="entry">
              <div>
                {name}
                <small>{about}</small>
              </div>
              {/* The browser saves it as it comes, and shows the sentence where it cannot. */}
              <a
                class="button"
                href={`api/sites/${site}/export?format=${format}`}
                aria-label={`Download ${site}: ${name}`}
              >
                Download
              </a>
            </li>
          ))}
        </ul>
      </div>
    </Section>
  );
}
