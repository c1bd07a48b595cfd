import type { FieldSet } from '@kubewright/kube/fields';
import type { Claim, Owner } from '../../read-managed-fields.ts';

/** Two managers that own the same fields: what `applier` stops applying stays, or its removal is rejected. */
export type Split = { readonly applier: Owner; readonly other: Owner; readonly shared: FieldSet };

/** The pairs of managers of an object, each once. An object that nobody applies has none: no removal can fail. */
export function splitOwnership(claims: readonly Claim[]): readonly Split[] {
  const splits: Split[] = [];
  for (const [index, applier] of claims.entries()) {
    if (!isApplier(applier)) continue;
    for (const [at, other] of claims.entries()) {
      const isSeen = at === index || (at < index && isApplier(other));
      const shared = isSeen ? undefined : applier.set.intersection(other.set);
      if (shared !== undefined && !shared.isEmpty)
        splits.push({ applier: applier.owner, other: other.owner, shared });
    }
  }
  return splits;
}

function isApplier({ owner }: Claim): boolean {
  return owner.operation === 'Apply' && owner.subresource === '';
}
