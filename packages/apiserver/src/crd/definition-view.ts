import { type Condition, type JsonObject, type KubeObject, getCondition } from '@kubewright/kube';
import {
  isTrue,
  maybeObject,
  objectAt,
  objectsAt,
  specOf,
  statusOf,
  stringAt,
  stringsAt,
} from '../objects/read.ts';

/** Accessors of CustomResourceDefinitions. */

export const GROUP = 'apiextensions.k8s.io';
export const RESOURCE = 'customresourcedefinitions';
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

export type Names = {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
};

function namesOf(value: JsonObject): Names {
  return {
    plural: stringAt(value, 'plural'),
    singular: stringAt(value, 'singular'),
    kind: stringAt(value, 'kind'),
    listKind: stringAt(value, 'listKind'),
    shortNames: stringsAt(value, 'shortNames'),
    categories: stringsAt(value, 'categories'),
  };
}

export function requestedNames(crd: KubeObject): Names {
  return namesOf(objectAt(specOf(crd), 'names'));
}

export function acceptedNames(crd: KubeObject): Names {
  return namesOf(objectAt(statusOf(crd), 'acceptedNames'));
}

export function groupOf(crd: KubeObject): string {
  return stringAt(specOf(crd), 'group');
}

export function versionsOf(crd: KubeObject): readonly JsonObject[] {
  return objectsAt(specOf(crd), 'versions');
}

export function storageVersionOf(crd: KubeObject): string {
  const storage = versionsOf(crd).find((version) => isTrue(version, 'storage'));
  return storage === undefined ? '' : stringAt(storage, 'name');
}

/** `schema.openAPIV3Schema` of one version. */
export function schemaOf(version: JsonObject): JsonObject | undefined {
  return maybeObject(objectAt(version, 'schema'), 'openAPIV3Schema');
}

export function conditionsOf(crd: KubeObject): readonly Condition[] {
  return objectsAt(statusOf(crd), 'conditions') as readonly Condition[];
}

export function isConditionTrue(crd: KubeObject, type: string): boolean {
  return getCondition(conditionsOf(crd), type)?.status === 'True';
}

export function isDeleting(crd: KubeObject): boolean {
  return crd.metadata.deletionTimestamp !== undefined;
}
