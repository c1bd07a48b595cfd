import type { JsonObject } from '@kubewright/kube';
import { isValidLabelValue } from '@kubewright/kube/validation';
import {
  type Check,
  type Errors,
  each,
  forbidden,
  inside,
  invalid,
  invalidFor,
  NONE,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  required,
} from '../validation/errors.ts';
import { validateLabelName, validateLabelSelector } from '../validation/validate-labels.ts';
import { maybeObject, numberAt, objectAt, objectsAt, stringAt, stringsAt } from '../objects/read.ts';
import { validateMatchLabelKeys } from './validate-match-label-keys.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** `spec.affinity`. */
export function validateAffinity(spec: JsonObject, path: string): Errors {
  const at = `${path}.affinity`;
  return inside(maybeObject(spec, 'affinity'), (affinity) => [
    ...inside(maybeObject(affinity, 'nodeAffinity'), (node) =>
      validateNodeAffinity(node, `${at}.nodeAffinity`),
    ),
    ...inside(maybeObject(affinity, 'podAffinity'), (pod) => validatePodAffinity(pod, `${at}.podAffinity`)),
    ...inside(maybeObject(affinity, 'podAntiAffinity'), (pod) =>
      validatePodAffinity(pod, `${at}.podAntiAffinity`),
    ),
  ]);
}

function validateNodeAffinity(affinity: JsonObject, path: string): Errors {
  return [
    ...inside(maybeObject(affinity, REQUIRED), (selector) =>
      validateNodeSelector(selector, `${path}.${REQUIRED}`),
    ),
    ...each(objectsAt(affinity, PREFERRED), `${path}.${PREFERRED}`, (term, at) => [
      ...validateWeight(term, at),
      // Any value is valid here: a preference that nothing matches does no harm.
      ...validateNodeTerm(objectAt(term, 'preference'), `${at}.preference`, () => NONE),
    ]),
  ];
}

/** A node selector must have a term; an empty term matches nothing. */
export function validateNodeSelector(selector: JsonObject, path: string): Errors {
  const at = `${path}.nodeSelectorTerms`;
  const terms = objectsAt(selector, 'nodeSelectorTerms');
  if (terms.length === 0) return required(false, at, 'must have at least one node selector term');
  return each(terms, at, (term, where) => validateNodeTerm(term, where, labelValue));
}

const labelValue: Check<string> = (value, path) => invalidFor(path, value, isValidLabelValue(value));

function validateNodeTerm(term: JsonObject, path: string, value: Check<string>): Errors {
  return [
    ...each(objectsAt(term, 'matchExpressions'), `${path}.matchExpressions`, (expression, at) => [
      ...validateNodeOperator(stringAt(expression, 'operator'), stringsAt(expression, 'values').length, at),
      ...validateLabelName(stringAt(expression, 'key'), `${at}.key`),
      ...each(stringsAt(expression, 'values'), `${at}.values`, value),
    ]),
    ...each(objectsAt(term, 'matchFields'), `${path}.matchFields`, validateNodeField),
  ];
}

function validateNodeOperator(operator: string, count: number, path: string): Errors {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return required(count > 0, `${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
    case 'Exists':
    case 'DoesNotExist':
      return forbidden(
        count > 0,
        `${path}.values`,
        "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      );
    case 'Gt':
    case 'Lt':
      return required(
        count === 1,
        `${path}.values`,
        "must be specified single value when `operator` is 'Lt' or 'Gt'",
      );
    default:
      return invalidFor(`${path}.operator`, operator, ['not a valid selector operator']);
  }
}

function validateNodeField(field: JsonObject, path: string): Errors {
  const [operator, key] = [stringAt(field, 'operator'), stringAt(field, 'key')];
  const values = stringsAt(field, 'values');
  const known = ['In', 'NotIn'].includes(operator);
  const single = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
  return [
    ...required(!known || values.length === 1, `${path}.values`, single),
    ...invalid(!known, `${path}.operator`, operator, 'not a valid selector operator'),
    ...(key === 'metadata.name'
      ? each(values, `${path}.values`, (value, at) => invalidFor(at, value, nameIsDnsSubdomain(value, false)))
      : invalidFor(`${path}.key`, key, ['not a valid field selector key'])),
  ];
}

function validatePodAffinity(affinity: JsonObject, path: string): Errors {
  return [
    ...each(objectsAt(affinity, REQUIRED), `${path}.${REQUIRED}`, validatePodTerm),
    ...each(objectsAt(affinity, PREFERRED), `${path}.${PREFERRED}`, (term, at) => [
      ...validateWeight(term, at),
      ...validatePodTerm(objectAt(term, 'podAffinityTerm'), `${at}.podAffinityTerm`),
    ]),
  ];
}

function validateWeight(term: JsonObject, path: string): Errors {
  const weight = numberAt(term, 'weight');
  return invalid(weight <= 0 || weight > 100, `${path}.weight`, weight, 'must be in the range 1-100');
}

function validatePodTerm(term: JsonObject, path: string): Errors {
  const topologyKey = stringAt(term, 'topologyKey');
  const labelSelector = maybeObject(term, 'labelSelector');
  return [
    ...validateLabelSelector(labelSelector, `${path}.labelSelector`),
    ...validateLabelSelector(maybeObject(term, 'namespaceSelector'), `${path}.namespaceSelector`),
    ...stringsAt(term, 'namespaces').flatMap((name) =>
      invalidFor(`${path}.namespace`, name, nameIsDnsLabel(name, false)),
    ),
    ...validateMatchLabelKeys(
      { match: stringsAt(term, 'matchLabelKeys'), mismatch: stringsAt(term, 'mismatchLabelKeys') },
      labelSelector,
      path,
    ),
    ...required(topologyKey !== '', `${path}.topologyKey`, 'can not be empty'),
    ...validateLabelName(topologyKey, `${path}.topologyKey`),
  ];
}
