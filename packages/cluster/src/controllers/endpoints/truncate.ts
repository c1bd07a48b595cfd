import type { corev1 } from '@kubewright/kube';

type Subset = corev1.EndpointSubset;

const MOST = 1000;

/** At most 1000 addresses, of each subset its share, the ready ones first; the same array if that is all of them. */
export function truncate(subsets: readonly Subset[]): readonly Subset[] {
  const ready = count(subsets, 'addresses');
  const notReady = count(subsets, 'notReadyAddresses');
  if (ready + notReady <= MOST) return subsets;
  const only = ready > MOST;
  const kind = only ? 'addresses' : 'notReadyAddresses';
  const room = only ? MOST : MOST - ready;
  let left = room;
  return subsets.map((subset) => {
    const { notReadyAddresses: _, ...rest } = subset;
    const all = subset[kind] ?? [];
    const share = Math.ceil((all.length / (only ? ready : notReady)) * room);
    const kept = all.slice(0, Math.min(share, left));
    left -= kept.length;
    return { ...rest, ...(kept.length === 0 ? {} : { [kind]: kept }) };
  });
}

function count(subsets: readonly Subset[], kind: 'addresses' | 'notReadyAddresses'): number {
  return subsets.reduce((sum, subset) => sum + (subset[kind]?.length ?? 0), 0);
}
