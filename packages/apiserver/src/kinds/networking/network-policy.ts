import type { JsonObject, KubeObject } from '@kubewright/kube';
import type { Strategy } from '../../model/resource-definition.ts';
import {
  type Errors,
  each,
  forbidden,
  invalid,
  nameIsDnsSubdomain,
  NONE,
  oneOf,
  required,
} from '../../validation/errors.ts';
import { portNumberOrName } from '../../validation/formats.ts';
import { validateLabelSelector } from '../../validation/validate-labels.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import {
  has,
  itemsAt,
  maybeNumber,
  maybeObject,
  objectAt,
  objectsAt,
  specOf,
  stringAt,
  stringsAt,
  valueAt,
} from '../../objects/read.ts';
import { changed, generationOf, withGeneration } from '../../model/status-strategy.ts';
import {
  type Change,
  changeObject,
  inItems,
  inOrder,
  orDefaultPointer,
  withField,
} from '../../objects/change-object.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };
const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];

const tcp: Change = inItems('ports', (port) => orDefaultPointer(port, 'protocol', 'TCP'));

/** Default `policyTypes`: Ingress, and Egress where there are egress rules. */
const policyTypes: Change = (spec) => {
  if (itemsAt(spec, 'policyTypes').length > 0) return spec;
  const both = itemsAt(spec, 'egress').length > 0;
  return withField(spec, 'policyTypes', both ? ['Ingress', 'Egress'] : ['Ingress']);
};

/** `networking.k8s.io/v1 NetworkPolicy`. */
export const networkPolicy: Strategy = {
  default: (object) =>
    changeObject(object, (body) =>
      withField(
        body,
        'spec',
        inOrder(inItems('ingress', tcp), inItems('egress', tcp), policyTypes)(objectAt(body, 'spec')),
      ),
    ),
  prepareForCreate: (object) => withGeneration(object, 1),
  prepareForUpdate: (object, old) =>
    changed(object, old, 'spec') ? withGeneration(object, generationOf(old) + 1) : object,
  validateCreate: (object) => [...validateObjectMeta(object, RULES), ...validateSpec(specOf(object))],
  validateUpdate: (object: KubeObject, old: KubeObject) => [
    ...validateObjectMetaUpdate(object, old),
    ...validateSpec(specOf(object)),
  ],
};

function validateSpec(spec: JsonObject): Errors {
  const types = stringsAt(spec, 'policyTypes');
  return [
    ...validateLabelSelector(objectAt(spec, 'podSelector'), 'spec.podSelector'),
    ...validateRules(spec, 'ingress', 'from'),
    ...validateRules(spec, 'egress', 'to'),
    ...(types.length > 2
      ? invalid(true, 'spec.policyTypes', [...types], 'may not specify more than two policyTypes')
      : each(types, 'spec.policyTypes', (type, path) => oneOf(type, path, ['Ingress', 'Egress']))),
  ];
}

function validateRules(spec: JsonObject, direction: string, peers: string): Errors {
  return each(objectsAt(spec, direction), `spec.${direction}`, (rule, path) => [
    ...each(objectsAt(rule, 'ports'), `${path}.ports`, validatePort),
    ...each(objectsAt(rule, peers), `${path}.${peers}`, validatePeer),
  ]);
}

function validatePort(port: JsonObject, path: string): Errors {
  const protocol = stringAt(port, 'protocol');
  return [
    ...(protocol === '' ? NONE : oneOf(protocol, `${path}.protocol`, PROTOCOLS)),
    ...validateRange(valueAt(port, 'port'), maybeNumber(port, 'endPort'), path),
  ];
}

function validateRange(port: unknown, end: number | undefined, path: string): Errors {
  const at = `${path}.endPort`;
  if (typeof port === 'number') {
    return [
      ...portNumberOrName(port, `${path}.port`),
      ...(end === undefined
        ? NONE
        : [
            ...invalid(end < port, at, port, 'must be greater than or equal to `port`'),
            ...portNumberOrName(end, at),
          ]),
    ];
  }
  const named = typeof port === 'string';
  const why = `may not be specified when \`port\` is ${named ? 'non-numeric' : 'not specified'}`;
  return [
    ...invalid(end !== undefined, at, end ?? 0, why),
    ...(named ? portNumberOrName(port, `${path}.port`) : NONE),
  ];
}

function validatePeer(peer: JsonObject, path: string): Errors {
  const selectors = ['podSelector', 'namespaceSelector'];
  const count = selectors.filter((key) => has(peer, key)).length;
  const block = maybeObject(peer, 'ipBlock');
  return [
    ...selectors.flatMap((key) => validateLabelSelector(maybeObject(peer, key), `${path}.${key}`)),
    ...required(block === undefined || stringAt(block, 'cidr') !== '', `${path}.ipBlock.cidr`),
    ...required(count > 0 || block !== undefined, path, 'must specify a peer'),
    ...forbidden(count > 0 && block !== undefined, path, 'may not specify both ipBlock and another peer'),
  ];
}
