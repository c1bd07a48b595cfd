import type { PodInfo } from '../state/pod-info.ts';
import type { NodeInfo, Snapshot } from '../state/snapshot.ts';

/** The names that kube-scheduler gives what turns pods away. */
export type FilterName =
  | 'InterPodAffinity'
  | 'NodeAffinity'
  | 'NodePorts'
  | 'NodeResourcesFit'
  | 'NodeUnschedulable'
  | 'PodTopologySpread'
  | 'TaintToleration'
  | 'VolumeBinding';

/** Why a node will not do. */
export type Rejection = {
  /** In kube-scheduler's words. */
  readonly reasons: readonly string[];
  /** Whether it would if other pods went. */
  readonly resolvable: boolean;
};

/** Asks one node; `undefined` where it will do. */
export type Check = (node: NodeInfo) => Rejection | undefined;

/** What a filter makes of a pod before it looks at nodes. Nothing at all: the pod is not its business. */
export type Prepared = {
  readonly check?: Check;
  /** No node will do, whichever it is. */
  readonly rejected?: string;
  /** Only these are worth asking. */
  readonly only?: ReadonlySet<string>;
};

export type Filter = {
  readonly name: FilterName;
  prepare(info: PodInfo, snapshot: Snapshot): Prepared;
};

/** A rejection that only a change of the node or of the pod itself ends. */
export function unresolvable(...reasons: readonly string[]): Rejection {
  return { reasons, resolvable: false };
}
