import { describe, expect, test } from 'vitest';
import { isDns1123Label } from '../object/dns-names.ts';
import { fieldErrors } from './field-errors.ts';
import { formatFieldError, formatFieldErrors, statusCauseOf } from './format-field-error.ts';

describe('a field error reads as an API server writes it', () => {
  const [badName = ''] = isDns1123Label('BAD_name');
  test.each([
    [
      fieldErrors.invalid('metadata.name', 'BAD_name', badName),
      `metadata.name: Invalid value: "BAD_name": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [fieldErrors.required('spec.containers[0].image'), 'spec.containers[0].image: Required value'],
    [fieldErrors.duplicate('spec.containers[1].name', 'c'), 'spec.containers[1].name: Duplicate value: "c"'],
    [
      fieldErrors.invalid('spec.template.metadata.labels', { app: 'other' }, '`selector` does not match'),
      'spec.template.metadata.labels: Invalid value: {"app":"other"}: `selector` does not match',
    ],
    [
      fieldErrors.notSupported('spec.color', 'green', ['red', 'blue']),
      'spec.color: Unsupported value: "green": supported values: "red", "blue"',
    ],
    [
      fieldErrors.tooLong('metadata.annotations', 262_144),
      'metadata.annotations: Too long: may not be more than 262144 bytes',
    ],
    [fieldErrors.tooLong('x', 1), 'x: Too long: may not be more than 1 byte'],
    [fieldErrors.tooMany('x', 3, 1), 'x: Too many: 3: must have at most 1 item'],
    [fieldErrors.tooMany('x', -1, -1), 'x: Too many: has too many items'],
    [fieldErrors.forbidden('data', 'field is immutable'), 'data: Forbidden: field is immutable'],
    [fieldErrors.invalid('<nil>', null, 'not checked'), '<nil>: Invalid value: null: not checked'],
    [fieldErrors.invalid('a', 1.5, 'x'), 'a: Invalid value: 1.5: x'],
    [fieldErrors.invalid('a', 1_234_567.5, 'x'), 'a: Invalid value: 1.2345675e+06: x'],
    [fieldErrors.invalid('a', 1_000_000, 'x'), 'a: Invalid value: 1000000: x'],
    [fieldErrors.invalid('a', true, 'x'), 'a: Invalid value: true: x'],
    [fieldErrors.invalid('a', 'tab\tquote"', 'x'), String.raw`a: Invalid value: "tab\tquote\"": x`],
    [fieldErrors.invalid('a', ['<b>'], 'x'), String.raw`a: Invalid value: ["\u003cb\u003e"]: x`],
    [fieldErrors.notFound('a', 'b'), 'a: Not found: "b"'],
    [fieldErrors.internal('a', 'boom'), 'a: Internal error: boom'],
  ])('%j', (error, text) => {
    expect(formatFieldError(error)).toBe(text);
  });
});

test('several errors are listed once each', () => {
  const errors = [fieldErrors.required('a'), fieldErrors.required('b'), fieldErrors.required('a')];
  expect(formatFieldErrors(errors)).toBe('[a: Required value, b: Required value]');
  expect(formatFieldErrors(errors.slice(0, 1))).toBe('a: Required value');
});

test('a cause names the field beside the message', () => {
  expect(statusCauseOf(fieldErrors.required('a', 'why'))).toEqual({
    reason: 'FieldValueRequired',
    message: 'Required value: why',
    field: 'a',
  });
});
