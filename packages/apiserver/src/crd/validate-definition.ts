import { type JsonObject, type KubeObject, stringifyJson } from '@kubewright/kube';
import { isDns1035Label, isDns1123Subdomain } from '@kubewright/kube/validation';
import {
  type Errors,
  each,
  immutable,
  invalid,
  invalidFor,
  NONE,
  nameIsDnsSubdomain,
  required,
  requiredOneOf,
} from '../validation/errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../validation/validate-object-meta.ts';
import {
  isTrue,
  maybeObject,
  objectAt,
  specOf,
  statusOf,
  stringAt,
  stringsAt,
  valueAt,
} from '../objects/read.ts';
import { APPROVAL, approvalOf, isBypassed, isProtected } from './approval.ts';
import { groupOf, isConditionTrue, versionsOf } from './definition-view.ts';
import { goVersions } from './go-versions.ts';
import { validateConversion } from './validate-conversion.ts';
import { validateSharedParts, validateVersion } from './validate-version.ts';
import { sharedParts } from './version-part.ts';

/** `ValidateCustomResourceDefinition`. */
export function validateDefinition(crd: KubeObject): Errors {
  const expected = `${stringAt(objectAt(specOf(crd), 'names'), 'plural')}.${groupOf(crd)}`;
  return [
    ...validateObjectMeta(crd, {
      namespaced: false,
      anyFinalizer: true,
      name: (name, prefix) => [
        ...nameIsDnsSubdomain(name, prefix),
        ...(name === expected ? [] : ['must be spec.names.plural+"."+spec.group']),
      ],
    }),
    ...validateSpec(crd),
    ...validateStatus(crd),
    ...validateApproval(crd),
  ];
}

export function validateDefinitionUpdate(crd: KubeObject, old: KubeObject): Errors {
  const [spec, before] = [specOf(crd), specOf(old)];
  const [names, namesBefore] = [objectAt(spec, 'names'), objectAt(before, 'names')];
  const established = isConditionTrue(old, 'Established');
  return [
    ...validateObjectMetaUpdate(crd, old, { anyFinalizer: true }),
    ...validateSpec(crd, old),
    ...(established ? immutable(valueAt(spec, 'scope'), valueAt(before, 'scope'), 'spec.scope') : NONE),
    ...(established
      ? immutable(valueAt(names, 'kind'), valueAt(namesBefore, 'kind'), 'spec.names.kind')
      : NONE),
    ...immutable(valueAt(spec, 'group'), valueAt(before, 'group'), 'spec.group'),
    ...immutable(valueAt(names, 'plural'), valueAt(namesBefore, 'plural'), 'spec.names.plural'),
    ...validateStatus(crd),
    ...(approvalOf(crd) === approvalOf(old) ? NONE : validateApproval(crd)),
  ];
}

function validateSpec(crd: KubeObject, old?: KubeObject): Errors {
  const spec = specOf(crd);
  const shared = sharedParts(versionsOf(crd));
  return [
    ...validateGroup(groupOf(crd)),
    ...requiredOneOf(stringAt(spec, 'scope'), 'spec.scope', ['Cluster', 'Namespaced']),
    ...each(versionsOf(crd), 'spec.versions', (version, path) =>
      required(
        maybeObject(objectAt(version, 'schema'), 'openAPIV3Schema') !== undefined,
        `${path}.schema.openAPIV3Schema`,
      ),
    ),
    ...each(versionsOf(crd), 'spec.versions', (version, path) => validateVersion(version, path, shared)),
    ...validateVersions(versionsOf(crd)),
    ...validateRequiredNames(objectAt(spec, 'names')),
    ...validateNames(objectAt(spec, 'names'), 'spec.names'),
    ...validateSharedParts(versionsOf(crd), shared),
    ...validateConversion(
      objectAt(spec, 'conversion'),
      old === undefined ? undefined : objectAt(specOf(old), 'conversion'),
    ),
    ...invalid(
      isTrue(spec, 'preserveUnknownFields'),
      'spec.preserveUnknownFields',
      true,
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ),
  ];
}

