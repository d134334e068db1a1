/** Tokens of the structure block (Devicetree Specification 0.4, chapter 5.4). */
const [BEGIN_NODE, PROPERTY, NOTHING] = [1, 3, 4];
const MAGIC = 0xd00dfeed;

/**
 * The names of the board that a flattened device tree is for, as Linux shows them in
 * `/proc/device-tree/compatible`: the exact one first.
 * @throws {Error} where it is no device tree, or names none
 */
export function compatibleOf(tree: Buffer): string[] {
  const none = new Error("This is no device tree of a board.");
  if (tree.length < 40 || tree.readUInt32BE(0) !== MAGIC) throw none;
  const names = tree.readUInt32BE(12);
  const text = (at: number) => tree.toString("latin1", at, tree.indexOf(0, at));
  let at = tree.readUInt32BE(8);
  const next = () => {
    at += 4;
    return tree.readUInt32BE(at - 4);
  };
  const skip = (bytes: number) => {
    at += Math.ceil(bytes / 4) * 4;
  };
  // The root's properties come before its children.
  for (let depth = 0; depth < 2; ) {
    const token = next();
    if (token === BEGIN_NODE) {
      depth += 1;
      skip(text(at).length + 1);
    } else if (token === PROPERTY) {
      const [length, name] = [next(), text(names + next())];
      if (name === "compatible")
        return tree
          .toString("latin1", at, at + length)
          .split("\0")
          .slice(0, -1);
      skip(length);
    } else if (token !== NOTHING) throw none;
  }
  throw none;
}
