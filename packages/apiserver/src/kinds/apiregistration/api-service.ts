import type { JsonObject, KubeObject } from '@kubewright/kube';
import {
  fieldErrors,
  isDns1035Label,
  isDns1123Subdomain,
  isPathSegmentName,
  isValidPortNumber,
} from '@kubewright/kube/validation';
import type { Declaration } from '../../model/declaration.ts';
import { each, type Errors, invalid, invalidFor, NONE, oneOf, required } from '../../validation/errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import {
  has,
  isTrue,
  maybeObject,
  numberAt,
  objectsAt,
  specOf,
  statusOf,
  stringAt,
} from '../../objects/read.ts';
import {
  clearStatus,
  keepOld,
  keepOldMetadata,
  SPEC_RESET,
  STATUS_RESET,
} from '../../model/status-strategy.ts';
import { changeObject, inField, orDefaultPointer } from '../../objects/change-object.ts';
import { GROUP, RESOURCE } from '../../aggregation/delegate.ts';
import { LOCAL, withAvailability } from '../../aggregation/availability.ts';

const empty = clearStatus();

/** `apiregistration.k8s.io/v1 APIService`: the server of one version of a group. */
export const API_SERVICE: Declaration = {
  apiVersion: `${GROUP}/v1`,
  kind: 'APIService',
  resource: RESOURCE,
  namespaced: false,
  categories: ['api-extensions'],
  strategy: {
    default: (object) =>
      changeObject(
        object,
        inField(
          'spec',
          inField('service', (service) => orDefaultPointer(service, 'port', 443)),
        ),
      ),
    prepareForCreate: (object, { now }) => {
      const fresh = empty(object);
      return maybeObject(specOf(fresh), 'service') === undefined
        ? withAvailability(fresh, LOCAL, now)
        : fresh;
    },
    prepareForUpdate: (object, old) => keepOld(object, old, 'status'),
    validateCreate: validate,
    validateUpdate: (object, old) => [...validateObjectMetaUpdate(object, old), ...validate(object)],
    resetFields: STATUS_RESET,
  },
  status: {
    prepareForUpdate: (object, old) =>
      ['labels', 'annotations', 'finalizers', 'ownerReferences'].reduce(
        (kept, key) => keepOldMetadata(kept, old, key),
        keepOld(object, old, 'spec'),
      ),
    validateUpdate: (object, old) => [
      ...validateObjectMetaUpdate(object, old),
      ...each(objectsAt(statusOf(object), 'conditions'), 'status.conditions', (condition, at) =>
        oneOf(stringAt(condition, 'status'), `${at}.status`, ['True', 'False', 'Unknown']),
      ),
    ],
    resetFields: [...SPEC_RESET, ['f:metadata']],
  },
};

function validate(object: KubeObject): Errors {
  const spec = specOf(object);
  const [group, version] = [stringAt(spec, 'group'), stringAt(spec, 'version')];
  const name = `${version}.${group}`;
  const isName = (given: string): readonly string[] => {
    const errors = isPathSegmentName(given);
    if (errors.length > 0 || given === name) return errors;
    return [`must be \`spec.version+"."+spec.group\`: ${JSON.stringify(name)}`];
  };
  return [
    ...validateObjectMeta(object, { namespaced: false, name: isName }),
    ...required(
      group !== '' || version === 'v1',
      'spec.group',
      'only v1 may have an empty group and it better be legacy kube',
    ),
    ...(group === '' ? NONE : invalidFor('spec.group', group, isDns1123Subdomain(group))),
    ...invalidFor('spec.version', version, isDns1035Label(version)),
    ...withinPriority(spec, 'groupPriorityMinimum', 20_000),
    ...withinPriority(spec, 'versionPriority', 1000),
    ...validateService(spec),
  ];
}

function withinPriority(spec: JsonObject, key: string, most: number): Errors {
  const value = numberAt(spec, key);
  return invalid(value <= 0 || value > most, `spec.${key}`, value, `must be positive and less than ${most}`);
}

function validateService(spec: JsonObject): Errors {
  const insecure = isTrue(spec, 'insecureSkipTLSVerify');
  const size = Buffer.from(stringAt(spec, 'caBundle'), 'base64').length;
  const service = maybeObject(spec, 'service');
  const skip = 'spec.insecureSkipTLSVerify';
  if (service === undefined) {
    const local = 'local APIServices may not have';
    return [
      ...invalid(size > 0, 'spec.caBundle', `${size} bytes`, `${local} a caBundle`),
      ...invalid(insecure, skip, insecure, `${local} insecureSkipTLSVerify`),
    ];
  }
  const port = numberAt(service, 'port');
  const wrongPort = isValidPortNumber(port);
  return [
    ...required(has(service, 'namespace'), 'spec.service.namespace'),
    ...required(has(service, 'name'), 'spec.service.name'),
    ...(wrongPort.length === 0
      ? NONE
      : [fieldErrors.invalid('spec.service.port', port, `port is not valid: ${wrongPort.join(', ')}`)]),
    ...invalid(insecure && size > 0, skip, insecure, 'may not be true if caBundle is present'),
  ];
}
