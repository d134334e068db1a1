import type { ComponentChildren } from "preact";
import { useShell } from "../context.ts";
import { formatView, type View } from "./view.ts";

interface ViewLinkProps {
  to: Partial<View>;
  "aria-current"?: "page" | undefined;
  children: ComponentChildren;
}

/** A link to another view of this page, with an address of its own. */
export function ViewLink({ to, ...rest }: ViewLinkProps) {
  const { view, change } = useShell();
  const follow = (event: MouseEvent) => {
    // The browser itself opens other tabs and windows.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    change(to);
    scrollTo(0, 0);
  };
  return <a href={formatView({ ...view, ...to })} onClick={follow} {...rest} />;
}
