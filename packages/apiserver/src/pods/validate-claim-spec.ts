import { type JsonObject, jsonEqual } from '@kubewright/kube';
import { isDns1123Subdomain } from '@kubewright/kube/validation';
import {
  type Errors,
  forbidden,
  inside,
  invalid,
  invalidFor,
  NONE,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  oneOf,
  required,
} from '../validation/errors.ts';
import { validateLabelSelector } from '../validation/validate-labels.ts';
import { isPositive } from '../validation/quantities.ts';
import { maybeObject, maybeString, objectAt, stringAt, stringsAt, valueAt } from '../objects/read.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** `PersistentVolumeClaimSpec`, of a claim or of an ephemeral volume's template. */
export function validateClaimSpec(spec: JsonObject, path: string): Errors {
  const mode = maybeString(spec, 'volumeMode');
  return [
    ...required(
      stringsAt(spec, 'accessModes').length > 0,
      `${path}.accessModes`,
      'at least 1 access mode is required',
    ),
    ...validateLabelSelector(maybeObject(spec, 'selector'), `${path}.selector`),
    ...validateAccessModes(stringsAt(spec, 'accessModes'), `${path}.accessModes`),
    ...validateStorage(objectAt(spec, 'resources', 'requests'), `${path}.resources[storage]`),
    ...validateClassName(spec, 'storageClassName', path),
    ...(mode === undefined ? NONE : oneOf(mode, `${path}.volumeMode`, ['Block', 'Filesystem'])),
    ...validateDataSources(spec, path),
    ...validateClassName(spec, 'volumeAttributesClassName', path),
  ];
}

export function validateAccessModes(modes: readonly string[], path: string): Errors {
  const once = modes.includes('ReadWriteOncePod');
  const others = modes.some((mode) => mode !== 'ReadWriteOncePod' && ACCESS_MODES.includes(mode));
  return [
    ...modes.flatMap((mode) => oneOf(mode, path, ACCESS_MODES)),
    ...forbidden(once && others, path, 'may not use ReadWriteOncePod with other access modes'),
  ];
}

function validateStorage(requests: JsonObject, path: string): Errors {
  const storage = maybeString(requests, 'storage');
  if (storage === undefined) return required(false, path);
  return invalid(!isPositive(storage), path, storage, 'must be greater than zero');
}

export function validateClassName(spec: JsonObject, key: string, path: string): Errors {
  const name = stringAt(spec, key);
  return name === '' ? NONE : invalidFor(`${path}.${key}`, name, nameIsDnsSubdomain(name, false));
}

function validateDataSources(spec: JsonObject, path: string): Errors {
  const [source, reference] = [maybeObject(spec, 'dataSource'), maybeObject(spec, 'dataSourceRef')];
  return [
    ...inside(source, (value) => validateDataSource(value, `${path}.dataSource`)),
    ...inside(reference, (value) => validateDataSource(value, `${path}.dataSourceRef`)),
    ...validateSourcesAgree(source, reference, path),
  ];
}

function validateDataSource(source: JsonObject, path: string): Errors {
  const [group, kind, namespace] = [
    stringAt(source, 'apiGroup'),
    stringAt(source, 'kind'),
    stringAt(source, 'namespace'),
  ];
  return [
    ...required(stringAt(source, 'name') !== '', `${path}.name`),
    ...required(kind !== '', `${path}.kind`),
    ...invalid(
      group === '' && kind !== 'PersistentVolumeClaim',
      path,
      kind,
      "must be 'PersistentVolumeClaim' when referencing the default apiGroup",
    ),
    ...(group === '' ? NONE : invalidFor(`${path}.apiGroup`, group, isDns1123Subdomain(group))),
    ...(namespace === ''
      ? NONE
      : invalidFor(`${path}.namespace`, namespace, nameIsDnsLabel(namespace, false))),
  ];
}

function validateSourcesAgree(
  source: JsonObject | undefined,
  reference: JsonObject | undefined,
  path: string,
): Errors {
  if (source === undefined || reference === undefined) return NONE;
  if (stringAt(reference, 'namespace') !== '') {
    return invalidFor(path, {}, ['may not be specified when dataSourceRef.namespace is specified']);
  }
  const same = ['apiGroup', 'kind', 'name'].every((key) =>
    jsonEqual(valueAt(source, key), valueAt(reference, key)),
  );
  return invalid(!same, path, {}, 'must match dataSourceRef');
}
