import type { JsonObject, KubeObject } from '@kubewright/kube';
import type { ResourceDefinition } from '../model/resource-definition.ts';
import { nameOf } from '../objects/name-of.ts';
import type { ResourceRequest } from './resource-request.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE';

/** A write on its way to the store, as admission sees it. */
export type AdmissionAttributes = {
  readonly operation: Operation;
  readonly request: ResourceRequest;
  /** The kind of the objects: the resource's own, or that of a subresource with a shape of its own (`Scale`). */
  readonly kind: ResourceDefinition;
  /** Empty while the name is to be generated, and for the objects of a deleted collection. */
  readonly name: string;
  /** In the kind's version; absent on DELETE. */
  readonly object?: KubeObject;
  /** In the kind's version; absent on CREATE. */
  readonly oldObject?: KubeObject;
  readonly dryRun: boolean;
  /** `CreateOptions`, `UpdateOptions` or `DeleteOptions`; made when first read. */
  readonly options: () => JsonObject;
};

/** Attributes of a write that has an object. */
export type WriteAttributes = AdmissionAttributes & { readonly object: KubeObject };

/** The same write, of what has been made of its object. */
export function withObject(
  attributes: AdmissionAttributes,
  object: KubeObject | undefined,
): AdmissionAttributes {
  return object === undefined || object === attributes.object ? attributes : { ...attributes, object };
}

/** An object is to be created, by whichever verb. An eviction is of a pod, whatever group its kind has. */
export function createAttributes(
  request: ResourceRequest,
  object: KubeObject,
  dryRun: boolean,
): WriteAttributes {
  const { parent } = request;
  return {
    operation: 'CREATE',
    request: parent === undefined ? request : { ...request, definition: parent },
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
