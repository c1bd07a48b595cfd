import type { JsonObject, KubeObject } from '@kubewright/kube';
import { visitContainers } from '../../pods/visit-containers.ts';
import { has, metadataOf, objectAt, objectsAt, specOf, stringAt } from '../../objects/read.ts';

const MIRROR = 'kubernetes.io/config.mirror';

/** A static pod, as its kubelet mirrors it in the API. */
export function isMirrorPod(pod: KubeObject): boolean {
  return Object.hasOwn(objectAt(metadataOf(pod), 'annotations'), MIRROR);
}

/** Why a mirror pod is rejected: it may not depend on other objects of the API. */
export function forbiddenInMirrorPod(pod: KubeObject): string | undefined {
  const spec = specOf(pod);
  if (stringAt(spec, 'serviceAccountName') !== '') return 'a mirror pod may not reference service accounts';
  if (secretNames(spec).some((name) => name !== '')) return 'a mirror pod may not reference secrets';
  if (objectsAt(spec, 'volumes').some(hasToken))
    return 'a mirror pod may not use ServiceAccountToken volume projections';
  return undefined;
}

/** All secrets that a pod names. */
function secretNames(spec: JsonObject): readonly string[] {
  return [
    ...objectsAt(spec, 'imagePullSecrets').map((secret) => stringAt(secret, 'name')),
    ...visitContainers(spec, '', ofContainer),
    ...objectsAt(spec, 'volumes').flatMap(ofVolume),
  ];
}

function ofContainer(container: JsonObject): readonly string[] {
  return [
    ...objectsAt(container, 'envFrom').map((one) => stringAt(objectAt(one, 'secretRef'), 'name')),
    ...objectsAt(container, 'env').map((one) => stringAt(objectAt(one, 'valueFrom', 'secretKeyRef'), 'name')),
  ];
}

const WITH_SECRET_REF = ['cephfs', 'cinder', 'flexVolume', 'rbd', 'scaleIO', 'iscsi', 'storageos'];

function ofVolume(volume: JsonObject): readonly string[] {
  return [
    stringAt(objectAt(volume, 'azureFile'), 'secretName'),
    stringAt(objectAt(volume, 'secret'), 'secretName'),
    stringAt(objectAt(volume, 'csi', 'nodePublishSecretRef'), 'name'),
    ...WITH_SECRET_REF.map((source) => stringAt(objectAt(volume, source, 'secretRef'), 'name')),
    ...projections(volume).map((source) => stringAt(objectAt(source, 'secret'), 'name')),
  ];
}

function projections(volume: JsonObject): readonly JsonObject[] {
  return objectsAt(objectAt(volume, 'projected'), 'sources');
}

function hasToken(volume: JsonObject): boolean {
  return projections(volume).some((source) => has(source, 'serviceAccountToken'));
}
