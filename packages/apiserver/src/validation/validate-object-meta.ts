import { compareText, type JsonObject, type KubeObject, parseApiVersion } from '@kubewright/kube';
import { type FieldError, fieldErrors } from '@kubewright/kube/validation';
import {
  type Errors,
  each,
  everyOf,
  forbidden,
  immutable,
  invalid,
  invalidFor,
  NONE,
  type NameCheck,
  nameIsDnsLabel,
  nonNegative,
  qualifiedName,
} from './errors.ts';
import { byteLength, validateAnnotations, validateLabels } from './validate-labels.ts';
import { has, isTrue, metadataOf, objectsAt, stringAt, stringsAt, valueAt } from '../objects/read.ts';
import { showing } from './shown-as.ts';

const STANDARD_FINALIZERS = ['kubernetes', 'orphan', 'foregroundDeletion'];

/** Which checks of `metadata` a kind has. Custom resources allow finalizers without a domain. */
export type MetaRules = {
  readonly namespaced: boolean;
  readonly name: NameCheck;
  readonly anyFinalizer?: boolean;
};

/** `ValidateObjectMeta` of `k8s.io/kubernetes/pkg/apis/core/validation`. */
export function validateObjectMeta(object: KubeObject, rules: MetaRules, path = 'metadata'): Errors {
  const meta = metadataOf(object);
  return [
    ...validateName(meta, rules.name, path),
    ...validateNamespace(stringAt(meta, 'namespace'), rules.namespaced, `${path}.namespace`),
    ...nonNegative(meta, 'generation', path),
    ...validateLabels(meta, 'labels', `${path}.labels`),
    ...validateAnnotations(meta, 'annotations', `${path}.annotations`),
    ...validateOwners(meta, `${path}.ownerReferences`),
    ...validateFinalizers(stringsAt(meta, 'finalizers'), `${path}.finalizers`),
    ...validateManagedFields(meta, path),
    ...(rules.anyFinalizer === true ? NONE : validateFinalizerDomains(meta, path)),
  ];
}

function validateName(meta: JsonObject, check: NameCheck, path: string): Errors {
  const prefix = stringAt(meta, 'generateName');
  const name = stringAt(meta, 'name');
  return [
    ...(prefix === '' ? NONE : invalidFor(`${path}.generateName`, prefix, check(prefix, true))),
    ...(name === ''
      ? [fieldErrors.required(`${path}.name`, 'name or generateName is required')]
      : invalidFor(`${path}.name`, name, check(name, false))),
  ];
}

function validateNamespace(namespace: string, namespaced: boolean, path: string): Errors {
  if (!namespaced) return forbidden(namespace !== '', path, 'not allowed on this type');
  if (namespace === '') return [fieldErrors.required(path, '')];
  return invalidFor(path, namespace, nameIsDnsLabel(namespace, false));
}

/** Each of these errors shows all references. Nobody reads more than some, and thousands would fill the memory. */
const MAX_CONTROLLERS = 10;
const MAX_SHOWN_OWNERS = 1000;

function validateOwners(meta: JsonObject, path: string): Errors {
  const owners = objectsAt(meta, 'ownerReferences');
  const errors: FieldError[] = [];
  let controller = '';
  let controllers = 0;
  for (const owner of owners) {
    for (const error of validateOwner(owner, path)) errors.push(error);
    const enough = owners.length > MAX_SHOWN_OWNERS ? 2 : MAX_CONTROLLERS;
    if (!isTrue(owner, 'controller') || ++controllers > enough) continue;
    const name = `${stringAt(owner, 'kind')}/${stringAt(owner, 'name')}`;
    if (controller === '') {
      controller = name;
    } else {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
      errors.push(...showing('*meta.OwnerReference', invalidFor(path, owners, [detail])));
    }
  }
  return errors;
}

function validateOwner(owner: JsonObject, path: string): Errors {
  const apiVersion = stringAt(owner, 'apiVersion');
  const kind = stringAt(owner, 'kind');
  const text = (key: string): Errors =>
    invalid(stringAt(owner, key) === '', `${path}.${key}`, stringAt(owner, key), 'must not be empty');
  const versionless = apiVersion === '' || apiVersion.endsWith('/') || apiVersion.split('/').length > 2;
  const event = !versionless && kind === 'Event' && isCoreV1(apiVersion);
  return [
    ...invalid(versionless, `${path}.apiVersion`, apiVersion, 'version must not be empty'),
    ...text('kind'),
    ...text('name'),
    ...text('uid'),
    ...showing(
      'meta.OwnerReference',
      invalid(event, path, owner, '/v1, Kind=Event is disallowed from being an owner'),
    ),
  ];
}

