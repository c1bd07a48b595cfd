import type { apiregistrationv1, KubeObject } from '@kubewright/kube';
import {
  isDns1035Label,
  isDns1123Subdomain,
  isPathSegmentName,
  isValidPortNumber,
} from '@kubewright/kube/validation';
import type { Declaration } from '../../model/declaration.ts';
import type { Errors } from '../../validation/errors.ts';
import type { Field } from '../../validation/field.ts';
import { specErrors, specField, statusErrors } from '../../validation/spec-errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import {
  clearStatus,
  keepOld,
  keepOldMetadata,
  SPEC_RESET,
  STATUS_RESET,
} from '../../model/status-strategy.ts';
import { changeObject, defaults, inField } from '../../objects/change-object.ts';
import { GROUP, RESOURCE } from '../../aggregation/delegate.ts';
import { LOCAL, withAvailability } from '../../aggregation/availability.ts';

type Spec = apiregistrationv1.APIServiceSpec;

const empty = clearStatus();
const portDefault = inField(
  'spec',
  inField('service', defaults<apiregistrationv1.ServiceReference>({ port: 443 })),
);

/** `apiregistration.k8s.io/v1 APIService`: the server of one version of a group. */
export const API_SERVICE: Declaration = {
  apiVersion: `${GROUP}/v1`,
  kind: 'APIService',
  resource: RESOURCE,
  namespaced: false,
  categories: ['api-extensions'],
  strategy: {
    default: (object) => changeObject(object, portDefault),
    prepareForCreate: (object, { now }) => {
      const fresh = empty(object);
      return specField<Spec>(fresh).at('service').isStruct ? fresh : withAvailability(fresh, LOCAL, now);
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
      ...statusErrors(validateStatus, object, old),
    ],
    resetFields: [...SPEC_RESET, ['f:metadata']],
  },
};

function validateStatus(status: Field<apiregistrationv1.APIServiceStatus>): void {
  for (const condition of status.items('conditions')) condition.oneOf('status', ['True', 'False', 'Unknown']);
}

function validate(object: KubeObject): Errors {
  const spec = specField<Spec>(object);
  const name = `${spec.text('version')}.${spec.text('group')}`;
  const isName = (given: string): readonly string[] => {
    const errors = isPathSegmentName(given);
    if (errors.length > 0 || given === name) return errors;
    return [`must be \`spec.version+"."+spec.group\`: ${JSON.stringify(name)}`];
  };
  return [
    ...validateObjectMeta(object, { namespaced: false, name: isName }),
    ...specErrors(validateSpec, object),
  ];
}

function validateSpec(spec: Field<Spec>): void {
  if (spec.text('group') !== '') spec.matches('group', isDns1123Subdomain);
  else if (spec.text('version') !== 'v1')
    spec.at('group').addRequired('only v1 may have an empty group and it better be legacy kube');
  spec.matches('version', isDns1035Label);
  validatePriority(spec, 'groupPriorityMinimum', 20_000);
  validatePriority(spec, 'versionPriority', 1000);
  validateService(spec);
}

function validatePriority(
  spec: Field<Spec>,
  key: 'groupPriorityMinimum' | 'versionPriority',
  most: number,
): void {
  const value = spec.number(key);
  if (value <= 0 || value > most)
    spec.at(key).addInvalid(`must be positive and less than ${most}`, { value });
}

function validateService(spec: Field<Spec>): void {
  const [service, skip] = [spec.maybeAt('service'), spec.at('insecureSkipTLSVerify')];
  const insecure = spec.isTrue('insecureSkipTLSVerify');
  const size = Buffer.from(spec.text('caBundle'), 'base64').length;
  if (service === undefined) {
    const local = 'local APIServices may not have';
    if (size > 0) spec.at('caBundle').addInvalid(`${local} a caBundle`, { value: `${size} bytes` });
    if (insecure) skip.addInvalid(`${local} insecureSkipTLSVerify`);
    return;
  }
  const value = service.number('port');
  const wrong = isValidPortNumber(value);
  service.require('namespace');
  service.require('name');
  if (wrong.length > 0) service.at('port').addInvalid(`port is not valid: ${wrong.join(', ')}`, { value });
  if (insecure && size > 0) skip.addInvalid('may not be true if caBundle is present');
}
