import type { corev1 } from '@kubewright/kube';

/** One node that is to be played. */
export type NodeOptions = {
  readonly name: string;
  /** Beside the usual ones: hostname, os, arch. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Beside those that the API server adds. */
  readonly taints?: readonly corev1.Taint[];
  /** Default 8 CPUs, 32 GiB, 110 pods, 100 GiB of storage; what is given here goes over that. */
  readonly capacity?: Readonly<Record<string, string>>;
  /** Its InternalIP. Default: one of `172.18.0.0/16`. */
  readonly address?: string;
  /** Where its kubelet API is served, at `address`. Default: nowhere. */
  readonly kubeletPort?: number;
};