function isCoreV1(apiVersion: string): boolean {
  const { group, version } = parseApiVersion(apiVersion);
  return group === '' && version === 'v1';
}

function validateFinalizers(finalizers: readonly string[], path: string): Errors {
  const both = finalizers.includes('orphan') && finalizers.includes('foregroundDeletion');
  return [
    ...everyOf(finalizers, path, qualifiedName),
    ...invalid(both, path, [...finalizers], 'finalizer orphan and foregroundDeletion cannot be both set'),
  ];
}

function validateFinalizerDomains(meta: JsonObject, path: string): Errors {
  return each(stringsAt(meta, 'finalizers'), `${path}.finalizers`, validateFinalizerDomain);
}

/** A finalizer without a domain must be one of Kubernetes' own. */
export function validateFinalizerDomain(name: string, path: string): Errors {
  const legacy = !name.includes('/') && !STANDARD_FINALIZERS.includes(name);
  return invalid(legacy, path, name, 'name is neither a standard finalizer name nor is it fully qualified');
}

/** `ValidateObjectMetaUpdate`: what may not change, and what the new metadata must still satisfy. */
export function validateObjectMetaUpdate(
  object: KubeObject,
  old: KubeObject,
  rules: { readonly anyFinalizer?: boolean } = {},
): Errors {
  const [meta, before] = [metadataOf(object), metadataOf(old)];
  const path = 'metadata';
  const same = (key: string): Errors => immutable(valueAt(meta, key), valueAt(before, key), `${path}.${key}`);
  const version = stringAt(meta, 'resourceVersion');
  return [
    ...validateNoNewFinalizers(meta, before, `${path}.finalizers`),
    ...invalid(version === '', `${path}.resourceVersion`, version, 'must be specified for an update'),
    ...validateGeneration(meta, before, path),
    ...same('name'),
    ...same('namespace'),
    ...same('uid'),
    ...same('creationTimestamp'),
    ...same('deletionTimestamp'),
    ...same('deletionGracePeriodSeconds'),
    ...validateLabels(meta, 'labels', `${path}.labels`),
    ...validateAnnotations(meta, 'annotations', `${path}.annotations`),
    ...validateOwners(meta, `${path}.ownerReferences`),
    ...validateManagedFields(meta, path),
    ...(rules.anyFinalizer === true ? NONE : validateFinalizerDomains(meta, path)),
  ];
}

function validateManagedFields(meta: JsonObject, path: string): Errors {
  return each(objectsAt(meta, 'managedFields'), `${path}.managedFields`, (entry, at) => {
    const operation = stringAt(entry, 'operation');
    const type = stringAt(entry, 'fieldsType');
    return [
      ...invalid(
        !['Apply', 'Update'].includes(operation),
        `${at}.operation`,
        operation,
        'must be `Apply` or `Update`',
      ),
      ...invalid(type !== '' && type !== 'FieldsV1', `${at}.fieldsType`, type, 'must be `FieldsV1`'),
      ...validateManager(stringAt(entry, 'manager'), `${at}.manager`),
      ...tooLong(stringAt(entry, 'subresource'), `${at}.subresource`, 256),
    ];
  });
}

function validateManager(manager: string, path: string): Errors {
  // Go's unicode.IsPrint: of all spaces, only U+0020.
  const unprintable = /(?! )[\p{C}\p{Z}]/u.test(manager);
  return [
    ...tooLong(manager, path, 128),
    ...invalid(unprintable, path, manager, 'should only contain printable characters'),
  ];
}

function tooLong(text: string, path: string, limit: number): Errors {
  return byteLength(text) > limit ? [fieldErrors.tooLong(path, limit)] : NONE;
}

function validateGeneration(meta: JsonObject, before: JsonObject, path: string): Errors {
  const [now, then] = [valueAt(meta, 'generation') ?? 0, valueAt(before, 'generation') ?? 0];
  return invalid(Number(now) < Number(then), `${path}.generation`, now, 'must not be decremented');
}

function validateNoNewFinalizers(meta: JsonObject, before: JsonObject, path: string): Errors {
  if (!has(before, 'deletionTimestamp')) return NONE;
  const old = new Set(stringsAt(before, 'finalizers'));
  const extra = [...new Set(stringsAt(meta, 'finalizers'))]
    .filter((name) => !old.has(name))
    .sort(compareText);
  if (extra.length === 0) return NONE;
  const list = `[]string{${extra.map((name) => JSON.stringify(name)).join(', ')}}`;
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
  return [fieldErrors.forbidden(path, detail)];
}
