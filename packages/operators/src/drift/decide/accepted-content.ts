/** What a controller has once made of a child, and of which spec of the parent: both are hashes. */
export type AcceptedContent = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly inputs: string;
  readonly content: string;
};

/** The content of a child that its controller has deleted, because somebody has approved that. */
export const GONE = '';

/** How many are remembered for each parent. */
export const MOST_CONTENTS = 100;

/** With one more; the latest is last, and the same content is there once. */
export function withContent(
  known: readonly AcceptedContent[],
  added: AcceptedContent,
): readonly AcceptedContent[] {
  const last = known.at(-1);
  if (last !== undefined && last.name === added.name && isSameContent(last, added)) return known;
  const same = known.filter((one) => isSameContent(one, added));
  // That the server has named one like it stays known.
  const kept = same.find(isNamedByServer) ?? added;
  return [...known.filter((one) => !same.includes(one)), kept].slice(-MOST_CONTENTS);
}

/** When it was made, it had no name yet. */
export function isNamedByServer({ name }: AcceptedContent): boolean {
  return name.endsWith('*');
}

/** Whether both are the same content for the same spec, of children of the same name but for its last part. */
export function isSameContent(one: AcceptedContent, other: AcceptedContent): boolean {
  const isNamed = one.content === GONE ? one.name === other.name : stemOf(one.name) === stemOf(other.name);
  return isNamed && one.content === other.content && isSameKind(one, other);
}

export function isSameKind(one: AcceptedContent, other: AcceptedContent): boolean {
  return one.kind === other.kind && one.apiVersion === other.apiVersion && one.inputs === other.inputs;
}

/** Whether one of this kind and name, but for its last part, is known. */
export function isKnownKind(known: readonly AcceptedContent[], entry: AcceptedContent): boolean {
  return known.some((one) => isSameKind(one, entry) && stemOf(one.name) === stemOf(entry.name));
}

/** `queue-7` and `queue-8` are made in turn; `web` is what it is. */
function stemOf(name: string): string {
  const end = name.lastIndexOf('-');
  return end > 0 ? name.slice(0, end) : name;
}
