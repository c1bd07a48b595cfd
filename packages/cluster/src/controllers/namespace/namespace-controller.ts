import {
  type Client,
  type Clock,
  createClient,
  discoverResources,
  ignoreNotFound,
  type ResourceRef,
} from '@kubewright/client';
import { corev1, type KubeObject, type Stored, type Transport } from '@kubewright/kube';
import {
  formatRequest,
  type Manager,
  type Reconciler,
  type Request,
  type Result,
  type Source,
  watchKind,
} from '@kubewright/runtime';
import { ClusterError } from '../../cluster-error.ts';
import { soonest, undoneWait } from '../workloads/undone-wait.ts';
import { conclude, decideStep, finalized, marked } from './decide-step.ts';
import { purge, type Purger } from './purge.ts';

export type NamespaceControllerOptions = {
  /** Calls as the controller's user, which the manager's client has too. */
  readonly transport: Transport;
  /**
   * Milliseconds between the news of a deletion and the purge: other API servers of the cluster have to hear of it
   * before they stop creating things. Default 5 s, 0 where there is one server.
   */
  readonly delayMs?: number;
};

/** The name of its service account in `kube-system`. */
export const NAMESPACE_CONTROLLER = 'namespace-controller';

const NAMESPACES: ResourceRef = corev1.namespaces;
const WORKERS = 10;
const BACKOFF = { baseMs: 5, maxMs: 60_000 };

/** Adds the namespace controller to a manager that is not started yet. */
export function addNamespaceController(manager: Manager, options: NamespaceControllerOptions): void {
  const { client, clock } = manager;
  const { transport, delayMs = 5000 } = options;
  const purger: Purger = {
    client,
    metadata: createClient(transport, { metadataOnly: true }),
    discover: () => discoverResources(transport),
  };
  const ending = watchKind(NAMESPACES, {
    predicates: [({ type, object }) => type !== 'Delete' && object.metadata.deletionTimestamp !== undefined],
  });
  manager.addController({
    name: 'namespace',
    sources: [delayed(ending, delayMs, clock)],
    reconciler: reconciler(client, clock, purger),
    maxConcurrentReconciles: WORKERS,
    backoff: BACKOFF,
  });
}

function reconciler(client: Client, clock: Clock, purger: Purger): Reconciler {
  return {
    async reconcile({ name }) {
      const found = await ignoreNotFound(client.get(NAMESPACES, { name }));
      if (found === undefined) return {};
      switch (decideStep(found)) {
        case 'leave':
          return {};
        case 'mark':
          return { requeueAfter: undoneWait(found, await update(client, marked(found), 'status')) ?? 0 };
        case 'purge':
          return end(found, client, clock, purger);
      }
    },
  };
}

async function end(namespace: Stored, client: Client, clock: Clock, purger: Purger): Promise<Result> {
  const report = await purge(namespace.metadata.name, purger);
  const conclusion = conclude(namespace, report, new Date(clock.now()));
  const { status, finalize, requeueAfter, errors } = conclusion;
  const updated = status === undefined ? namespace : await update(client, { ...namespace, status }, 'status');
  if (errors.length > 0) throw new ClusterError('Incomplete', errors.join(', '));
  if (!finalize || updated === undefined) return soonest(requeueAfter);
  return soonest(requeueAfter, undoneWait(updated, await update(client, finalized(updated), 'finalize')));
}

/** Undefined when the namespace is gone. */
function update(
  client: Client,
  namespace: KubeObject,
  subresource: 'status' | 'finalize',
): Promise<Stored | undefined> {
  return ignoreNotFound(client.update(NAMESPACES, namespace, { subresource }));
}

/** The same requests, each after a while. */
function delayed(source: Source, ms: number, clock: Clock): Source {
  if (ms === 0) return source;
  return {
    ...source,
    start({ cache, enqueue }) {
      const waiting = new Map<string, () => void>();
      const later = (request: Request, priority?: number): void => {
        const key = formatRequest(request);
        if (waiting.has(key)) return;
        const fire = (): void => {
          waiting.delete(key);
          enqueue(request, priority);
        };
        waiting.set(key, clock.after(ms, fire));
      };
      const stop = source.start({ cache, enqueue: later });
      return () => {
        stop();
        for (const cancel of waiting.values()) cancel();
      };
    },
  };
}