function validateGroup(group: string): Errors {
  if (group === '') return required(false, 'spec.group');
  const messages = isDns1123Subdomain(group);
  if (messages.length > 0) return invalidFor('spec.group', group, [messages.join(',')]);
  return invalid(!group.includes('.'), 'spec.group', group, 'should be a domain with at least one dot');
}

function validateVersions(versions: readonly JsonObject[]): Errors {
  const names = versions.map((version) => stringAt(version, 'name'));
  const storage = versions.filter((version) => isTrue(version, 'storage')).length;
  const errors = [
    ...invalid(
      new Set(names).size !== names.length,
      'spec.versions',
      null,
      'must contain unique version names',
    ),
    ...invalid(
      storage !== 1,
      'spec.versions',
      null,
      'must have exactly one version marked as storage version',
    ),
  ];
  return errors.map((error) => ({ ...error, shown: stringifyJson(goVersions(versions)) }));
}

function validateRequiredNames(names: JsonObject): Errors {
  return ['plural', 'singular', 'kind', 'listKind'].flatMap((key) =>
    required(stringAt(names, key) !== '', `spec.names.${key}`),
  );
}

/** Requested or accepted names: DNS labels, kinds in any case. */
export function validateNames(names: JsonObject, path: string): Errors {
  const label = (value: string, at: string): Errors => {
    const messages = isDns1035Label(value);
    return messages.length === 0 ? NONE : invalidFor(at, value, [messages.join(',')]);
  };
  const kind = (key: string): Errors => {
    const value = stringAt(names, key);
    const messages = value === '' ? [] : isDns1035Label(value.toLowerCase());
    const text = `may have mixed case, but should otherwise match: ${messages.join(',')}`;
    return invalid(messages.length > 0, `${path}.${key}`, value, text);
  };
  const text = (key: string): Errors =>
    stringAt(names, key) === '' ? NONE : label(stringAt(names, key), `${path}.${key}`);
  const listKind = stringAt(names, 'listKind');
  return [
    ...text('plural'),
    ...text('singular'),
    ...kind('kind'),
    ...kind('listKind'),
    ...each(stringsAt(names, 'shortNames'), `${path}.shortNames`, label),
    ...invalid(
      listKind !== '' && stringAt(names, 'kind') === listKind,
      `${path}.listKind`,
      listKind,
      'kind and listKind may not be the same',
    ),
    ...each(stringsAt(names, 'categories'), `${path}.categories`, label),
  ];
}

function validateStatus(crd: KubeObject): Errors {
  const status = statusOf(crd);
  const path = 'status.storedVersions';
  const stored = stringsAt(status, 'storedVersions');
  const names = validateNames(objectAt(status, 'acceptedNames'), 'status.acceptedNames');
  if (stored.length === 0) {
    return [
      ...names,
      ...invalid(
        true,
        path,
        valueAt(status, 'storedVersions') ?? null,
        'must have at least one stored version',
      ),
    ];
  }
  const versions = versionsOf(crd);
  return [
    ...names,
    ...versions.flatMap((version) => {
      const name = stringAt(version, 'name');
      const missing = isTrue(version, 'storage') && !stored.includes(name);
      return invalid(missing, path, [...stored], `must have the storage version ${name}`);
    }),
    ...each(stored, path, (name, at) => {
      const gone = !versions.some((version) => stringAt(version, 'name') === name);
      const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
      return invalid(gone, at, name, detail);
    }),
  ];
}

/** Groups of the Kubernetes project itself need its approval. */
function validateApproval(crd: KubeObject): Errors {
  if (!isProtected(groupOf(crd))) return NONE;
  const path = `metadata.annotations[${APPROVAL}]`;
  const approval = approvalOf(crd);
  const more = 'see https://github.com/kubernetes/enhancements/pull/1111';
  if (approval === '') {
    return required(false, path, `protected groups must have approval annotation "${APPROVAL}", ${more}`);
  }
  const fine = isBypassed(approval) || URL.canParse(approval);
  const detail = `protected groups must have approval annotation "${APPROVAL}" with either a URL or a reason starting with "unapproved", ${more}`;
  return invalid(!fine, path, approval, detail);
}
