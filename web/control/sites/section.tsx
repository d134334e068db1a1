import type { ComponentChildren } from "preact";

interface SectionProps {
  title: string;
  /** how it is set, in a few words; undefined until that is known */
  state?: string | undefined;
  isOpen?: boolean;
  children: ComponentChildren;
}

/** A part of a site's page that unfolds, with its state in the heading. */
export function Section({ title, state, isOpen = false, children }: SectionProps) {
  return (
    <details class="section" open={isOpen}>
      <summary>
        <h3>{title}</h3>
        {state !== undefined && <span class="state">{state}</span>}
      </summary>
      <div class="stack">{children}</div>
    </details>
  );
}
