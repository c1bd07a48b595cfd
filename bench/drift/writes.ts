import { isJsonObject, type JsonObject, type KubeObject, type Stored } from '@kubewright/kube';
import { CONTROLLER, NAMESPACE, type TrackedObjects } from './tracked-objects.ts';

/** A write as kube-apiserver sends it to a webhook. */
export type Write = {
  readonly name: string;
  /** The expected response. */
  readonly allowed: boolean;
  /** `request` of an AdmissionReview; each time it is sent it gets another uid. */
  readonly request: JsonObject;
};

/** One write of each kind. */
export function writesOf({ busy, calm }: TrackedObjects): readonly Write[] {
  return [
    { name: 'a person changes a Deployment', ...allowedUpdate('alice', calm.deployment, resized) },
    { name: 'a person changes a ReplicaSet', ...allowedUpdate('alice', calm.replicaSet, resized) },
    { name: 'a controller goes on with a rollout', ...allowedUpdate(CONTROLLER, busy.replicaSet, resized) },
    { name: 'drift', allowed: false, request: update(CONTROLLER, calm.replicaSet, resized) },
    { name: 'a change of labels', ...allowedUpdate(CONTROLLER, calm.replicaSet, relabelled) },
    { name: 'a write of a status', ...allowedUpdate(CONTROLLER, calm.deployment, counted, 'status') },
  ];
}

/** One step of a rollout: its controller gives a ReplicaSet so many replicas. */
export function rolloutStep(replicaSet: Stored, replicas: number): JsonObject {
  const scaled = (object: KubeObject): KubeObject => ({
    ...object,
    spec: { ...fieldsOf(object, 'spec'), replicas },
  });
  return update(CONTROLLER, replicaSet, scaled);
}

function allowedUpdate(...write: Parameters<typeof update>): Pick<Write, 'allowed' | 'request'> {
  return { allowed: true, request: update(...write) };
}

function update(
  username: string,
  old: Stored,
  change: (object: KubeObject) => KubeObject,
  subResource?: 'status',
): JsonObject {
  const { kind } = old;
  const groupVersion = { group: 'apps', version: 'v1' };
  const resource = { ...groupVersion, resource: `${kind.toLowerCase()}s` };
  const part = subResource === undefined ? {} : { subResource, requestSubResource: subResource };
  return {
    kind: { ...groupVersion, kind },
    resource,
    requestKind: { ...groupVersion, kind },
    requestResource: resource,
    ...part,
    name: old.metadata.name,
    namespace: NAMESPACE,
    operation: 'UPDATE',
    userInfo: { username, uid: username, groups: ['system:authenticated'] },
    object: change(old),
    oldObject: old,
    dryRun: false,
    options: { apiVersion: 'meta.k8s.io/v1', kind: 'UpdateOptions', fieldManager: 'bench' },
  };
}

const fieldsOf = (object: KubeObject, name: 'spec' | 'status'): JsonObject =>
  isJsonObject(object[name]) ? object[name] : {};

const resized = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, generation: (object.metadata.generation ?? 0) + 1 },
  spec: { ...fieldsOf(object, 'spec'), replicas: 3 },
});

const relabelled = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, labels: { ...object.metadata.labels, team: 'shop' } },
});

const counted = (object: KubeObject): KubeObject => ({
  ...object,
  status: { ...fieldsOf(object, 'status'), readyReplicas: 1 },
});
