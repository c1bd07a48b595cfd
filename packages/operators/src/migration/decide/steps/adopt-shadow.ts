import { controllerOf, isConditionTrue } from '@kubewright/kube';
import { DELETION_COST, LEAST_COST } from '../../api.ts';
import { secondsInStep } from '../enter-step.ts';
import type { LivePod } from '../observed-migration.ts';
import { isEnding, isMarked, shadowOf, sourceOf } from '../source-of.ts';
import { type Context, NEXT, type Turn, wait } from '../turn.ts';

/**
 * Gives the shadow away: to nobody, or to the ReplicaSet, which has one pod too many then and deletes the cheapest, the
 * source. Both stand still at the same message. Should the ReplicaSet choose the shadow, the source goes on.
 */
export function adoptShadow(context: Context): Turn {
  const { observed, status } = context;
  const shadow = shadowOf(observed);
  if (shadow === undefined) return wait('waiting for the shadow');
  const isReleased = controllerOf(shadow)?.uid !== observed.migration.metadata.uid;
  const source = sourceOf(observed, status);
  const isAlone = status.replicaSetUID === undefined || source === undefined || isEnding(source);
  if (isAlone) return isReleased ? NEXT : release(shadow);
  return isReleased ? leave(context) : giveAway(context, source, shadow);
}

/** The source is one too many. */
function leave(context: Context): Turn {
  return isPatient(context) ? wait('waiting for the ReplicaSet to delete the source') : NEXT;
}

function giveAway(context: Context, source: LivePod, shadow: LivePod): Turn {
  if (!isCheapest(source)) return { type: 'act', action: { type: 'cheapen', pod: source } };
  // A pod that is ready outlives one that is not, whatever they cost.
  const isWeaker = isReady(source) && !isReady(shadow);
  return isWeaker && isPatient(context)
    ? wait(`waiting for pod ${shadow.metadata.name} to be as ready as the source`)
    : release(shadow);
}

function release(pod: LivePod): Turn {
  return { type: 'act', action: { type: 'release', pod } };
}

function isCheapest({ metadata: { annotations = {} } }: LivePod): boolean {
  return annotations[DELETION_COST] === LEAST_COST;
}

function isReady({ status }: LivePod): boolean {
  return isConditionTrue(status?.conditions as never, 'Ready');
}

/** Nobody consumes meanwhile. */
function isPatient({ observed, status, now }: Context): boolean {
  const { settings, migration } = observed;
  return secondsInStep(status, now) < (migration.spec.deadlines?.pauseSeconds ?? settings.pause);
}

/** The shadow has taken over: the source goes, where no ReplicaSet has deleted it. */
export function removeSource({ observed, status }: Context): Turn {
  const source = sourceOf(observed, status);
  if (source === undefined) return NEXT;
  return isEnding(source)
    ? wait(`waiting for pod ${source.metadata.name} to end`)
    : { type: 'act', action: { type: 'deletePod', pod: source } };
}

/** Verifies that the shadow is whole, and is nobody's shadow any more. */
export function verifyShadow({ observed, status, handover }: Context): Turn {
  const { shadow, migration } = observed;
  const { pod } = handover.to;
  if (shadow === undefined || shadow.metadata.uid !== handover.to.uid || isEnding(shadow))
    return {
      type: 'undo',
      outcome: { phase: 'Failed', reason: 'StateLost', message: `pod ${pod} went after it had taken over` },
    };
  if (controllerOf(shadow)?.uid !== status.replicaSetUID)
    return wait(`waiting for the ReplicaSet to own pod ${pod}`);
  if (!isReady(shadow)) return wait(`waiting for pod ${pod} to be ready`);
  return isMarked(shadow, migration, 'shadow')
    ? { type: 'act', action: { type: 'settle', pod: shadow } }
    : NEXT;
}
