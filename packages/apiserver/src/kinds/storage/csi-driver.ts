import { type JsonObject, type KubeObject, jsonEqual } from '@kubewright/kube';
import { fieldErrors } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import {
  type Errors,
  each,
  immutable,
  nameIsDnsSubdomain,
  oneOf,
  required,
} from '../../validation/errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { has, itemsAt, objectsAt, specOf, stringAt, stringsAt, valueAt } from '../../objects/read.ts';
import { changed, generationOf, withGeneration } from '../../model/status-strategy.ts';
import { changeObject, inField, inOrder, orDefaultPointer, withField } from '../../objects/change-object.ts';

const RULES = { namespaced: false, name: nameIsDnsSubdomain };
const DEFAULTS = {
  attachRequired: true,
  podInfoOnMount: false,
  storageCapacity: false,
  fsGroupPolicy: 'ReadWriteOnceWithFSType',
  requiresRepublish: false,
  seLinuxMount: false,
};

/** `storage.k8s.io/v1 CSIDriver`. */
export const csiDriver: Strategy = {
  default: (object) =>
    changeObject(
      changeObject(object, (body) => (has(body, 'spec') ? body : withField(body, 'spec', {}))),
      inField(
        'spec',
        inOrder(
          ...Object.entries(DEFAULTS).map(
            ([key, value]) =>
              (spec: JsonObject) =>
                orDefaultPointer(spec, key, value),
          ),
          (spec) =>
            itemsAt(spec, 'volumeLifecycleModes').length > 0
              ? spec
              : withField(spec, 'volumeLifecycleModes', ['Persistent']),
        ),
      ),
    ),
  prepareForUpdate: (object, old) =>
    changed(object, old, 'spec') ? withGeneration(object, generationOf(old) + 1) : object,
  validateCreate: (object) => [...validateObjectMeta(object, RULES), ...validateSpec(specOf(object))],
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...validateSpec(specOf(object)),
    ...unchangeable(object, old),
  ],
  warnings: tokenWarnings,
};

function tokenWarnings(object: KubeObject, old?: KubeObject): readonly string[] {
  const spec = specOf(object);
  const requests = itemsAt(spec, 'tokenRequests');
  const unchanged = old !== undefined && jsonEqual(requests, itemsAt(specOf(old), 'tokenRequests'));
  if (unchanged || requests.length === 0 || has(spec, 'serviceAccountTokenInSecrets')) return [];
  return [
    'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
  ];
}

/** The misspelt path is the server's. */
function unchangeable(object: KubeObject, old: KubeObject): Errors {
  const [spec, before] = [specOf(object), specOf(old)];
  return [
    ...immutable(valueAt(spec, 'attachRequired'), valueAt(before, 'attachRequired'), 'spec.attachedRequired'),
    ...immutable(
      valueAt(spec, 'volumeLifecycleModes'),
      valueAt(before, 'volumeLifecycleModes'),
      'spec.volumeLifecycleModes',
    ),
  ];
}

function validateSpec(spec: JsonObject): Errors {
  const set = (key: string, path = key): Errors => required(has(spec, key), `spec.${path}`);
  return [
    ...set('attachRequired', 'attachedRequired'),
    ...set('podInfoOnMount'),
    ...set('storageCapacity'),
    ...oneOf(stringAt(spec, 'fsGroupPolicy'), 'spec.fsGroupPolicy', [
      'File',
      'None',
      'ReadWriteOnceWithFSType',
    ]),
    ...validateAudiences(spec),
    ...each(stringsAt(spec, 'volumeLifecycleModes'), 'spec.volumeLifecycleModes', (mode) =>
      oneOf(mode, 'spec.volumeLifecycleModes', ['Persistent', 'Ephemeral']),
    ),
  ];
}

function validateAudiences(spec: JsonObject): Errors {
  const seen = new Set<string>();
  return each(objectsAt(spec, 'tokenRequests'), 'spec.tokenRequests', (request, path) => {
    const audience = stringAt(request, 'audience');
    const again = seen.has(audience);
    seen.add(audience);
    return again ? [fieldErrors.duplicate(`${path}.audience`, audience)] : [];
  });
}
