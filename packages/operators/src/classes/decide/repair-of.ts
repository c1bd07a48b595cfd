import type { DegradedReason } from '../api.ts';
import type { Facts } from './facts.ts';
import type { ClassAction, Live } from './observed-class.ts';
import { isDue } from './refusal-of.ts';

const ORPHANS_GO: readonly DegradedReason[] = ['ReplicaFailure', 'Unschedulable', 'Orphaned'];

/** What is done about anomalies. Orphans go before their successors are ready only where they may be in their way. */
export function repairOf(facts: Facts): ClassAction | undefined {
  const { anomalies, children, runtime, orphans } = facts;
  const missing = children.find(({ live }) => live === undefined);
  if (missing !== undefined && !isDue(facts)) return undefined;
  if (missing !== undefined) return { type: 'apply', runtime, object: missing.desired, isMissing: true };
  return anomalies.some(({ reason }) => ORPHANS_GO.includes(reason)) ? orphanDeletion(orphans[0]) : undefined;
}

export function deletionOf(object: Live | undefined): ClassAction | undefined {
  return object === undefined ? undefined : { type: 'delete', object };
}

export function orphanDeletion(object: Live | undefined): ClassAction | undefined {
  return object === undefined ? undefined : { type: 'delete', object, isOrphan: true };
}
