import type { JsonObject, KubeObject } from '@kubewright/kube';
import { fieldErrors } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import {
  type Errors,
  each,
  immutable,
  invalid,
  nameIsDnsSubdomain,
  NONE,
  nonNegative,
  qualifiedName,
  required,
} from '../../validation/errors.ts';
import { validateObjectMeta } from '../../validation/validate-object-meta.ts';
import { objectAt, objectsAt, specOf, stringAt, stringsAt } from '../../objects/read.ts';
import { showing } from '../../validation/shown-as.ts';
import { withField } from '../../objects/change-object.ts';
import { csiDriverName } from '../core/csi-driver-name.ts';

const RULES = { namespaced: false, name: nameIsDnsSubdomain };
const LONGEST_ID = 256;

/** `storage.k8s.io/v1 CSINode`. */
export const csiNode: Strategy = {
  validateCreate: validate,
  validateUpdate: (object, old) => [...validate(object), ...unchangeable(object, old)],
};

function validate(object: KubeObject): Errors {
  const names = new Set<string>();
  return [
    ...validateObjectMeta(object, RULES),
    ...each(driversOf(object), 'spec.drivers', (driver, path) => {
      const name = stringAt(driver, 'name');
      const again = names.has(name);
      names.add(name);
      return [
        ...validateDriver(driver, path),
        ...(again ? [fieldErrors.duplicate(`${path}.name`, name)] : NONE),
        ...validateKeys(driver, path),
      ];
    }),
  ];
}

function driversOf(object: KubeObject): readonly JsonObject[] {
  return objectsAt(specOf(object), 'drivers');
}

function validateDriver(driver: JsonObject, path: string): Errors {
  const id = stringAt(driver, 'nodeID');
  return [
    ...csiDriverName(stringAt(driver, 'name'), `${path}.name`),
    ...required(id !== '', `${path}.nodeID`),
    ...invalid(id.length > LONGEST_ID, `${path}.nodeID`, id, `must be ${LONGEST_ID} characters or less`),
    ...nonNegative(objectAt(driver, 'allocatable'), 'count', `${path}.allocatable`),
  ];
}

function validateKeys(driver: JsonObject, path: string): Errors {
  const seen = new Set<string>();
  return stringsAt(driver, 'topologyKeys').flatMap((key) => {
    const again = seen.has(key);
    seen.add(key);
    return [
      ...required(key !== '', path),
      ...(again ? [fieldErrors.duplicate(path, key)] : NONE),
      ...qualifiedName(key, path),
    ];
  });
}

/** Of an existing driver, only `allocatable.count` may change. */
function unchangeable(object: KubeObject, old: KubeObject): Errors {
  const fixed = (driver: JsonObject): JsonObject => withField(driver, 'allocatable', undefined);
  return driversOf(old).flatMap((before) =>
    driversOf(object)
      .filter((driver) => stringAt(driver, 'name') === stringAt(before, 'name'))
      .flatMap((driver) =>
        showing('storage.CSINodeDriver', immutable(fixed(driver), fixed(before), 'spec.drivers')),
      ),
  );
}
