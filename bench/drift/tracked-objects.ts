import type { Client } from '@kubewright/client';
import { appsv1, corev1, type JsonObject, type KubeObject, type Stored } from '@kubewright/kube';
import { installDefinitions } from '@kubewright/runtime';
import { ANNOTATIONS, KAUSALITIES } from '../../packages/operators/src/drift/api.ts';
import { recordPatch } from '../../packages/operators/src/drift/annotations/object-record.ts';
import { userHash } from '../../packages/operators/src/drift/annotations/user-hash.ts';

export const NAMESPACE = 'shop';
export const CONTROLLER = 'system:serviceaccount:kube-system:deployment-controller';

/** A Deployment whose controller is known, and its ReplicaSet, as they are stored. */
type Owned = { readonly deployment: Stored; readonly replicaSet: Stored };

/** `busy` is in the middle of a rollout; nothing changes in `calm`. */
export type TrackedObjects = { readonly busy: Owned; readonly calm: Owned };

/** Creates what the writes are about, and a policy that denies drift. */
export async function createTrackedObjects(client: Client): Promise<TrackedObjects> {
  await installDefinitions(client, [KAUSALITIES.definition], { fieldManager: 'bench' });
  await createPolicy(client);
  const calm = await createOwned(client, 'calm');
  const { replicaSet } = await createOwned(client, 'busy');
  const body = { spec: template('busy', 'web:2') };
  const deployment = await client.patch<KubeObject>(
    appsv1.deployments,
    { namespace: NAMESPACE, name: 'busy' },
    { type: 'strategic', body },
  );
  return { calm, busy: { deployment, replicaSet } };
}

/** A policy that denies drift, and the namespace that it is for. */
export async function createPolicy(client: Client): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
  await client.create<KubeObject>(corev1.namespaces, namespace);
  await client.create(KAUSALITIES, {
    apiVersion: 'kausality.io/v1alpha1',
    kind: 'Kausality',
    metadata: { name: 'bench' },
    spec: {
      resources: [{ apiGroups: ['apps'], resources: ['deployments', 'replicasets'] }],
      namespaces: { names: [NAMESPACE] },
      mode: 'enforce',
    },
  });
}

async function createOwned(client: Client, name: string): Promise<Owned> {
  const { uid } = (await client.create<KubeObject>(appsv1.deployments, deploymentOf(name))).metadata;
  const replicaSet = await client.create<KubeObject>(appsv1.replicasets, replicaSetOf(name, uid));
  const body = { status: completed() };
  const key = { namespace: NAMESPACE, name };
  const options = { subresource: 'status' };
  const patch = { type: 'merge', body } as const;
  const deployment = await client.patch<KubeObject>(appsv1.deployments, key, patch, options);
  return { deployment, replicaSet };
}

const KNOWN = {
  [ANNOTATIONS.updaters]: userHash(CONTROLLER),
  [ANNOTATIONS.trace]: '[]',
};

function deploymentOf(name: string): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name,
      namespace: NAMESPACE,
      labels: { app: name },
      annotations: {
        [ANNOTATIONS.controllers]: userHash(CONTROLLER),
        [ANNOTATIONS.observedGeneration]: '1',
        [ANNOTATIONS.phase]: 'initialized',
      },
    },
    spec: template(name, 'web:1'),
  };
}

/** A Deployment that its controller has not seen yet, and what is recorded of it: as annotations, or as managedFields. */
export function recordedDeployment(name: string, form: 'managedFields' | 'annotations'): KubeObject {
  const hop = { apiVersion: 'apps/v1', kind: 'Deployment', name, generation: 1, user: 'alice' };
  const record = {
    [ANNOTATIONS.controllers]: userHash(CONTROLLER),
    [ANNOTATIONS.updaters]: userHash('alice'),
    [ANNOTATIONS.observedGeneration]: '0',
    [ANNOTATIONS.phase]: 'initialized',
    [ANNOTATIONS.trace]: JSON.stringify([{ ...hop, timestamp: '2026-01-01T10:00:00Z' }]),
  };
  const { metadata, ...rest } = deploymentOf(name);
  const { annotations: _annotations, ...plain } = metadata;
  const kept = form === 'annotations' ? { annotations: record } : {};
  const object = { ...rest, metadata: { ...plain, ...kept } };
  if (form === 'annotations') return object;
  const managedFields = recordPatch(object, record).flatMap(({ value }) => value as JsonObject[]);
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

export function replicaSetOf(name: string, uid: string): KubeObject {
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name, uid };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name}-7d9c`,
      namespace: NAMESPACE,
      labels: { app: name },
      annotations: KNOWN,
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
    },
    spec: template(name, 'web:1'),
  };
}

/** Two containers of everyday size. */
function template(app: string, image: string) {
  const container = (name: string) => ({
    name,
    image,
    env: Array.from({ length: 5 }, (_, index) => ({ name: `VARIABLE_${index}`, value: `value-${index}` })),
    ports: [{ name: `http-${name}`, containerPort: 8080 }],
    resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
    readinessProbe: { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 5 },
  });
  const spec = { containers: [container('main'), container('side')] };
  return {
    replicas: 2,
    selector: { matchLabels: { app } },
    template: { metadata: { labels: { app } }, spec },
  };
}

/** The status of a Deployment whose rollout is over. */
function completed() {
  const time = '2026-01-01T10:00:00Z';
  const condition = (type: string, reason: string) => ({
    type,
    status: 'True',
    reason,
    message: '',
    lastUpdateTime: time,
    lastTransitionTime: time,
  });
  return {
    observedGeneration: 1,
    replicas: 2,
    updatedReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
    conditions: [
      condition('Available', 'MinimumReplicasAvailable'),
      condition('Progressing', 'NewReplicaSetAvailable'),
    ],
  };
}
