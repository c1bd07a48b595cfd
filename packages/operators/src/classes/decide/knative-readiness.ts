import type { Stored } from '@kubewright/kube';
import { knativeCondition, type KnativeService } from '../knative-api.ts';

/** `reason` and `message` are set when it is not ready; `Scaling`, when it is, and new pods are still to come. */
export type Readiness = { readonly ready: boolean; readonly reason?: string; readonly message?: string };

/**
 * Whether the latest Revision is ready and gets the traffic. `isScaling`: its template differs from that of the one before
 * only by the minimum scale that we have set, so the one before is as good for as long as it serves.
 */
export function knativeReadiness(live: Stored<KnativeService>, isScaling: boolean): Readiness {
  const failure = revisionFailure(live);
  if (failure !== undefined) return { ready: false, reason: 'RevisionFailed', message: failure };
  if (isObserved(live) && isLatestReady(live) && isTrue(live, 'Ready')) return { ready: true };
  if (isScaling && isRevisionServing(live)) return { ready: true, reason: 'Scaling' };
  return isObserved(live) ? pending(live) : { ready: false, reason: 'NotObserved' };
}

function pending(live: Stored<KnativeService>): Readiness {
  const isMoving = isLatestReady(live) && isTrue(live, 'ConfigurationsReady');
  const { message = '' } = knativeCondition(live, 'Ready') ?? {};
  return { ready: false, reason: isMoving ? 'TrafficMigrating' : 'RevisionPending', message };
}

function isLatestReady({ status = {} }: Stored<KnativeService>): boolean {
  const { latestCreatedRevisionName, latestReadyRevisionName = '' } = status;
  return latestReadyRevisionName !== '' && latestCreatedRevisionName === latestReadyRevisionName;
}

/**
 * Why the Revision of this very generation failed. Only its Configuration says so for good: that a Route has no Revision yet
 * (`RevisionMissing`) is no failure.
 */
function revisionFailure(live: Stored<KnativeService>): string | undefined {
  const { status, reason, message = '' } = knativeCondition(live, 'ConfigurationsReady') ?? {};
  return isObserved(live) && status === 'False' && reason === 'RevisionFailed' ? message : undefined;
}

function isObserved({ metadata, status }: Stored<KnativeService>): boolean {
  return status?.observedGeneration !== undefined && status.observedGeneration === metadata.generation;
}

/** Whether a Revision gets the traffic, be it an older one. */
export function isRevisionServing(live: Stored<KnativeService>): boolean {
  return (live.status?.latestReadyRevisionName ?? '') !== '' && isTrue(live, 'RoutesReady');
}

function isTrue(live: Stored<KnativeService>, type: Parameters<typeof knativeCondition>[1]): boolean {
  return knativeCondition(live, type)?.status === 'True';
}
