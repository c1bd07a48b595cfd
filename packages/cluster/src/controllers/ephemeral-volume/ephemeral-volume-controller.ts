import type { Client } from '@kubewright/client';
import { corev1, errorText, type Stored } from '@kubewright/kube';
import { type Manager, requestFor, watchKind, watchMapped } from '@kubewright/runtime';
import { ClusterError } from '../../cluster-error.ts';
import { indexPodsByClaim, podsUsing } from '../volumes/index-pods-by-claim.ts';
import { decideEphemeral, type EphemeralStep } from './decide-ephemeral.ts';
import { isDelete } from '../workloads/watch-controlled.ts';

/** The service account of `kube-system` that it acts as. */
export const EPHEMERAL_VOLUME_CONTROLLER = 'ephemeral-volume-controller';

const CONCURRENT = 5;

const hasEphemeral = ({ spec }: Stored<corev1.Pod>): boolean =>
  (spec.volumes ?? []).some(({ ephemeral }) => ephemeral !== undefined);

/** Makes a claim for each ephemeral volume of a pod, which goes with it. */
export function addEphemeralVolumeController(manager: Manager): void {
  const { cache, client } = manager;
  const recorder = manager.recorderFor('ephemeral_volume');
  indexPodsByClaim(cache);
  manager.addController({
    name: 'ephemeral-volume',
    maxConcurrentReconciles: CONCURRENT,
    reconciler: {
      async reconcile(request) {
        const pod = cache.get(corev1.pods, request);
        if (pod === undefined) return {};
        const { namespace } = pod.metadata;
        const claimNamed = (name: string): Stored<corev1.PersistentVolumeClaim> | undefined =>
          cache.get(corev1.persistentvolumeclaims, { namespace, name });
        for (const step of decideEphemeral(pod, claimNamed)) {
          await act(client, step).catch((error: unknown) => {
            const message = `ephemeral volume ${step.volume}: ${errorText(error)}`;
            recorder.record(pod, { type: 'Warning', reason: 'FailedBinding', message });
            throw error;
          });
        }
        return {};
      },
    },
    sources: [
      watchKind(corev1.pods, { predicates: [({ object }) => hasEphemeral(object)] }),
      watchMapped(
        corev1.persistentvolumeclaims,
        ({ metadata: { namespace, name } }) => podsUsing(cache, { namespace, name }).map(requestFor),
        { predicates: [isDelete] },
      ),
    ],
  });
}

async function act(client: Client, step: EphemeralStep): Promise<void> {
  if (step.type === 'fail') throw new ClusterError('Incomplete', step.message);
  try {
    await client.create(corev1.persistentvolumeclaims, step.claim);
  } catch (error) {
    throw new ClusterError('Incomplete', `create PVC ${step.claim.metadata.name}: ${errorText(error)}`, {
      cause: error,
    });
  }
}
