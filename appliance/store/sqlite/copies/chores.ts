import { backUp } from "./backup.ts";
import { type Chore, hostChore } from "./chore-process.ts";
import { copyIn, keepOwn } from "./restore.ts";

const CHORES: {
  [K in Chore["kind"]]: (chore: Extract<Chore, { kind: K }>) => void | Promise<void>;
} = {
  backUp: ({ source, target, kinds }) => backUp(source, target, kinds),
  copyIn: ({ source, target, kinds }) => copyIn(source, target, kinds),
  keepOwn: ({ box, incoming, kinds }) => keepOwn(box, incoming, kinds),
};

hostChore((chore: Chore) => (CHORES[chore.kind] as (chore: Chore) => void | Promise<void>)(chore));
