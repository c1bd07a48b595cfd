import { ignoreNotFound, isConflict } from '@kubewright/client';
import { appsv1, corev1, jsonEqual, ownerReferenceTo, type Stored } from '@kubewright/kube';
import {
  isControlledBy,
  type Manager,
  type Reconciler,
  type Request,
  watchKind,
  watchOwned,
} from '@kubewright/runtime';
import { KNATIVE_SERVICES, type KnativeService, minScaleOf } from '../knative-api.ts';

type Hello = Stored<KnativeService>;
type Status = NonNullable<KnativeService['status']>;

/** Revisions with such an image fail. */
const FAILING = 'failing:';
const AS_KNATIVE = { fieldManager: 'knative', force: true };

/**
 * What Knative does with its Services, as far as classes can see it: each generation is a Revision with a Deployment, the
 * latest that is ready gets the traffic at a Service of the same name, and the others go.
 */
export function addSimulatedKnative(manager: Manager): void {
  manager.addController({
    name: 'simulated-knative',
    reconciler: revisions(manager),
    sources: [
      watchKind(KNATIVE_SERVICES),
      watchOwned(appsv1.deployments, KNATIVE_SERVICES),
      watchOwned(corev1.services, KNATIVE_SERVICES),
    ],
  });
}

function revisions({ cache, client }: Manager): Reconciler {
  return {
    async reconcile(request) {
      const live = cache.get(KNATIVE_SERVICES, request);
      if (live?.metadata.deletionTimestamp !== undefined || live === undefined) return {};
      const created = `${live.metadata.name}-${String(live.metadata.generation).padStart(5, '0')}`;
      if (!isFailing(live)) await client.apply(appsv1.deployments, deploymentOf(live, created), AS_KNATIVE);
      const isReady = isAvailable(cache.get(appsv1.deployments, keyOf(live, created)));
      const latest = isReady ? created : live.status?.latestReadyRevisionName;
      const held = await routes(live, latest);
      const isReported = await report(live, { created, latest, held });
      if (isReady) await removeOthers(live, created);
      // A write that a webhook undoes brings no event.
      return held || isReported ? { requeueAfter: 500 } : {};
    },
  };

  /** Whether somebody else's Service is in the way of the address. */
  async function routes(live: Hello, latest: string | undefined): Promise<boolean> {
    const held = isHeld(cache.get(corev1.services, live.metadata), live);
    if (latest !== undefined && !held) await client.apply(corev1.services, placeholderOf(live), AS_KNATIVE);
    return held;
  }

  /** Whether there was anything to report. */
  async function report(live: Hello, seen: Seen): Promise<boolean> {
    const status = statusOf(live, seen);
    if (jsonEqual(status, live.status)) return false;
    const { resourceVersion } = live.metadata;
    const patch = { type: 'merge', body: { metadata: { resourceVersion }, status } } as const;
    const written = client.patch(KNATIVE_SERVICES, live.metadata, patch, { subresource: 'status' });
    await ignoreNotFound(written).catch((error: unknown) => {
      if (!isConflict(error)) throw error;
    });
    return true;
  }

  async function removeOthers(live: Hello, name: string): Promise<void> {
    const { namespace } = live.metadata;
    const others = cache
      .list(appsv1.deployments, { namespace })
      .filter((one) => isControlledBy(one, live) && one.metadata.name !== keyOf(live, name).name);
    for (const { metadata } of others) await ignoreNotFound(client.delete(appsv1.deployments, metadata));
  }
}

type Seen = { readonly created: string; readonly latest: string | undefined; readonly held: boolean };

function statusOf(live: Hello, { created, latest, held }: Seen): Status {
  const { name, namespace, generation = 1 } = live.metadata;
  const configuration = configurationOf(live, created === latest);
  const route = routeOf(latest, held);
  const worst = [configuration, route].find(({ status }) => status !== 'True') ?? configuration;
  const host = `http://${name}.${namespace}`;
  return {
    observedGeneration: generation,
    conditions: [
      { type: 'ConfigurationsReady', ...configuration },
      { ...worst, type: 'Ready' },
      { type: 'RoutesReady', ...route },
    ],
    latestCreatedRevisionName: created,
    ...(latest === undefined ? {} : { latestReadyRevisionName: latest }),
    url: `${host}.example.com`,
    address: { url: `${host}.svc.cluster.local` },
  };
}

type State = {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
};

function configurationOf(live: Hello, isReady: boolean): State {
  if (isFailing(live))
    return { status: 'False', reason: 'RevisionFailed', message: 'the container ends with 1' };
  return isReady ? { status: 'True' } : { status: 'Unknown' };
}

function routeOf(latest: string | undefined, held: boolean): State {
  if (latest === undefined) return { status: 'False', reason: 'RevisionMissing' };
  return held ? { status: 'False', reason: 'NotOwned' } : { status: 'True' };
}

function isFailing({ spec }: Hello): boolean {
  return spec.template.spec.containers[0]?.image?.startsWith(FAILING) === true;
}

function isAvailable(deployment: Stored<appsv1.Deployment> | undefined): boolean {
  const { metadata, status } = deployment ?? {};
  const isObserved = status?.observedGeneration === metadata?.generation;
  return isObserved && (status?.availableReplicas ?? 0) > 0;
}

/** Knative takes no Service from anybody. */
function isHeld(service: Stored<corev1.Service> | undefined, live: Hello): boolean {
  return service !== undefined && !isControlledBy(service, live);
}

function keyOf(
  { metadata: { namespace } }: Hello,
  revision: string,
): Request & { readonly namespace: string } {
  return { namespace, name: `${revision}-deployment` };
}

/** Its pods have the labels and annotations of the template, and so has the Deployment itself. */
function deploymentOf(live: Hello, revision: string): Omit<appsv1.Deployment, 'status'> {
  const { metadata = {}, spec } = live.spec.template;
  const selector = { 'serving.knative.dev/revision': revision };
  const labels = { ...metadata.labels, ...selector };
  const { annotations = {} } = metadata;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...keyOf(live, revision), labels, ownerReferences: [ownerOf(live)] },
    spec: {
      replicas: Math.max(1, minScaleOf(live)),
      selector: { matchLabels: selector },
      template: { metadata: { labels, annotations }, spec: { containers: spec.containers } },
    },
  };
}

function placeholderOf(live: Hello): corev1.Service {
  const { name, namespace, labels = {} } = live.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels, ownerReferences: [ownerOf(live)] },
    spec: { type: 'ExternalName', externalName: 'gateway.example.com' },
  };
}

function ownerOf(live: Hello): ReturnType<typeof ownerReferenceTo> {
  return ownerReferenceTo(live, { controller: true, blockOwnerDeletion: true });
}
