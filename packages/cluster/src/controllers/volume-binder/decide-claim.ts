import type { corev1, storagev1, Stored } from '@kubewright/kube';
import { BIND_COMPLETED, classOf, namesClass, SELECTED_NODE } from '../volumes/annotations.ts';
import { isAnnotated, isFor } from './binding.ts';
import { type BinderDecision, decision, eventAbout } from './decision.ts';
import { bestMatch, mismatch } from './best-match.ts';
import { provisionerOf } from './provisioner-of.ts';

type Claim = Stored<corev1.PersistentVolumeClaim>;
type Volume = Stored<corev1.PersistentVolume>;

/** Everything that a decision about one claim needs. */
export type ObservedClaim = {
  readonly claim: Claim;
  /** The volume that the claim names, if it is there. */
  readonly named: Volume | undefined;
  /** The volumes that are for the claim, and those of its class without a claimRef. */
  readonly candidates: readonly Volume[];
  /** Its class, if there is one of that name. */
  readonly storageClass: Stored<storagev1.StorageClass> | undefined;
  readonly defaultClass: Stored<storagev1.StorageClass> | undefined;
  /** Names of the pods that wait for a node and use the claim. */
  readonly waitingPods: readonly string[];
};

/** What to do about a claim: `syncClaim` of Kubernetes. */
export function decideClaim(observed: ObservedClaim): BinderDecision {
  const { claim } = observed;
  if (isAnnotated(claim, BIND_COMPLETED)) return decideBound(observed);
  if ((claim.spec.volumeName ?? '') === '') return decideFree(observed);
  return decideNaming(observed);
}

/** One that was bound is so for ever: to its volume, or to nothing. */
function decideBound({ claim, named }: ObservedClaim): BinderDecision {
  const { volumeName = '' } = claim.spec;
  const lose = (reason: string, message: string): BinderDecision =>
    claim.status?.phase === 'Lost'
      ? decision(reason, [])
      : decision(
          reason,
          [{ type: 'claimPhase', claim, phase: 'Lost' }],
          [eventAbout(claim, 'Warning', reason, message)],
        );
  if (volumeName === '')
    return lose(
      'ClaimLost',
      'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!',
    );
  if (named === undefined)
    return lose('ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!');
  const { claimRef } = named.spec;
  if (claimRef === undefined || claimRef.uid === claim.metadata.uid)
    return decision('Bound', [{ type: 'bind', volume: named, claim }]);
  return lose('ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly');
}

function pending(claim: Claim, reason: string, events: BinderDecision['events'] = []): BinderDecision {
  return decision(reason, [{ type: 'claimPhase', claim, phase: 'Pending' }], events);
}

/** One that names its volume gets that or none. */
function decideNaming({ claim, named }: ObservedClaim): BinderDecision {
  if (named === undefined) return pending(claim, 'NoSuchVolume');
  if (isFor(named, claim)) return decision('Binding', [{ type: 'bind', volume: named, claim }]);
  const name = named.metadata.name;
  if (named.spec.claimRef !== undefined) {
    const message = `volume "${name}" already bound to a different claim.`;
    return pending(claim, 'FailedBinding', [eventAbout(claim, 'Warning', 'FailedBinding', message)]);
  }
  const why = mismatch(named, claim);
  if (why === undefined) return decision('Binding', [{ type: 'bind', volume: named, claim }]);
  const message = `Cannot bind to requested volume "${name}": ${why}`;
  return pending(claim, 'VolumeMismatch', [eventAbout(claim, 'Warning', 'VolumeMismatch', message)]);
}

function decideFree(observed: ObservedClaim): BinderDecision {
  const { claim, candidates, storageClass, defaultClass } = observed;
  const delayed = storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
  const volume = bestMatch(claim, candidates, { delayed });
  if (volume !== undefined) return decision('Binding', [{ type: 'bind', volume, claim }]);
  if (!namesClass(claim) && defaultClass !== undefined)
    return decision('AssigningClass', [{ type: 'assignClass', claim, storageClass: defaultClass }]);
  if (delayed && !isAnnotated(claim, SELECTED_NODE)) return decideWaiting(observed);
  if (classOf(claim) !== '') return decideProvisioning(observed);
  const message = 'no persistent volumes available for this claim and no storage class is set';
  return pending(claim, 'FailedBinding', [eventAbout(claim, 'Normal', 'FailedBinding', message)]);
}

function decideWaiting({ claim, waitingPods }: ObservedClaim): BinderDecision {
  if (waitingPods.length === 0) {
    const message = 'waiting for first consumer to be created before binding';
    return pending(claim, 'Waiting', [eventAbout(claim, 'Normal', 'WaitForFirstConsumer', message)]);
  }
  const pods = waitingPods.length > 1 ? 'pods' : 'pod';
  const message = `waiting for ${pods} ${waitingPods.join(',')} to be scheduled`;
  return pending(claim, 'Waiting', [eventAbout(claim, 'Normal', 'WaitForPodScheduled', message)]);
}

/** An external provisioner creates the volume: annotations request it. */
function decideProvisioning({ claim, storageClass }: ObservedClaim): BinderDecision {
  const failed = (message: string): BinderDecision =>
    decision('ProvisioningFailed', [], [eventAbout(claim, 'Warning', 'ProvisioningFailed', message)]);
  if (storageClass === undefined) return failed(`storageclass.storage.k8s.io "${classOf(claim)}" not found`);
  const provisioner = provisionerOf(storageClass.provisioner);
  if ('failure' in provisioner) return failed(provisioner.failure);
  const message =
    `Waiting for a volume to be created either by the external provisioner '${provisioner.name}' or manually by ` +
    'the system administrator. If volume creation is delayed, please verify that the provisioner is running and ' +
    'correctly registered.';
  return decision(
    'Provisioning',
    [{ type: 'askProvisioner', claim, provisioner: provisioner.name }],
    [eventAbout(claim, 'Normal', 'ExternalProvisioning', message)],
  );
}
