import type { Site } from "../../appliance/control/wire.ts";
import { useShell } from "./context.ts";
import { ViewLink } from "./view/view-link.tsx";

/** A hint at the address that a site on https:// needs, until the box has it, or another place that counts it. */
export function HttpsHint({ site: { host, place } }: { site: Pick<Site, "host" | "place"> }) {
  const { public: answer } = useShell().box;
  if (host === null && place !== null) return <>It names {place.name}, which counts this site.</>;
  if (answer?.view.live) return null;
  return (
    <>
      A site on <code>https://</code> needs an address of this machine that its visitors reach by{" "}
      <code>https://</code>:{" "}
      <ViewLink to={{ tab: "box", part: "public" }}>give the machine a public address</ViewLink>.
    </>
  );
}
