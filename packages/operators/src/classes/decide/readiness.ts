import type { Desired } from '../templates/rendering.ts';
import { KNATIVE_API } from '../knative-api.ts';
import { isRevisionServing, knativeReadiness, type Readiness } from './knative-readiness.ts';
import type { Live, LiveDeployment, LiveService, LiveStatefulSet } from './observed-class.ts';

const READY: Readiness = { ready: true };

function unready(reason: string, message = ''): Readiness {
  return { ready: false, reason, message };
}

/**
 * Whether an object is ready. An object whose new generation is not observed yet is not ready. `isScaling`: we have changed
 * nothing lately but its scale.
 */
export function readinessOf(live: Live | undefined, desired: Desired, isScaling = false): Readiness {
  if (live === undefined) return unready('NotFound');
  if (live.metadata.deletionTimestamp !== undefined) return unready('Terminating');
  if (live.apiVersion === KNATIVE_API) return knativeReadiness(live, isScaling);
  if (live.kind === 'Service') return serviceReadiness(live);
  if (live.kind === 'StatefulSet') return statefulSetReadiness(live);
  const floor = desired.kind === 'Deployment' ? (desired.spec?.replicas ?? 1) : 1;
  return deploymentReadiness(live, floor, isScaling);
}

/** New pods are still to come, and the old ones do. */
function isRolling({ reason = '' }: Readiness, { status }: LiveDeployment, floor: number): boolean {
  const isComing = ['NotObserved', 'Updating', 'OldReplicas'].includes(reason);
  return isComing && (status?.availableReplicas ?? 0) >= Math.max(1, floor);
}

/** `floor` replicas must be available; replicas that an autoscaler adds above them are not required. */
function deploymentReadiness(live: LiveDeployment, floor: number, isScaling: boolean): Readiness {
  const readiness = rolloutReadiness(live, floor);
  return isScaling && isRolling(readiness, live, floor) ? { ready: true, reason: 'Scaling' } : readiness;
}

function rolloutReadiness(live: LiveDeployment, floor: number): Readiness {
  const { observedGeneration } = live.status ?? {};
  if (observedGeneration === undefined || observedGeneration !== live.metadata.generation)
    return unready('NotObserved');
  if (live.spec?.paused === true) return unready('Paused');
  return replicaReadiness(live, floor);
}

function replicaReadiness({ spec, status }: LiveDeployment, floor: number): Readiness {
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status ?? {};
  const wanted = spec?.replicas ?? 1;
  const needed = Math.min(wanted, Math.max(1, floor));
  const old = Math.max(0, replicas - updatedReplicas);
  if (updatedReplicas < (old > 0 ? wanted : needed))
    return unready('Updating', `${updatedReplicas}/${wanted} updated`);
  if (old > 0) return unready('OldReplicas', `${old} of an older template`);
  return availability(availableReplicas, needed);
}

function availability(availableReplicas: number, needed: number): Readiness {
  if (availableReplicas < needed) return unready('Unavailable', `${availableReplicas}/${needed} available`);
  return READY;
}

/** All of its pods are of one template, and ready. */
function statefulSetReadiness({ metadata, spec, status }: LiveStatefulSet): Readiness {
  if (status?.observedGeneration !== metadata.generation) return unready('NotObserved');
  const wanted = spec?.replicas ?? 1;
  if (!isOfOneRevision(status, wanted))
    return unready('Updating', `${status?.updatedReplicas ?? 0}/${wanted} updated`);
  return availability(status?.readyReplicas ?? 0, wanted);
}

function isOfOneRevision(status: LiveStatefulSet['status'], wanted: number): boolean {
  return status?.currentRevision === status?.updateRevision && (status?.replicas ?? 0) === wanted;
}

function serviceReadiness({ spec }: LiveService): Readiness {
  const isReady = spec?.type === 'ExternalName' || (spec?.clusterIP ?? '') !== '';
  return isReady ? READY : unready('NoClusterIP');
}

/** Whether any pod serves, even while others fail, or when it is scaled to zero on purpose. */
export function isServing(live: Live | undefined): boolean {
  if (live?.apiVersion === KNATIVE_API) return isRevisionServing(live);
  if (live === undefined || live.kind === 'Service') return false;
  return live.spec?.replicas === 0 || (live.status?.availableReplicas ?? 0) > 0;
}
