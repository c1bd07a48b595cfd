import { isDns1123Subdomain } from './dns-names.ts';
import { matches, maximumLength, type NameRule } from './name-rule.ts';

const NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

const namePart: NameRule = {
  pattern: NAME,
  message:
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  examples: ['MyName', 'my.name', '123-abc'],
};

const labelValue: NameRule = {
  pattern: `(${NAME})?`,
  message:
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  examples: ['MyValue', 'my_value', '12345'],
};

/** What is wrong with `value` as a label key, finalizer or taint key: `[prefix/]name`. */
export function isQualifiedName(value: string): string[] {
  const parts = value.split('/');
  if (parts.length > 2) {
    const [form] = matches('', namePart);
    return [
      `a valid label key ${form} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? '';
  return [...(parts.length === 2 ? prefixErrors(parts[0] ?? '') : []), ...nameErrors(name)];
}

/** What is wrong with `value` as the value of a label. */
export function isValidLabelValue(value: string): string[] {
  return [...maximumLength(value, 63, 'bytes'), ...matches(value, labelValue)];
}

function prefixErrors(prefix: string): string[] {
  const errors =
    prefix === ''
      ? ['must be non-empty']
      : isDns1123Subdomain(prefix).map((text) =>
          text.replace(/^(must be no more than \d+) characters$/, '$1 bytes'),
        );
  return errors.map((text) => `prefix part ${text}`);
}

function nameErrors(name: string): string[] {
  const length = name === '' ? ['must be non-empty'] : maximumLength(name, 63, 'bytes');
  return [...length, ...matches(name, namePart)].map((text) => `name part ${text}`);
}
