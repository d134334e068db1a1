import type { Document, Documents, DocumentsWanted } from "../../appliance/base/documents.ts";

/** The documents of a kind in memory: they are copied, answered later, and a change can fail as on a disk. */
export class MemoryDocuments<Body> implements Documents<Body> {
  readonly kept = new Map<string, { readonly body: Body; readonly file?: Uint8Array }>();
  /** While set, each change fails with it, as on a full disk. */
  fault: Error | undefined;
  changes = 0;

  async list(): Promise<Document<Body>[]> {
    return structuredClone(
      [...this.kept].map(([id, { body, file }]) => ({
        id,
        body,
        revision: 1,
        size: file?.length ?? 0,
      })),
    );
  }

  async change({ put = [], remove = [] }: DocumentsWanted<Body>): Promise<void> {
    await Promise.resolve();
    if (this.fault) throw this.fault;
    this.changes += 1;
    for (const id of remove) this.kept.delete(id);
    for (const { id, ...document } of structuredClone(put)) this.kept.set(id, document);
  }

  async file(id: string): Promise<Uint8Array | null> {
    return this.kept.get(id)?.file ?? null;
  }
}
