import type { corev1, Stored } from '@kubewright/kube';
import type { CaptureSchedule } from '../api/capture-schedule.ts';
import type { Author } from '../authority/read-author.ts';

/** A request that a schedule has made. */
export type MadeRequest = {
  readonly kind: 'ManifestCaptureRequest' | 'VolumeCaptureRequest';
  readonly name: string;
  readonly uid: string;
  /** The moment of its run, in milliseconds. */
  readonly time: number;
  /** `running` until it has ended. */
  readonly state: 'running' | 'succeeded' | 'failed';
};

/** Everything that a decision about a schedule depends on, except the time. */
export type ObservedSchedule = {
  readonly schedule: CaptureSchedule;
  readonly author: Author;
  readonly requests: readonly MadeRequest[];
  /** The bound claims that it captures, or why they cannot be named. */
  readonly claims: readonly Stored<corev1.PersistentVolumeClaim>[] | { readonly problem: string };
};
