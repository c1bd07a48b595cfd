import type { corev1, Stored } from '@kubewright/kube';
import { MIGRATED_TO, PROVISIONED_BY } from '../volumes/annotations.ts';
import { isAnnotated } from './binding.ts';
import { type BinderAction, type BinderDecision, decision, eventAbout } from './decision.ts';
import { sameVolumeMode } from './best-match.ts';
import { deleterOf, isRecyclable } from './provisioner-of.ts';

type Claim = Stored<corev1.PersistentVolumeClaim>;
type Volume = Stored<corev1.PersistentVolume>;

/** `claim`: the one whose uid the volume has, if it is there. */
export type ObservedVolume = { readonly volume: Volume; readonly claim: Claim | undefined };

const NOTHING = decision('AsItIs', []);

/** What to do about a volume: `syncVolume` of Kubernetes. */
export function decideVolume({ volume, claim }: ObservedVolume): BinderDecision {
  const { claimRef } = volume.spec;
  // Reserved for a claim is still available: it is the claim that comes to its volume.
  if ((claimRef?.uid ?? '') === '')
    return decision('Free', [{ type: 'volumePhase', volume, phase: 'Available' }]);
  if (claim === undefined) return decideReleased(volume);
  return decideClaimed(volume, claim);
}

/** Its claim is there: on this volume, on another one, or yet to come. */
function decideClaimed(volume: Volume, claim: Claim): BinderDecision {
  const { volumeName = '' } = claim.spec;
  if (volumeName === '') return sameVolumeMode(claim, volume) ? NOTHING : volumeMismatch(volume, claim);
  if (volumeName === volume.metadata.name)
    return decision('Bound', [{ type: 'volumePhase', volume, phase: 'Bound' }]);
  const superfluous =
    isAnnotated(volume, PROVISIONED_BY) && volume.spec.persistentVolumeReclaimPolicy === 'Delete';
  return superfluous ? decideReleased(volume) : decision('ClaimIsElsewhere', [{ type: 'unbind', volume }]);
}

function volumeMismatch(volume: Volume, claim: Claim): BinderDecision {
  const why = 'due to incompatible volumeMode.';
  const ofVolume = `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claim.metadata.name}" ${why}`;
  const ofClaim = `Cannot bind PersistentVolume "${volume.metadata.name}" to requested PersistentVolumeClaim ${why}`;
  return decision(
    'VolumeMismatch',
    [],
    [
      eventAbout(volume, 'Warning', 'VolumeMismatch', ofVolume),
      eventAbout(claim, 'Warning', 'VolumeMismatch', ofClaim),
    ],
  );
}

/** Its claim is gone. A failure stays to be seen while it is tried again. */
function decideReleased(volume: Volume): BinderDecision {
  const isReleased = ['Released', 'Failed'].includes(volume.status?.phase ?? '');
  const release: readonly BinderAction[] = isReleased
    ? []
    : [{ type: 'volumePhase', volume, phase: 'Released' }];
  if ((volume.metadata.annotations?.[MIGRATED_TO] ?? '') !== '') return decision('Released', release);
  // One step at a time: what is released now is reclaimed when that is seen.
  if (release.length > 0) return decision('Released', release);
  return reclaim(volume);
}

function reclaim(volume: Volume): BinderDecision {
  const fail = (reason: string, message: string): BinderDecision =>
    volume.status?.phase === 'Failed'
      ? NOTHING
      : decision(
          reason,
          [{ type: 'volumePhase', volume, phase: 'Failed', message }],
          [eventAbout(volume, 'Warning', reason, message)],
        );
  switch (volume.spec.persistentVolumeReclaimPolicy) {
    case 'Retain':
      return NOTHING;
    case 'Recycle':
      return isRecyclable(volume)
        ? NOTHING
        : fail('VolumeFailedRecycle', 'No recycler plugin found for the volume!');
    case 'Delete': {
      const deleter = deleterOf(volume);
      if (deleter === 'external') return NOTHING;
      return deleter === 'ours'
        ? decision(
            'Deleting',
            volume.metadata.deletionTimestamp === undefined ? [{ type: 'delete', volume }] : [],
          )
        : fail('VolumeFailedDelete', deleter.failure);
    }
    default:
      return fail('VolumeUnknownReclaimPolicy', 'Volume has unrecognized PersistentVolumeReclaimPolicy');
  }
}
