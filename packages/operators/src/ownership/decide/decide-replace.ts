import { defined, type KubeObject, type Stored } from '@kubewright/kube';
import { atVersion } from '../../kit/any-kind-api.ts';
import type { ObservedResource } from './observed-resource.ts';
import { type DecideContext, done, failed, type ResourceDecision, settled } from './resource-decision.ts';
import { sameContent } from './same-intent.ts';

/**
 * Replaces the whole object (`eno.azure.io/replace`). Who owns which field is of no meaning then. It is sent only where it
 * changes something, once in a reconcile: others may put back what it takes.
 */
export function decideReplace(
  { manifest, dryRun }: ObservedResource,
  live: Stored,
  context: DecideContext,
): ResourceDecision {
  if (dryRun === undefined) return failed('NotObserved', 'the dry run is missing', context);
  if (!dryRun.ok) return failed('Refused', dryRun.status.message ?? 'rejected', context);
  if (sameContent(live, dryRun.object)) return done('InSync', settled(context), context);
  if (context.applies > 0) return done('Applied', settled(context), context);
  return {
    reason: 'Replace',
    action: { type: 'replace', object: replacementOf(manifest.object, live), live },
  };
}

/**
 * What replaces `live`: the manifest, at the resourceVersion that was read. Finalizers and owner references that it does
 * not mention stay: they belong to the server and to those that clean up after the object.
 */
export function replacementOf(object: KubeObject, live: Stored): KubeObject {
  const { finalizers, ownerReferences } = live.metadata;
  const metadata = { ...defined({ finalizers, ownerReferences }), ...object.metadata };
  return atVersion({ ...object, metadata }, live);
}
