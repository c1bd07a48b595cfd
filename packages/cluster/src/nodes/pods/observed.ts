import type { corev1, Stored } from '@kubewright/kube';
import type { ContainerState, NodeImage } from '../runtime/container-runtime.ts';
import type { PodRecord } from './pod-record.ts';

/** What keeps a whole pod from starting: a volume that is not there yet. */
export type Obstacle = { readonly reason: string; readonly message: string };

/** What a container is, seen from the node: the runtime that has it, and what that says. */
export type SeenContainer = {
  readonly scheme: string;
  readonly image: NodeImage;
  /** What became of the attempt of which the record knows; undefined before the first. */
  readonly state?: ContainerState;
  /** It cannot be created: something that its environment is made of is missing. */
  readonly configError?: string;
};

/** All that a decision about a pod needs. */
export type Observed = {
  readonly pod: Stored<corev1.Pod>;
  /** The node's address. */
  readonly hostIP: string;
  readonly record: PodRecord;
  readonly containers: ReadonlyMap<string, SeenContainer>;
  readonly obstacle?: Obstacle;
  /** How long the node takes from seeing a pod to starting its containers. */
  readonly createMs: number;
};
