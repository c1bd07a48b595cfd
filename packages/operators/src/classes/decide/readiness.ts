import type { Desired } from '../templates/rendering.ts';
import type { Live, LiveDeployment, LiveService } from './observed-class.ts';

/** `reason` and `message` are set when it is not ready. */
export type Readiness = { readonly ready: boolean; readonly reason?: string; readonly message?: string };

const READY: Readiness = { ready: true };

function unready(reason: string, message = ''): Readiness {
  return { ready: false, reason, message };
}

/** Whether an object is ready. An object whose new generation is not observed yet is not ready. */
export function readinessOf(live: Live | undefined, desired: Desired): Readiness {
  if (live === undefined) return unready('NotFound');
  if (live.metadata.deletionTimestamp !== undefined) return unready('Terminating');
  if (live.kind === 'Service') return serviceReadiness(live);
  const floor = desired.kind === 'Deployment' ? (desired.spec?.replicas ?? 1) : 1;
  return deploymentReadiness(live, floor);
}

/** `floor` replicas must be available; replicas that an autoscaler adds above them are not required. */
function deploymentReadiness(live: LiveDeployment, floor: number): Readiness {
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

function serviceReadiness({ spec }: LiveService): Readiness {
  const isReady = spec?.type === 'ExternalName' || (spec?.clusterIP ?? '') !== '';
  return isReady ? READY : unready('NoClusterIP');
}

/** Whether any pod serves, even while others fail, or when it is scaled to zero on purpose. */
export function isServing(live: Live | undefined): boolean {
  if (live?.kind !== 'Deployment') return false;
  return live.spec?.replicas === 0 || (live.status?.availableReplicas ?? 0) > 0;
}
