import { type AcceptedContent, withContent } from './accepted-content.ts';

/** What this process has accepted, by the uid of the parent. The decision log has it for good. */
export type Ledger = {
  note(parent: string, content: AcceptedContent): void;
  of(parent: string): readonly AcceptedContent[];
};

const MOST_PARENTS = 20_000;

export function createLedger(): Ledger {
  const contents = new Map<string, readonly AcceptedContent[]>();
  return {
    note(parent, content) {
      const known = contents.get(parent) ?? [];
      contents.delete(parent);
      contents.set(parent, withContent(known, content));
      if (contents.size > MOST_PARENTS) contents.delete(contents.keys().next().value ?? '');
    },
    of: (parent) => contents.get(parent) ?? [],
  };
}
