import type { GraphNode } from './graph-node.ts';
import {
  compareReferences,
  type ObjectReference,
  ownerIdentity,
  referenceKey,
  refersTo,
} from './object-reference.ts';

/**
 * Another identity by which dependents refer to the uid of `absent`: the next after it in order, or the first, so
 * that asking for one after the other comes round to all of them.
 */
export function alternateIdentity(
  dependents: readonly GraphNode[],
  absent: ObjectReference,
): ObjectReference | undefined {
  const found = new Map<string, ObjectReference>();
  for (const { owners, identity } of dependents) {
    for (const owner of owners) {
      if (owner.uid !== absent.uid) continue;
      const inPlace = absent.namespace === '' || absent.namespace === identity.namespace;
      if (inPlace && refersTo(owner, absent)) continue;
      const reference = ownerIdentity(owner, namespaceOf(owner, identity.namespace, absent));
      found.set(referenceKey(reference), reference);
    }
  }
  found.delete(referenceKey(absent));
  const inOrder = [...found.values()].toSorted(compareReferences);
  return inOrder.find((reference) => compareReferences(absent, reference) < 0) ?? inOrder[0];
}

/** A kind that was asked for without a namespace has none, wherever its dependents are. */
function namespaceOf(
  owner: { readonly apiVersion: string; readonly kind: string },
  namespace: string,
  absent: ObjectReference,
): string {
  const sameKind = owner.apiVersion === absent.apiVersion && owner.kind === absent.kind;
  return absent.namespace === '' && sameKind ? '' : namespace;
}
