import type { JsonObject, KubeObject } from '@kubewright/kube';
import type { ResourceRequest } from './resource-request.ts';
import type { AdmissionAttributes, WriteAttributes } from './admission.ts';
import { nameOf } from '../objects/name-of.ts';

/** An object is to be created, by whichever verb. */
export function createAttributes(
  request: ResourceRequest,
  object: KubeObject,
  dryRun: boolean,
): WriteAttributes {
  return {
    operation: 'CREATE',
    request,
    kind: request.definition,
    name: request.name === '' ? nameOf(object) : request.name,
    object,
    dryRun,
    options: () => writeOptionsObject('CreateOptions', request.query),
  };
}

/** An object is to be changed, by whichever verb. */
export function updateAttributes(
  request: ResourceRequest,
  object: KubeObject,
  oldObject: KubeObject,
  dryRun: boolean,
): WriteAttributes {
  return {
    operation: 'UPDATE',
    request,
    kind: request.definition,
    name: request.name,
    object,
    oldObject,
    dryRun,
    options: () => writeOptionsObject('UpdateOptions', request.query),
  };
}

/** An object is to be deleted: alone, or (`name` is empty) with its collection. */
export function deleteAttributes(
  request: ResourceRequest,
  oldObject: KubeObject,
  { dryRun, name, options }: Pick<AdmissionAttributes, 'dryRun' | 'name' | 'options'>,
): AdmissionAttributes {
  return { operation: 'DELETE', request, kind: request.definition, name, oldObject, dryRun, options };
}

/** The query of a write as an object of `meta.k8s.io/v1`, with what was sent in it. */
function writeOptionsObject(kind: 'CreateOptions' | 'UpdateOptions', query: URLSearchParams): JsonObject {
  const dryRun = query.getAll('dryRun').filter((value) => value !== '');
  const [fieldManager, fieldValidation] = [query.get('fieldManager'), query.get('fieldValidation')];
  return {
    kind,
    apiVersion: 'meta.k8s.io/v1',
    ...(dryRun.length === 0 ? {} : { dryRun }),
    ...(fieldManager === null || fieldManager === '' ? {} : { fieldManager }),
    ...(fieldValidation === null || fieldValidation === '' ? {} : { fieldValidation }),
  };
}
