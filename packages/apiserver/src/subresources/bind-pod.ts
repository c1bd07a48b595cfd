import { formatTime, type JsonObject, type KubeObject, type Stored } from '@kubewright/kube';
import { fieldErrors, formatFieldErrors } from '@kubewright/kube/validation';
import { badRequest, conflict, failure, notFound } from '../api-server-error.ts';
import type { CreateHandler } from '../rest/rest-context.ts';
import { objectKey } from '../storage/stored-object.ts';
import { bodyOf, metadataOf, objectAt, objectsAt, specOf, statusOf, stringAt } from '../objects/read.ts';
import { changeObject, withField } from '../objects/change-object.ts';
import { nameOf } from '../objects/name-of.ts';

const PODS = { group: '', resource: 'pods' };

/** Assigns a pod to the node of a Binding. The pod's managedFields do not record it. */
export const bindPod: CreateHandler = (request, binding, { context, dryRun }) => {
  const { metadata } = binding;
  const name = nameOf(binding);
  if (request.subresource !== '' && name !== request.name)
    throw badRequest('name in URL does not match name in Binding object');
  checkTarget(binding);
  const key = objectKey(request.namespace, name);
  const collection = context.store.collection(PODS.group, PODS.resource);
  const pod = collection.get(key)?.object;
  if (pod === undefined) throw notFound(PODS, name);
  checkIdentity(pod, metadata, request.namespace);
  checkUnassigned(pod);
  if (!dryRun) collection.put(key, assigned(pod, binding, formatTime(context.now())));
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
};

/** A plain 500, as in a real server. */
function checkTarget(binding: KubeObject): void {
  const target = objectAt(bodyOf(binding), 'target');
  const kind = stringAt(target, 'kind');
  const errors = [
    ...(kind === '' || kind === 'Node'
      ? []
      : [fieldErrors.notSupported('target.kind', kind, ['Node', '<empty>'])]),
    ...(stringAt(target, 'name') === '' ? [fieldErrors.required('target.name', '')] : []),
  ];
  if (errors.length > 0) throw failure(500, '', formatFieldErrors(errors));
}

/** The binding's uid and resourceVersion are preconditions. */
function checkIdentity(
  pod: Stored,
  { uid, resourceVersion }: KubeObject['metadata'],
  namespace: string,
): void {
  const { metadata } = pod;
  const reject = (what: string, wanted: string, live: string): never => {
    const detail = `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${live}`;
    const about = `Key: /registry/pods/${namespace}/${metadata.name}, ResourceVersion: 0`;
    const why = `StorageError: invalid object, Code: 4, ${about}, AdditionalErrorMsg: ${detail}`;
    throw conflict(PODS, metadata.name, why);
  };
  if (uid !== undefined && uid !== metadata.uid) reject('UID', uid, metadata.uid);
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
    reject('ResourceVersion', resourceVersion, metadata.resourceVersion);
}

function checkUnassigned(pod: Stored): void {
  const { name, deletionTimestamp } = pod.metadata;
  const node = stringAt(specOf(pod), 'nodeName');
  const reject = (why: string): never => {
    throw conflict({ group: '', resource: 'pods/binding' }, name, why);
  };
  if (deletionTimestamp !== undefined) reject(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (node !== '') reject(`pod ${name} is already assigned to node "${node}"`);
  if (objectsAt(specOf(pod), 'schedulingGates').length > 0)
    reject(`pod ${name} has non-empty .spec.schedulingGates`);
}

function assigned(pod: KubeObject, binding: KubeObject, now: string): KubeObject {
  const { labels, annotations } = binding.metadata;
  const scheduled: JsonObject = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: now,
  };
  const others = objectsAt(statusOf(pod), 'conditions').filter(
    (one) => stringAt(one, 'type') !== 'PodScheduled',
  );
  const nodeName = stringAt(objectAt(bodyOf(binding), 'target'), 'name');
  return changeObject(pod, (body) => {
    const metadata = [['labels', labels] as const, ['annotations', annotations] as const].reduce<JsonObject>(
      (now, [key, added]) =>
        added === undefined ? now : withField(now, key, { ...objectAt(now, key), ...added }),
      metadataOf(pod),
    );
    const status = withField(withField(statusOf(pod), 'nominatedNodeName', undefined), 'conditions', [
      ...others,
      scheduled,
    ]);
    const spec = withField(specOf(pod), 'nodeName', nodeName);
    return withField(withField(withField(body, 'metadata', metadata), 'spec', spec), 'status', status);
  });
}
