import type { corev1, Stored } from '@kubewright/kube';
import type { PodInfo } from './pod-info.ts';
import type { Resources } from './resources.ts';

/** A node with the pods on it, those included that are on their way there. */
export type NodeInfo = {
  readonly name: string;
  readonly node: Stored<corev1.Node>;
  readonly allocatable: Resources;
  readonly requested: Resources;
  /** By uid. */
  readonly pods: ReadonlyMap<string, PodInfo>;
  /** How many pods of each controller, by its uid. */
  readonly owners: ReadonlyMap<string, number>;
};

/** All that a decision about one pod may look at. */
export type Snapshot = {
  readonly nodes: ReadonlyMap<string, NodeInfo>;
  /** Pods on nodes that keep others away: only these need to be asked. */
  readonly guarded: ReadonlyMap<string, { readonly info: PodInfo; readonly node: string }>;
  namespaceLabels(name: string): Readonly<Record<string, string>> | undefined;
};
