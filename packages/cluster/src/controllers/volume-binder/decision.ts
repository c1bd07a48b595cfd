import type { corev1, storagev1, Stored } from '@kubewright/kube';
import type { EventNote } from '@kubewright/runtime';
import type { ClaimPhase, VolumePhase } from './binding.ts';

type Claim = Stored<corev1.PersistentVolumeClaim>;
type Volume = Stored<corev1.PersistentVolume>;

/** One thing to do; each leads to a write only where something is not yet as it says. */
export type BinderAction =
  /** Volume, then its phase, then the claim, then its phase: a crash in between is mended from either side. */
  | { readonly type: 'bind'; readonly volume: Volume; readonly claim: Claim }
  | { readonly type: 'unbind'; readonly volume: Volume }
  | { readonly type: 'claimPhase'; readonly claim: Claim; readonly phase: ClaimPhase }
  | {
      readonly type: 'volumePhase';
      readonly volume: Volume;
      readonly phase: VolumePhase;
      readonly message?: string;
    }
  | {
      readonly type: 'assignClass';
      readonly claim: Claim;
      readonly storageClass: Stored<storagev1.StorageClass>;
    }
  | { readonly type: 'askProvisioner'; readonly claim: Claim; readonly provisioner: string }
  | { readonly type: 'delete'; readonly volume: Volume };

export type BinderDecision = {
  readonly actions: readonly BinderAction[];
  /** Emitted when the actions are done. */
  readonly events: readonly { readonly about: Claim | Volume; readonly note: EventNote }[];
  readonly reason: string;
};

export function decision(
  reason: string,
  actions: readonly BinderAction[],
  events: BinderDecision['events'] = [],
): BinderDecision {
  return { reason, actions, events };
}

/** An event about a claim or a volume. */
export function eventAbout(
  about: Claim | Volume,
  type: EventNote['type'],
  reason: string,
  message: string,
): BinderDecision['events'][number] {
  return { about, note: { type, reason, message } };
}
