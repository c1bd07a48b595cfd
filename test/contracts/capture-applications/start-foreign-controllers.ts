import { randomUUID } from 'node:crypto';
import {
  type Client,
  createClient,
  ignoreNotFound,
  isAlreadyExists,
  type ResourceRef,
} from '@kubewright/client';
import {
  autoscalingv2,
  corev1,
  type Json,
  type KubeObject,
  ownerReferenceTo,
  type Stored,
  type Transport,
} from '@kubewright/kube';
import { addFinalizer, createManager, removeFinalizer, silentLogger, watchKind } from '@kubewright/runtime';
import { at, textAt } from '../../support/at.ts';
import { APPLICATIONS, CERTIFICATES, KUSTOMIZATIONS, SCALED_OBJECTS, WIDGETS } from './foreign-kinds.ts';

/** Does what a controller does about one of its objects; returns whether it has to look again soon. */
type Act = (client: Client, object: Stored) => Promise<boolean | void>;

const FINALIZER = 'widgets.example.com/clean-up';
const SOON_MS = 100;

/** Makes a key for each certificate, and signs it with that of its authority; both only where there is none for these names. */
const certify: Act = async (client, { metadata, spec }) => {
  const { namespace = '' } = metadata;
  const key = { namespace, name: textAt(spec, 'secretName') };
  const names = JSON.stringify(at(spec, 'dnsNames') ?? []);
  const live = await ignoreNotFound(client.get(corev1.secrets, key));
  if (live?.metadata.annotations?.['cert-manager.io/alt-names'] === names) return false;
  const own = Buffer.from(randomUUID()).toString('base64');
  const isAuthority = at(spec, 'isCA') === true;
  const authority = { namespace, name: 'authority' };
  const signer = isAuthority
    ? own
    : (await ignoreNotFound(client.get(corev1.secrets, authority)))?.data?.['tls.crt'];
  if (signer === undefined) return true;
  await client.apply(
    corev1.secrets,
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...key, annotations: { 'cert-manager.io/alt-names': names } },
      type: 'kubernetes.io/tls',
      data: { 'tls.key': own, 'tls.crt': own, 'ca.crt': signer },
    },
    { fieldManager: 'cert-manager', force: true },
  );
  return false;
};

/** Makes an autoscaler. */
const scale: Act = async (client, object) => {
  const { namespace = '', name } = object.metadata;
  const target = textAt(object['spec'], 'scaleTargetRef', 'name');
  await createOnce(client, autoscalingv2.horizontalpodautoscalers, {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: {
      namespace,
      name: `keda-hpa-${name}`,
      ownerReferences: [ownerReferenceTo(object, { controller: true })],
    },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: target }, maxReplicas: 5 },
  });
};

/** Applies one ConfigMap, as a Kustomization of Flux does. */
const applyFromGit: Act = async (client, { metadata, spec }) => {
  if (at(spec, 'suspend') === true) return;
  const namespace = textAt(spec, 'targetNamespace');
  await createOnce(client, corev1.configmaps, configMap(namespace, `from-git-${metadata.name}`));
  const inventory = { entries: [{ id: `${namespace}_from-git-${metadata.name}__ConfigMap`, v: 'v1' }] };
  await setStatus(client, KUSTOMIZATIONS, metadata, { inventory });
};

/** Synchronizes one ConfigMap, as an Application of Argo CD does. */
const synchronize: Act = async (client, { metadata, spec }) => {
  if (at(spec, 'syncPolicy', 'automated') === undefined) return;
  const namespace = textAt(spec, 'destination', 'namespace');
  await createOnce(client, corev1.configmaps, configMap(namespace, `synced-${metadata.name}`));
  await setStatus(client, APPLICATIONS, metadata, { sync: { status: 'Synced' } });
};

/** Makes a ConfigMap, which it owns, and holds its object until it has cleaned up. */
const paint: Act = async (client, object) => {
  const { namespace = '', name, deletionTimestamp } = object.metadata;
  if (deletionTimestamp !== undefined) {
    await removeFinalizer({ client }, WIDGETS, object as never, FINALIZER);
    return;
  }
  await addFinalizer({ client }, WIDGETS, object as never, FINALIZER);
  const ownerReferences = [ownerReferenceTo(object, { controller: true })];
  const made = configMap(namespace, `${name}-colors`);
  await createOnce(client, corev1.configmaps, { ...made, metadata: { ...made.metadata, ownerReferences } });
};

function configMap(namespace: string, name: string) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name } } as const;
}

async function createOnce(client: Client, ref: ResourceRef, object: KubeObject): Promise<void> {
  try {
    await client.create<KubeObject>(ref, object);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

async function setStatus(
  client: Client,
  ref: ResourceRef,
  metadata: Stored['metadata'],
  status: Json,
): Promise<void> {
  const { namespace, name } = metadata;
  await client.patch<KubeObject>(
    ref,
    { namespace, name },
    { type: 'merge', body: { status } },
    { subresource: 'status' },
  );
}

const CONTROLLERS: readonly (readonly [ResourceRef, Act])[] = [
  [CERTIFICATES, certify],
  [SCALED_OBJECTS, scale],
  [KUSTOMIZATIONS, applyFromGit],
  [APPLICATIONS, synchronize],
  [WIDGETS, paint],
];

/**
 * Runs what cert-manager, KEDA, Flux, Argo CD and a controller with a finalizer do, as far as a restore is concerned.
 * Resolves with how to stop it.
 */
export async function startForeignControllers(transport: Transport): Promise<() => Promise<void>> {
  const client = createClient(transport);
  const manager = createManager({ name: 'foreign', transport, log: silentLogger });
  for (const [ref, act] of CONTROLLERS)
    manager.addController({
      name: ref.kind.toLowerCase(),
      sources: [watchKind(ref)],
      reconciler: {
        async reconcile({ namespace, name }) {
          const live = await ignoreNotFound(client.get<KubeObject>(ref, { namespace, name }));
          const isPending = live !== undefined && (await act(client, live)) === true;
          return isPending ? { requeueAfter: SOON_MS } : {};
        },
      },
    });
  const stop = new AbortController();
  const ended = manager.start(stop.signal);
  await Promise.race([manager.cache.waitForSync(stop.signal), ended]);
  return async () => {
    stop.abort();
    await ended;
  };
}
