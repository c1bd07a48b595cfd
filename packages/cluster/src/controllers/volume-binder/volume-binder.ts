import { corev1, storagev1, type Stored } from '@kubewright/kube';
import {
  type Cache,
  type Manager,
  type Reconciler,
  type Request,
  requestFor,
  watchKind,
  watchMapped,
} from '@kubewright/runtime';
import { classOf } from '../volumes/annotations.ts';
import { claimsOf, indexPodsByClaim } from '../volumes/index-pods-by-claim.ts';
import { act } from './act.ts';
import { decideClaim } from './decide-claim.ts';
import { decideVolume } from './decide-volume.ts';
import type { BinderDecision } from './decision.ts';
import {
  claimsNaming,
  claimsWanting,
  indexVolumes,
  observeClaim,
  observeVolume,
  volumesFor,
} from './observe-claim.ts';

/** The service account of `kube-system` that it acts as. */
export const VOLUME_BINDER = 'persistent-volume-binder';

/** Joins claims and volumes, and releases volumes whose claims are gone. */
/** A webhook may have undone a write, and no event reports that. kube-controller-manager resyncs as often. */
const AFTER_WRITE_MS = 15_000;

export function addVolumeBinder(manager: Manager): void {
  const { cache } = manager;
  indexVolumes(cache);
  indexPodsByClaim(cache);
  const carryOut = carrierOf(manager);
  manager.addController({
    name: 'persistentvolume-binder-claims',
    // One at a time: two claims must not be given the same volume.
    maxConcurrentReconciles: 1,
    reconciler: reconcilerOf((request) => observeClaim(cache, request), decideClaim, carryOut),
    sources: [
      watchKind(corev1.persistentvolumeclaims),
      watchMapped(corev1.persistentvolumes, (volume) => claimsConcerned(cache, volume)),
      watchMapped(storagev1.storageclasses, ({ metadata: { name } }) =>
        [...claimsWanting(cache, name), ...claimsWanting(cache, '')].map(requestFor),
      ),
      watchMapped(corev1.pods, claimsOf, { predicates: [({ type }) => type !== 'Update'] }),
    ],
  });
  manager.addController({
    name: 'persistentvolume-binder-volumes',
    maxConcurrentReconciles: 1,
    reconciler: reconcilerOf((request) => observeVolume(manager, request), decideVolume, carryOut),
    sources: [
      watchKind(corev1.persistentvolumes),
      watchMapped(corev1.persistentvolumeclaims, (claim) => volumesConcerned(cache, claim)),
    ],
  });
}

/** Those whom it is for or is named by, and those whom it could serve. */
function claimsConcerned(cache: Cache, volume: Stored<corev1.PersistentVolume>): readonly Request[] {
  const { claimRef } = volume.spec;
  const naming = claimsNaming(cache, volume.metadata.name).map(requestFor);
  if (claimRef === undefined) return [...naming, ...claimsWanting(cache, classOf(volume)).map(requestFor)];
  return [...naming, { namespace: claimRef.namespace ?? '', name: claimRef.name ?? '' }];
}

function volumesConcerned(cache: Cache, claim: Stored<corev1.PersistentVolumeClaim>): readonly Request[] {
  const { volumeName = '' } = claim.spec;
  const named = volumeName === '' ? [] : [{ name: volumeName }];
  return [...named, ...volumesFor(cache, requestFor(claim)).map(requestFor)];
}

function reconcilerOf<O>(
  observe: (request: Request) => Promise<O | undefined> | O | undefined,
  decide: (observed: O) => BinderDecision,
  carryOut: (decision: BinderDecision) => Promise<void>,
): Reconciler {
  return {
    async reconcile(request) {
      const observed = await observe(request);
      if (observed === undefined) return {};
      const decision = decide(observed);
      await carryOut(decision);
      return decision.actions.length === 0 ? {} : { requeueAfter: AFTER_WRITE_MS };
    },
  };
}

function carrierOf(manager: Manager): (decision: BinderDecision) => Promise<void> {
  const recorder = manager.recorderFor('persistentvolume-controller');
  return async ({ actions, events }) => {
    await act(manager.client, actions);
    for (const { about, note } of events) recorder.record(about, note);
  };
}
