import { describe, expect, test } from 'vitest';
import { isDns1035Label, isDns1123Label, isDns1123Subdomain, maskTrailingDash } from './dns-names.ts';
import { isQualifiedName, isValidLabelValue } from './is-qualified-name.ts';
import { isConfigMapKey, isPathSegmentName, isRelaxedEnvVarName, isValidPortName } from './other-names.ts';
import { quoteGo } from './quote-go.ts';
import { utf8Length } from './utf8-length.ts';

test.each([
  [isDns1123Label, 'web-1'],
  [isDns1123Subdomain, 'web.example.com'],
  [isDns1035Label, 'svc'],
  [isQualifiedName, 'example.com/Name_1.x'],
  [isQualifiedName, 'app'],
  [isValidLabelValue, ''],
  [isConfigMapKey, '.dockerconfigjson'],
  [isValidPortName, 'http'],
  [isRelaxedEnvVarName, 'A B'],
  [isPathSegmentName, 'system:node'],
])('%o accepts %s', (rule, value) => {
  expect(rule(value)).toEqual([]);
});

describe('what is wrong is said in the words of Kubernetes', () => {
  test('a label with dots would be a subdomain', () => {
    expect(isDns1123Label('a.b')).toEqual(['must not contain dots']);
  });

  test('the examples are set apart by two spaces, as in a real answer', () => {
    expect(isDns1035Label('1')).toEqual([
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ]);
  });

  test('lengths count bytes', () => {
    expect(isDns1123Label('a'.repeat(64))).toEqual(['must be no more than 63 characters']);
    expect(isValidLabelValue('é'.repeat(32))[0]).toBe('must be no more than 63 bytes');
  });

  test('a label key is judged part by part', () => {
    expect(isQualifiedName('/a')).toEqual(['prefix part must be non-empty']);
    expect(isQualifiedName(`${'a'.repeat(254)}/b`)).toEqual(['prefix part must be no more than 253 bytes']);
    expect(isQualifiedName('a/b/c')[0]).toMatch(/^a valid label key must consist of .* with an optional DNS/);
  });

  test('a key may not climb out of its directory', () => {
    expect(isConfigMapKey('..a')).toEqual(["must not start with '..'"]);
    expect(isConfigMapKey('..')).toEqual(["must not be '..'"]);
    expect(isPathSegmentName('a/b%')).toEqual(["may not contain '/'", "may not contain '%'"]);
  });

  test('a port name breaks every rule that it breaks', () => {
    expect(isValidPortName('-1--A')).toEqual([
      'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'must contain at least one letter (a-z)',
      'must not contain consecutive hyphens',
      'must not begin or end with a hyphen',
    ]);
  });
});

test('a generateName may end in a dash', () => {
  expect(isDns1123Label(maskTrailingDash('web-'))).toEqual([]);
});

test('strings are quoted as %q quotes them', () => {
  expect(quoteGo('a\0\u007f\u00a0\u200b😀é\u2028\\"\'\n')).toBe(
    String.raw`"a\x00\x7f\u00a0\u200b😀é\u2028\\\"'\n"`,
  );
});

test('utf8Length is the length of the encoded text', () => {
  for (const text of ['', 'a', 'é', '€', '😀', 'a€😀']) {
    expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
  }
});
