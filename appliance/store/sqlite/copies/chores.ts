import { backUp } from "./backup.ts";
import { hostChore } from "./chore-host.ts";
import type { Kinds } from "./copy-documents.ts";
import { copyIn, keepOwn } from "./restore.ts";

/**
 * Work that takes long, or reads files that a stranger may have made: it has a process of its own, so
 * that neither hits nor reads wait, and nothing a file does to it reaches the service.
 */
export type Chore = { readonly kinds: Kinds } & (
  | { readonly kind: "backUp"; readonly source: string; readonly target: string }
  | { readonly kind: "copyIn"; readonly source: string; readonly target: string }
  | { readonly kind: "keepOwn"; readonly box: string; readonly incoming: string }
);

const CHORES: { [K in Chore["kind"]]: (chore: Extract<Chore, { kind: K }>) => void } = {
  backUp: ({ source, target, kinds }) => backUp(source, target, kinds),
  copyIn: ({ source, target, kinds }) => copyIn(source, target, kinds),
  keepOwn: ({ box, incoming, kinds }) => keepOwn(box, incoming, kinds),
};

hostChore((chore: Chore) => (CHORES[chore.kind] as (chore: Chore) => void)(chore));
