import { type Client, ignoreNotFound } from '@kubewright/client';
import { corev1, errorText } from '@kubewright/kube';
import { type CacheEvent, type Manager, type Reconciler, type Request, watchKind } from '@kubewright/runtime';
import { TriggerTimes } from '../services/trigger-times.ts';
import { indexServicePods, podsOf, selectsPods, watchServicePods } from '../services/watch-service-pods.ts';
import { isNamespaceTerminating } from '../workloads/pod-control.ts';
import { UNDONE_MS } from '../workloads/undone-wait.ts';
import { decide } from './decide.ts';

/** The service account of `kube-system` that it acts as. */
export const ENDPOINT_CONTROLLER = 'endpoint-controller';

const CONCURRENT = 5;
/** Election by Endpoints, as it once was: they have no service, and are not left over. */
const ELECTION = 'control-plane.alpha.kubernetes.io/leader';

/** Writes the Endpoints of services that select pods. */
export function addEndpointsController(manager: Manager): void {
  const { cache } = manager;
  indexServicePods(cache);
  manager.addController({
    name: 'endpoints',
    reconciler: reconcilerOf(manager),
    sources: [
      watchKind(corev1.services),
      watchServicePods(cache),
      watchKind(corev1.endpoints, { predicates: [isDeletedOrLeftOver] }),
    ],
    maxConcurrentReconciles: CONCURRENT,
  });
}

/** Endpoints whose service was deleted while the controller was down are found once, at the start. */
function isDeletedOrLeftOver(event: CacheEvent<corev1.Endpoints>): boolean {
  if (event.type === 'Delete') return true;
  return (
    event.type === 'Create' && event.initial && event.object.metadata.annotations?.[ELECTION] === undefined
  );
}

function reconcilerOf(manager: Manager): Reconciler {
  const { cache, client } = manager;
  const times = new TriggerTimes();
  const recorder = manager.recorderFor(ENDPOINT_CONTROLLER);
  return {
    async reconcile(request) {
      const { namespace = '', name } = request;
      const service = cache.get(corev1.services, request);
      const current = cache.get(corev1.endpoints, request);
      if (service === undefined) {
        times.forget(namespace, name);
        if (current !== undefined) await remove(client, request);
        return {};
      }
      if (!selectsPods(service)) return {};
      const pods = podsOf(cache, service);
      const wanted = decide({ service, pods, current, triggerTime: times.next(service, pods) });
      if (wanted === undefined) return {};
      try {
        if (current === undefined) await client.create(corev1.endpoints, wanted);
        else await client.update(corev1.endpoints, wanted);
      } catch (error) {
        if (isNamespaceTerminating(error)) return {};
        const [reason, what] =
          current === undefined
            ? ['FailedToCreateEndpoint', 'create endpoint for service']
            : ['FailedToUpdateEndpoint', 'update endpoint'];
        const message = `Failed to ${what} ${namespace}/${name}: ${errorText(error)}`;
        recorder.record(wanted, { type: 'Warning', reason, message });
        throw error;
      }
      // A webhook may have undone it: events of updates are not watched.
      return { requeueAfter: UNDONE_MS };
    },
  };
}

async function remove(client: Client, { namespace, name }: Request): Promise<void> {
  const key = namespace === undefined ? { name } : { namespace, name };
  await ignoreNotFound(client.delete(corev1.endpoints, key));
}
