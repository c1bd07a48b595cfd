import { inclusiveRange, matches, maximumLength, type NameRule } from './name-rule.ts';

const configKey: NameRule = {
  pattern: '[-._a-zA-Z0-9]+',
  message: "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  examples: ['key.name', 'KEY_NAME', 'key-name'],
};

const envVarName: NameRule = {
  pattern: '[-._a-zA-Z][-._a-zA-Z0-9]*',
  message:
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
  examples: ['my.env-name', 'MY_ENV.NAME', 'MyEnvName1'],
};

const cIdentifier: NameRule = {
  pattern: '[A-Za-z_][A-Za-z0-9_]*',
  message:
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
  examples: ['my_name', 'MY_NAME', 'MyName'],
};

const percent: NameRule = {
  pattern: '[0-9]+%',
  message: "a valid percent string must be a numeric string followed by an ending '%'",
  examples: ['1%', '93%'],
};

const httpHeaderName: NameRule = {
  pattern: '[-A-Za-z0-9]+',
  message: "a valid HTTP header must consist of alphanumeric characters or '-'",
  examples: ['X-Header-Name'],
};

/** What is wrong with `value` as a key of a ConfigMap or Secret. */
export function isConfigMapKey(value: string): string[] {
  return [...maximumLength(value, 253), ...matches(value, configKey), ...parentDirectory(value)];
}

export function isEnvVarName(value: string): string[] {
  return [...matches(value, envVarName), ...parentDirectory(value)];
}

/** The laxer rule that 1.36 applies to a container's environment. */
export function isRelaxedEnvVarName(value: string): string[] {
  if (value === '') return ['environment variable name must be non-empty'];
  if (/^[ -<>-~]*$/.test(value)) return [];
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

export function isCIdentifier(value: string): string[] {
  return matches(value, cIdentifier);
}

export function isValidPercent(value: string): string[] {
  return matches(value, percent);
}

export function isHttpHeaderName(value: string): string[] {
  return matches(value, httpHeaderName);
}

export function isValidPortNumber(port: number): string[] {
  return inclusiveRange(port, 1, 65_535);
}

/** What is wrong with `value` as the name of a port (RFC 6335, lower case only). */
export function isValidPortName(value: string): string[] {
  const rules: [boolean, string][] = [
    [/^[-a-z0-9]+$/.test(value), 'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)'],
    [/[a-z]/.test(value), 'must contain at least one letter (a-z)'],
    [!value.includes('--'), 'must not contain consecutive hyphens'],
    [!value.startsWith('-') && !value.endsWith('-'), 'must not begin or end with a hyphen'],
  ];
  return [...maximumLength(value, 15), ...rules.filter(([fine]) => !fine).map(([, text]) => text)];
}

/** What is wrong with `value` as one segment of a request path, the laxest form of a name. */
export function isPathSegmentName(value: string): string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return ['/', '%'].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`);
}

function parentDirectory(value: string): string[] {
  if (value === '.' || value === '..') return [`must not be '${value}'`];
  return value.startsWith('..') ? ["must not start with '..'"] : [];
}
