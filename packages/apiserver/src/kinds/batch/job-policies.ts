import type { JsonObject } from '@kubewright/kube';
import type { FieldError } from '@kubewright/kube/validation';
import { fieldErrors } from '@kubewright/kube/validation';
import { countIndexes, formatProblem } from './index-intervals.ts';
import {
  type Errors,
  each,
  inside,
  invalid,
  NONE,
  nonNegative,
  oneOf,
  qualifiedName,
  required,
} from '../../validation/errors.ts';
import {
  has,
  itemsAt,
  maybeNumber,
  maybeObject,
  maybeString,
  numberAt,
  objectAt,
  objectsAt,
  stringAt,
} from '../../objects/read.ts';
import { showing } from '../../validation/shown-as.ts';

const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];

/** `spec.podFailurePolicy`: what a failed pod means, by exit code or condition. */
export function validateFailurePolicy(spec: JsonObject, path: string): Errors {
  const pod = objectAt(spec, 'template', 'spec');
  const names = [...objectsAt(pod, 'containers'), ...objectsAt(pod, 'initContainers')].map((container) =>
    stringAt(container, 'name'),
  );
  return inside(maybeObject(spec, 'podFailurePolicy'), (policy) => [
    ...tooMany(objectsAt(policy, 'rules').length, 20, `${path}.rules`),
    ...each(objectsAt(policy, 'rules'), `${path}.rules`, (rule, at) => [
      ...validateAction(stringAt(rule, 'action'), has(spec, 'backoffLimitPerIndex'), `${at}.action`),
      ...inside(maybeObject(rule, 'onExitCodes'), (codes) =>
        validateExitCodes(codes, `${at}.onExitCodes`, names),
      ),
      ...validateConditions(rule, `${at}.onPodConditions`),
      ...validateKinds(rule, at),
    ]),
  ]);
}

function tooMany(count: number, limit: number, path: string): Errors {
  return count > limit ? [fieldErrors.tooMany(path, count, limit)] : NONE;
}

function quoted(values: readonly string[]): string {
  return `valid values: [${values.map((value) => JSON.stringify(value)).join(' ')}]`;
}

function validateAction(action: string, perIndex: boolean, path: string): Errors {
  if (action === '') return required(false, path, quoted(ACTIONS));
  if (action !== 'FailIndex') return oneOf(action, path, ACTIONS);
  return invalid(!perIndex, path, action, 'requires the backoffLimitPerIndex to be set');
}

function validateKinds(rule: JsonObject, path: string): Errors {
  const [codes, conditions] = [has(rule, 'onExitCodes'), objectsAt(rule, 'onPodConditions').length > 0];
  if (codes !== conditions) return NONE;
  const detail = codes
    ? 'specifying both OnExitCodes and OnPodConditions is not supported'
    : 'specifying one of OnExitCodes and OnPodConditions is required';
  return [{ type: 'Invalid', field: path, detail }];
}

function validateConditions(rule: JsonObject, path: string): Errors {
  const statuses = ['False', 'True', 'Unknown'];
  return [
    ...tooMany(objectsAt(rule, 'onPodConditions').length, 20, path),
    ...each(objectsAt(rule, 'onPodConditions'), path, (pattern, at) => {
      const status = stringAt(pattern, 'status');
      return [
        ...qualifiedName(stringAt(pattern, 'type'), `${at}.type`),
        ...(status === ''
          ? required(false, `${at}.status`, quoted(statuses))
          : oneOf(status, `${at}.status`, statuses)),
      ];
    }),
  ];
}

function validateExitCodes(codes: JsonObject, path: string, names: readonly string[]): Errors {
  const operator = stringAt(codes, 'operator');
  const container = maybeString(codes, 'containerName');
  const known = ['In', 'NotIn'];
  return [
    ...(operator === ''
      ? required(false, `${path}.operator`, quoted(known))
      : oneOf(operator, `${path}.operator`, known)),
    ...invalid(
      container !== undefined && !names.includes(container),
      `${path}.containerName`,
      container ?? '',
      'must be one of the container or initContainer names in the pod template',
    ),
    ...validateCodes(itemsAt(codes, 'values').map(Number), operator, `${path}.values`),
  ];
}

function validateCodes(values: readonly number[], operator: string, path: string): Errors {
  const seen = new Set<number>();
  const ordered = values.every((value, index) => index === 0 || (values[index - 1] ?? 0) <= value);
  const shown = [...values];
  return [
    ...invalid(values.length === 0, path, shown, 'at least one value is required'),
    ...tooMany(values.length, 255, path),
    ...each(values, path, (value, at) => {
      const errors: FieldError[] = [
        ...invalid(operator === 'In' && value === 0, at, value, 'must not be 0 for the In operator'),
      ];
      if (seen.has(value)) errors.push(fieldErrors.duplicate(at, value));
      seen.add(value);
      return errors;
    }),
    ...invalid(!ordered, path, shown, 'must be ordered'),
  ];
}

/** `spec.successPolicy`, of indexed Jobs. */
export function validateSuccessPolicy(spec: JsonObject, path: string): Errors {
  const completions = numberAt(spec, 'completions');
  return inside(maybeObject(spec, 'successPolicy'), (policy) => {
    if (stringAt(spec, 'completionMode') !== 'Indexed') {
      const detail = 'requires indexed completion mode';
      return showing('batch.SuccessPolicy', [fieldErrors.invalid(path, policy, detail)]);
    }
    const rules = objectsAt(policy, 'rules');
    return [
      ...required(
        rules.length > 0,
        `${path}.rules`,
        'at least one rules must be specified when the successPolicy is specified',
      ),
      ...tooMany(rules.length, 20, `${path}.rules`),
      ...each(rules, `${path}.rules`, (rule, at) => validateSuccessRule(rule, at, completions)),
    ];
  });
}

const LONGEST_INDEXES = 64 * 1024;

function validateSuccessRule(rule: JsonObject, at: string, completions: number): Errors {
  const count = maybeNumber(rule, 'succeededCount') ?? 0;
  const indexes = maybeString(rule, 'succeededIndexes');
  const problem = formatProblem(indexes ?? '', completions);
  const known = indexes === undefined ? count : countIndexes(indexes, completions);
  const path = { indexes: `${at}.succeededIndexes`, count: `${at}.succeededCount` };
  const most = 'must be less than or equal to';
  return [
    ...required(
      has(rule, 'succeededCount') || indexes !== undefined,
      at,
      'at least one of succeededCount or succeededIndexes must be specified',
    ),
    ...((indexes ?? '').length > LONGEST_INDEXES
      ? [fieldErrors.tooLong(path.indexes, LONGEST_INDEXES)]
      : NONE),
    ...invalid(
      problem !== undefined,
      path.indexes,
      indexes ?? '',
      `error parsing succeededIndexes: ${problem}`,
    ),
    ...nonNegative(rule, 'succeededCount', at),
    ...invalid(
      count > completions,
      path.count,
      count,
      `${most} ${completions} (the number of specified completions)`,
    ),
    ...invalid(
      count > known,
      path.count,
      count,
      `${most} ${known} (the number of indexes in the specified succeededIndexes field)`,
    ),
  ];
}
