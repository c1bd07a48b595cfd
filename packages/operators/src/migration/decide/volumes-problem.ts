import type { corev1, Stored } from '@kubewright/kube';
import { matchesNodeTerms } from '@kubewright/kube/selectors';
import type { LivePod, ObservedMigration } from './observed-migration.ts';
import { claimsOf } from '../strategy.ts';

type Problem = readonly [reason: string, message: string];

/** Why the volumes of a pod are not there for the pod that takes over; undefined: they are, or it has none. */
export function volumesProblem(pod: LivePod, observed: ObservedMigration): Problem | undefined {
  return claimlessProblem(pod, observed) ?? reachProblem(observed);
}

/** It may lack them itself: a pod that was there before the set, and adopted. The next one would have empty ones. */
function claimlessProblem(pod: LivePod, { set }: ObservedMigration): Problem | undefined {
  const { name } = pod.metadata;
  const claims = new Set(claimsOf(pod));
  const missing = (set?.spec.volumeClaimTemplates ?? [])
    .map((template) => `${template.metadata?.name}-${name}`)
    .find((claim) => !claims.has(claim));
  return missing === undefined
    ? undefined
    : [
        'VolumesNotSupported',
        `pod ${name} does not use the claim ${missing} that its StatefulSet makes for it`,
      ];
}

/** A volume that is on the source node, or in its zone, cannot be used on the target node. */
function reachProblem({ volumes = [], node }: ObservedMigration): Problem | undefined {
  const volume = node && volumes.find((one) => !isReachable(one, node));
  return (
    volume && [
      'VolumesNotSupported',
      `volume ${volume.metadata.name} of claim ${volume.spec.claimRef?.name} cannot be used on node ${node.metadata.name}`,
    ]
  );
}

function isReachable({ spec }: Stored<corev1.PersistentVolume>, node: Stored<corev1.Node>): boolean {
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms;
  return terms === undefined || matchesNodeTerms(terms, node);
}
