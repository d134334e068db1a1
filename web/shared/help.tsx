interface HelpProps {
  /** a page of the documentation and its part, like `dashboard#goals` */
  of: string;
  /** the title of what it stands beside */
  about: string;
}

/** The question mark of a card, which opens its part of the documentation. */
export function Help({ of, about }: HelpProps) {
  return (
    <a
      class="about"
      href={`docs/${of}`}
      target="_blank"
      aria-label={`Help: ${about}`}
      rel="noopener"
    >
      ?
    </a>
  );
}
