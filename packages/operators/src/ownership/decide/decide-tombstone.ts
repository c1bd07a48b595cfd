import type { Stored } from '@kubewright/kube';
import { FieldSet } from '@kubewright/kube/fields';
import { ANNOTATIONS, FIELD_MANAGER, type OwnershipReport } from '../api.ts';
import { ownClaim, readManagedFields } from '../read-managed-fields.ts';
import { deletionStrategy } from '../read-manifest.ts';
import type { ObservedResource } from './observed-resource.ts';
import {
  type DecideContext,
  failed,
  gone,
  note,
  type ResourceDecision,
  settledGone,
  waiting,
  withReport,
} from './resource-decision.ts';
import { rewriteOf } from './rewrite.ts';

/** Bounds the status. */
const LIMIT = 20;

/** An object that must not exist any more, as far as this manifest is concerned. */
export function decideTombstone(observed: ObservedResource, context: DecideContext): ResourceDecision {
  const { manifest, live } = observed;
  if (live === undefined || manifest.orphaned === true) return gone('Gone', settledGone(context));
  const isForeground = deletionStrategy(manifest.settings) === 'foreground';
  if (live.metadata.deletionTimestamp !== undefined)
    return isForeground ? waiting('Deleting', context) : gone('Gone', settledGone(context));
  const propagation = isForeground ? 'Foreground' : 'Background';
  return (
    decideHeld(observed, live, context) ?? {
      reason: 'Delete',
      action: { type: 'delete', live, propagation },
    }
  );
}

/** What somebody else has is released instead. A tombstone of the manifests themselves is an order, but not to others. */
function decideHeld(
  { manifest, heldBy = { compositions: [], tools: [] } }: ObservedResource,
  live: Stored,
  context: DecideContext,
): ResourceDecision | undefined {
  const { compositions, tools, isUnrecorded = false } = heldBy;
  if (manifest.isDropped !== true)
    return compositions.length === 0 ? undefined : contestedTombstone(compositions, context);
  const isOrdered = manifest.settings[ANNOTATIONS.deleteShared] === 'true';
  const holders = [...compositions, ...(isOrdered ? [] : tools)];
  if (holders.length === 0) return undefined;
  if (isUnrecorded) return { reason: 'HandOver', action: { type: 'handOver', live } };
  const giveUp = compositions.length === 0 ? decideGiveUp(live, context) : undefined;
  return giveUp ?? released(holders, context);
}

function contestedTombstone(compositions: readonly string[], context: DecideContext): ResourceDecision {
  const message = `not deleted, because ${compositions.join(', ')} has it`;
  const report: OwnershipReport = {
    state: 'Contested',
    reason: 'OtherComposition',
    message,
    managers: compositions.slice(0, LIMIT),
  };
  const decision = failed('Contested', message, context, report);
  const events = (decision.events ?? []).map((event) => ({ ...event, reason: 'OwnershipContested' }));
  return { ...decision, events };
}

function released(holders: readonly string[], context: DecideContext): ResourceDecision {
  const message = `released and not deleted, because others have it: ${holders.slice(0, LIMIT).join(', ')}`;
  const report: OwnershipReport = { state: 'Released', message, managers: holders.slice(0, LIMIT) };
  return {
    ...gone('Released', withReport(settledGone(context), report)),
    events: [note('Normal', 'Released', message)],
  };
}

/**
 * Ends our ownership of the fields, so that whoever has the object now can remove what it drops. Values stay. It is
 * not needed where ours is the only entry: then nobody is kept from anything, and an object without entries would give
 * all its fields to `before-first-apply`.
 */
function decideGiveUp(
  live: Stored,
  { rejected, policy, disableApply }: DecideContext,
): ResourceDecision | undefined {
  const { claims, undecodable } = readManagedFields(live);
  const own = ownClaim(claims, FIELD_MANAGER);
  const isPossible = own !== undefined && claims.length > 1 && undecodable.length === 0;
  const mayMove = policy.mode !== 'off' && policy.mode !== 'observe' && disableApply !== true;
  if (!isPossible || !mayMove || rejected !== undefined) return undefined;
  const rewrite = rewriteOf(claims, [{ owner: own.owner, set: FieldSet.EMPTY }]);
  return { reason: 'GiveUp', action: { type: 'rewrite', rewrite, live, isOptional: true } };
}
