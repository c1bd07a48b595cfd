import type { corev1 } from '@kubewright/kube';
import type { VolumeCaptureRequest } from '../../api/volume-capture-request.ts';
import type { Author } from '../../authority/read-author.ts';
import type { KeeperState } from '../../requests/keeper-state.ts';
import type { LiveRead } from '../../requests/read-live.ts';

/** Everything that a decision about a VolumeCaptureRequest of mode Detach depends on, except the time. */
export type ObservedDetach = {
  readonly request: VolumeCaptureRequest;
  readonly keeper: KeeperState;
  /** Read while the request has no keeper: nothing begins without. */
  readonly author?: Author;
  /** What has the target's name now; absent without a target. */
  readonly claim?: LiveRead<corev1.PersistentVolumeClaim>;
  /** The volume of the request's progress; before there is any, the one that the claim is bound to. */
  readonly volume?: LiveRead<corev1.PersistentVolume>;
};
