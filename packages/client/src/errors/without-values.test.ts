import { describe, expect, it } from 'vitest';
import { messageWithoutValues, statusWithoutValues } from './without-values.ts';

describe('a message of an API server that is printed', () => {
  it.each([
    ['keeps what a person mistyped', 'spec.cpu: Invalid value: "64x": not a quantity', undefined, undefined],
    ['keeps a number', 'spec.replicas: Invalid value: -1: must be positive', undefined, undefined],
    ['keeps an empty list', 'spec.list: Invalid value: []: too short', undefined, undefined],
    [
      'keeps the name of a variable',
      'spec.containers[0].env[0].name: Invalid value: "a b": no name',
      undefined,
      undefined,
    ],
    [
      'leaves out a list',
      'metadata.finalizers: Invalid value: ["a","b"]: not both',
      undefined,
      'metadata.finalizers: Invalid value: […]: not both',
    ],
    [
      'leaves out a pod template',
      'spec.template: Invalid value: {"Spec":{"Containers":[{"Env":[{"Value":"a \\" } MARK"}]}]}}: field is immutable',
      undefined,
      'spec.template: Invalid value: {…}: field is immutable',
    ],
    [
      'leaves out a struct that Go prints',
      'spec.template: Invalid value: core.PodTemplateSpec{Env:[]core.EnvVar{core.EnvVar{Value:"MARK}"}}}: field is immutable',
      undefined,
      'spec.template: Invalid value: core.PodTemplateSpec{…}: field is immutable',
    ],
    [
      'leaves out a value that has no place in a manifest',
      '.data.password: expected string, got &value.valueUnstructured{Value:[]interface {}{"MARK"}}',
      undefined,
      '.data.password: expected string, got &value.valueUnstructured{…}',
    ],
    [
      'leaves out the difference of two pods',
      'spec: Forbidden: pod updates may not change fields other than `image`\n  core.PodSpec{\n- Value: "MARK",\n  }\n',
      undefined,
      'spec: Forbidden: pod updates may not change fields other than `image`\n  core.PodSpec{…}\n',
    ],
    [
      'leaves out an environment variable',
      'spec.containers[0].env[0].value: Invalid value: "MARK": no',
      undefined,
      'spec.containers[0].env[0].value: Invalid value: …: no',
    ],
    [
      'leaves out an annotation',
      'metadata.annotations[a/b]: Invalid value: "MARK: x": no',
      undefined,
      'metadata.annotations[a/b]: Invalid value: …: no',
    ],
    [
      'leaves out a password in a custom resource',
      'spec.auth.dbPassword: Invalid value: "MARK": too short',
      undefined,
      'spec.auth.dbPassword: Invalid value: …: too short',
    ],
    [
      'leaves out all values of a Secret',
      'Secret "a" is invalid: [type: Invalid value: "MARK": no, x: Unsupported value: "MARK": supported values: "a"]',
      'Secret',
      'Secret "a" is invalid: [type: Invalid value: …: no, x: Unsupported value: …: supported values: "a"]',
    ],
    [
      'leaves out what a decoder shows',
      'cannot be handled as a Secret: v1.Secret.Data: decode slice: expect [ or n, error found in #10 byte of ...|"a":MARK|..., bigger context ...|MARK|...',
      undefined,
      'cannot be handled as a Secret: v1.Secret.Data: decode slice: expect [ or n, error found in #10 byte of ...…',
    ],
    [
      'ends where a value does not',
      'a.password: Invalid value: "MARK',
      undefined,
      'a.password: Invalid value: …',
    ],
  ])('%s', (_title, message, kind, expected = message) => {
    expect(messageWithoutValues(message, kind)).toBe(expected);
  });

  it('is read once, however many quotes and brackets it has', () => {
    const text = `x.env: Invalid value: ${'["{'.repeat(100_000)}`;
    expect(messageWithoutValues(text)).toBe('x.env: Invalid value: […]');
    const many = 'a.token: Invalid value: "'.repeat(100_000);
    expect(messageWithoutValues(many).length).toBeLessThan(many.length);
  });

  it('has causes without values too', () => {
    const causes = [{ field: 'data[a]', message: 'Invalid value: "MARK": no' }];
    const status = statusWithoutValues({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code: 422,
      details: { kind: 'ConfigMap', causes },
    });
    expect(status.details?.causes).toEqual([{ field: 'data[a]', message: 'Invalid value: …: no' }]);
  });
});
