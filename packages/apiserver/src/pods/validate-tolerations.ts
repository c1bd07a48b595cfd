import type { JsonObject } from '@kubewright/kube';
import { fieldErrors, isValidLabelValue } from '@kubewright/kube/validation';
import {
  type Errors,
  each,
  invalid,
  invalidFor,
  NONE,
  oneOf,
  positive,
  qualifiedName,
  required,
} from '../validation/errors.ts';
import { validateLabelName, validateLabelSelector } from '../validation/validate-labels.ts';
import {
  has,
  maybeNumber,
  maybeObject,
  maybeString,
  numberAt,
  objectsAt,
  stringAt,
  stringsAt,
} from '../objects/read.ts';
import { validateMatchLabelKeys } from './validate-match-label-keys.ts';

/** `spec.tolerations`. */
export function validateTolerations(tolerations: readonly JsonObject[], path: string): Errors {
  return each(tolerations, path, (toleration, at) => {
    const key = stringAt(toleration, 'key');
    const [operator, effect] = [stringAt(toleration, 'operator'), stringAt(toleration, 'effect')];
    return [
      ...(key === '' ? NONE : validateLabelName(key, `${at}.key`)),
      ...invalid(
        key === '' && operator !== 'Exists',
        `${at}.operator`,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ),
      ...invalid(
        has(toleration, 'tolerationSeconds') && effect !== 'NoExecute',
        `${at}.effect`,
        effect,
        "effect must be 'NoExecute' when `tolerationSeconds` is set",
      ),
      ...validateOperator(operator, stringAt(toleration, 'value'), `${at}.operator`),
      ...(effect === ''
        ? NONE
        : oneOf(effect, `${at}.effect`, ['NoSchedule', 'PreferNoSchedule', 'NoExecute'])),
    ];
  });
}

function validateOperator(operator: string, value: string, path: string): Errors {
  switch (operator) {
    case 'Equal':
    case '': {
      const messages = isValidLabelValue(value);
      return messages.length === 0 ? NONE : invalidFor(path, value, [messages.join(';')]);
    }
    case 'Exists':
      return invalid(value !== '', path, value, "value must be empty when `operator` is 'Exists'");
    case 'Lt':
    case 'Gt':
      // Listed and yet invalid: their feature gate is off.
      return [fieldErrors.notSupported(path, operator, ['Equal', 'Exists', 'Lt', 'Gt'])];
    default:
      return oneOf(operator, path, ['Equal', 'Exists']);
  }
}

/** `spec.topologySpreadConstraints`. */
export function validateTopologySpread(spec: JsonObject, path: string): Errors {
  const constraints = objectsAt(spec, 'topologySpreadConstraints');
  return constraints.flatMap((constraint, index) => {
    const at = `${path}.topologySpreadConstraints[${index}]`;
    const [key, action] = [stringAt(constraint, 'topologyKey'), stringAt(constraint, 'whenUnsatisfiable')];
    const repeated = constraints
      .slice(index + 1)
      .some(
        (other) => stringAt(other, 'topologyKey') === key && stringAt(other, 'whenUnsatisfiable') === action,
      );
    const selector = maybeObject(constraint, 'labelSelector');
    return [
      ...positive(numberAt(constraint, 'maxSkew'), `${at}.maxSkew`),
      ...required(key !== '', `${at}.topologyKey`, 'can not be empty'),
      ...oneOf(action, `${at}.whenUnsatisfiable`, ['DoNotSchedule', 'ScheduleAnyway']),
      ...(repeated
        ? [fieldErrors.duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${key}, ${action}}`)]
        : NONE),
      ...validateMinDomains(constraint, action, `${at}.minDomains`),
      ...validateInclusion(constraint, 'nodeAffinityPolicy', at),
      ...validateInclusion(constraint, 'nodeTaintsPolicy', at),
      ...validateMatchLabelKeys(
        { match: stringsAt(constraint, 'matchLabelKeys'), mismatch: [] },
        selector,
        at,
      ),
      ...validateLabelSelector(selector, `${at}.labelSelector`),
    ];
  });
}

function validateMinDomains(constraint: JsonObject, action: string, path: string): Errors {
  const minimum = maybeNumber(constraint, 'minDomains');
  if (minimum === undefined) return NONE;
  return [
    ...positive(minimum, path),
    ...invalid(
      action !== 'DoNotSchedule',
      path,
      minimum,
      `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`,
    ),
  ];
}

function validateInclusion(constraint: JsonObject, key: string, path: string): Errors {
  const policy = maybeString(constraint, key);
  return policy === undefined ? NONE : oneOf(policy, `${path}.${key}`, ['Honor', 'Ignore']);
}

/** `spec.readinessGates` and `spec.schedulingGates`. */
export function validateGates(spec: JsonObject, path: string): Errors {
  const seen = new Set<string>();
  return [
    ...each(objectsAt(spec, 'readinessGates'), `${path}.readinessGates`, (gate, at) =>
      qualifiedName(stringAt(gate, 'conditionType'), `${at}.conditionType`),
    ),
    ...each(objectsAt(spec, 'schedulingGates'), `${path}.schedulingGates`, (gate, at) => {
      const name = stringAt(gate, 'name');
      const again = seen.has(name) ? [fieldErrors.duplicate(at, name)] : NONE;
      seen.add(name);
      return [...qualifiedName(name, at), ...again];
    }),
  ];
}
