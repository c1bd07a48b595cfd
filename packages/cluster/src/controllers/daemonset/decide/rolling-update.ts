import type { corev1, Stored } from '@kubewright/kube';
import { isAvailable } from '../../workloads/pod-state.ts';
import { isUpdated } from './daemon-pod.ts';
import type { Observed, Work } from './daemon-set-decision.ts';
import { limitsOf } from './limits.ts';
import type { NodeFit } from './node-fit.ts';
import { isLeaving, type PodsByNode } from './pods-by-node.ts';

type Pod = Stored<corev1.Pod>;

/** One node during an update. Of each sort of pod it has at most one; `excess`: it has more, which is put right first. */
type Place = {
  readonly node: string;
  readonly fit: NodeFit | undefined;
  readonly fresh: Pod | undefined;
  readonly old: Pod | undefined;
  readonly excess: boolean;
};

type Circumstances = {
  readonly there: PodsByNode;
  readonly fit: (node: Stored<corev1.Node>) => NodeFit;
  readonly now: number;
};

/** Which pods of older templates give way now, within the limits of the update. */
export function rollingUpdate(observed: Observed, { there, fit, now }: Circumstances): Work {
  const { set, hash, nodes } = observed;
  const fits = new Map(nodes.map((node) => [node.metadata.name, fit(node)]));
  const wanted = [...fits].filter(([, { run }]) => run).map(([node]) => node);
  const places = [...new Set([...wanted, ...there.keys()])].map((node): Place => {
    const pods = (there.get(node) ?? []).filter((pod) => !isLeaving(pod));
    const fresh = pods.filter((pod) => isUpdated(set, hash, pod));
    const old = pods.filter((pod) => !isUpdated(set, hash, pod));
    const excess = fresh.length > 1 || old.length > 1;
    return { node, fit: fits.get(node), fresh: fresh[0], old: old[0], excess };
  });
  const available = (pod: Pod): boolean => isAvailable(pod, set.spec.minReadySeconds ?? 0, now);
  const { maxSurge, maxUnavailable } = limitsOf(set, wanted.length);
  if (maxSurge > 0) return surge(places, { available, maxSurge, desired: wanted.length });
  return replace(places, available, maxUnavailable);
}

type Available = (pod: Pod) => boolean;

/** Old pods that are not available have nothing to lose; of the others as many as may be missing. */
function replace(places: readonly Place[], available: Available, maxUnavailable: number): Work {
  const whole = places.filter(({ excess }) => !excess);
  const onlyOld = whole.flatMap(({ fresh, old }) => (fresh === undefined ? (old ?? []) : []));
  const [useful, useless] = [onlyOld.filter(available), onlyOld.filter((pod) => !available(pod))];
  const updated = whole.filter(
    ({ fresh, old }) => fresh !== undefined && old === undefined && available(fresh),
  );
  const missing = places.length - useful.length - updated.length;
  return { create: [], remove: [...useless, ...useful.slice(0, Math.max(0, maxUnavailable - missing))] };
}

type Surge = { readonly available: Available; readonly maxSurge: number; readonly desired: number };

/** A new pod comes beside the old one, which goes when the new one is available. */
function surge(places: readonly Place[], { available, maxSurge, desired }: Surge): Work {
  const whole = places.filter(({ excess }) => !excess);
  const isUp = (pod: Pod | undefined): boolean => pod !== undefined && available(pod);
  const both = whole.filter(({ fresh, old }) => fresh !== undefined && old !== undefined);
  const onlyOld = whole.filter(({ fresh, old }) => fresh === undefined && old !== undefined);
  const surging = places.length - whole.length + both.filter(({ fresh }) => !isUp(fresh)).length;
  const spare = whole.filter(({ fresh, old }) => isUp(old ?? fresh)).length - desired;
  const stay = onlyOld.filter(({ fit }) => fit?.run === true);
  const leave = onlyOld.filter(({ fit }) => fit !== undefined && !fit.run);
  const idle = leave.filter(({ old }) => !isUp(old));
  const oldOf = (some: readonly Place[]): readonly Pod[] => some.flatMap(({ old }) => old ?? []);
  const nodesOf = (some: readonly Place[]): readonly string[] => some.map(({ node }) => node);
  return {
    create: [
      ...nodesOf(stay.filter(({ old }) => !isUp(old))),
      ...nodesOf(stay.filter(({ old }) => isUp(old))).slice(0, Math.max(0, maxSurge - surging)),
    ],
    remove: [
      ...oldOf(both.filter(({ fresh }) => isUp(fresh))),
      ...oldOf(idle),
      // Nodes that are left behind keep what serves until others have taken over.
      ...oldOf(leave.filter(({ old }) => isUp(old))).slice(0, Math.max(0, spare)),
    ],
  };
}
