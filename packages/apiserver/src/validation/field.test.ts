import type { appsv1, batchv1, JsonObject, KubeObject } from '@kubewright/kube';
import { type FieldError, formatFieldError } from '@kubewright/kube/validation';
import { expect, test } from 'vitest';
import { Field } from './field.ts';
import { specErrors, specField, statusErrors } from './spec-errors.ts';

type Spec = appsv1.DeploymentSpec;

function make(spec: JsonObject, status: JsonObject = {}): KubeObject {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec, status };
}

function texts({ errors }: { readonly errors: readonly FieldError[] }): readonly string[] {
  return errors.map(formatFieldError);
}

test('errors of all fields come in the order of the checks, each with its path', () => {
  const spec = specField<Spec>(
    make({ replicas: -1, strategy: { type: 'x' }, template: { spec: { containers: [{}, { name: 'C_' }] } } }),
  );
  spec.at('strategy').oneOf('type', ['Recreate', 'RollingUpdate']);
  for (const container of spec.at('template').at('spec').items('containers')) container.require('name');
  spec.nonNegative('minReadySeconds', 'replicas');
  spec.at('template').at('metadata').at('labels').entry('app').addRequired("must be 'x'");
  expect(texts(spec)).toEqual([
    'spec.strategy.type: Unsupported value: "x": supported values: "Recreate", "RollingUpdate"',
    'spec.template.spec.containers[0].name: Required value',
    'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    "spec.template.metadata.labels[app]: Required value: must be 'x'",
  ]);
});

test('what is absent, null or of another type reads as the zero value of Go', () => {
  for (const value of [undefined, null, 'text', 7, true, [], [null]]) {
    const spec = new Field<Spec>(value === undefined ? {} : { replicas: 'many', strategy: value });
    expect(spec.number('replicas')).toBe(0);
    expect(spec.at('strategy').text('type')).toBe('');
    expect(spec.at('strategy').at('rollingUpdate').has('maxSurge')).toBe(false);
    expect(spec.maybeAt('strategy')).toBeUndefined();
    expect(spec.at('template').at('spec').items('containers')).toEqual([]);
  }
});

test('keys that an object inherits are none of its fields', () => {
  const labels = new Field<{ readonly [key: string]: string }>({});
  expect(labels.has('constructor')).toBe(false);
  expect(labels.text('toString')).toBe('');
});

test('a value is shown as Go has it, or in place of another', () => {
  const spec = specField<Spec>(make({ selector: { matchLabels: { app: 'x' } } }));
  spec.immutable(specField<Spec>(make({ selector: {} })), 'selector', '?meta.LabelSelector');
  spec.at('replicas').addInvalid('cannot be decremented', { value: 0 });
  spec.at('strategy').addNotSupported(['Recreate'], { as: 'apps.DeploymentStrategy' });
  expect(texts(spec)).toEqual([
    'spec.selector: Invalid value: {"matchLabels":{"app":"x"}}: field is immutable',
    'spec.replicas: Invalid value: 0: cannot be decremented',
    'spec.strategy: Unsupported value: {"Type":"","RollingUpdate":null}: supported values: "Recreate"',
  ]);
});

test('lists are bounded, texts are checked by rules, what must be absent is forbidden', () => {
  const policy = new Field<batchv1.PodFailurePolicy>({ rules: [{}, {}] });
  policy.atMostItems('rules', 1);
  const [rule] = policy.items('rules');
  rule?.requireOneOf('action', ['Ignore'], 'valid values: ["Ignore"]');
  rule?.matches('action', (text) => (text === '' ? ['must not be empty', 'must be a word'] : []));
  policy.forbid('rules', 'may not be specified');
  expect(texts(policy)).toEqual([
    'rules: Too many: 2: must have at most 1 item',
    'rules[0].action: Required value: valid values: ["Ignore"]',
    'rules[0].action: Invalid value: "": must not be empty',
    'rules[0].action: Invalid value: "": must be a word',
    'rules: Forbidden: may not be specified',
  ]);
});

test('a field with another value stands where the first does', () => {
  const spec = specField<Spec>(make({ replicas: 1 }));
  spec.with({ replicas: -2 }).nonNegative('replicas');
  expect(texts(spec)).toEqual(['spec.replicas: Invalid value: -2: must be greater than or equal to 0']);
});

test('a create has no old spec, a status always has one', () => {
  const check = (spec: Field<Spec>, old?: Field<Spec>): void => {
    if (old !== undefined) spec.immutable(old, 'replicas');
  };
  expect(specErrors(check, make({ replicas: 2 }))).toEqual([]);
  expect(specErrors(check, make({ replicas: 2 }), make({ replicas: 1 })).map(formatFieldError)).toEqual([
    'spec.replicas: Invalid value: 2: field is immutable',
  ]);
  const fewer = (status: Field<appsv1.DeploymentStatus>, old: Field<appsv1.DeploymentStatus>): void => {
    if (status.number('replicas') < old.number('replicas')) status.at('replicas').addInvalid('fewer');
  };
  const [now, before] = [make({}, { replicas: 1 }), make({}, { replicas: 2 })];
  expect(statusErrors(fewer, now, before).map(({ field }) => field)).toEqual(['status.replicas']);
});

test('a misspelt key, a key of another type and an unknown value do not compile', () => {
  const spec = new Field<Spec>({});
  // @ts-expect-error no such field
  spec.at('stategy');
  // @ts-expect-error not a number
  spec.nonNegative('paused');
  // @ts-expect-error no such strategy
  spec.at('strategy').oneOf('type', ['Recreat']);
  // @ts-expect-error not a list
  spec.items('template');
  expect(spec.at('strategy').is('type', 'Recreate')).toBe(false);
});
