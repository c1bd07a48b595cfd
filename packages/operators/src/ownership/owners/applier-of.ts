import { compareText } from '@kubewright/kube';
import type { Claim } from '../read-managed-fields.ts';
import { claimsWithin } from './describe-owners.ts';

/**
 * Who applies an object (server-side apply): of several, one that owns what the pattern selects, then the one that
 * applied last. Undefined where nobody does.
 */
export function applierOf(claims: readonly Claim[], pattern: string): string | undefined {
  const latestFirst = claims
    .filter(({ owner }) => owner.operation === 'Apply' && owner.subresource === '')
    .toSorted((a, b) => compareText(b.entry.time ?? '', a.entry.time ?? ''));
  const [owner = latestFirst[0]] = claimsWithin(latestFirst, pattern);
  return owner?.owner.manager;
}
