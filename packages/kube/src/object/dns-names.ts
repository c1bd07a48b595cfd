import { maximumLength, matches, type NameRule } from './name-rule.ts';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const UNDERSCORE_LABEL = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';

const label: NameRule = {
  pattern: LABEL,
  message:
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  examples: ['my-name', '123-abc'],
};

const subdomain: NameRule = {
  pattern: SUBDOMAIN,
  message:
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  examples: ['example.com'],
};

const subdomainWithUnderscore: NameRule = {
  pattern: `${UNDERSCORE_LABEL}(\\.${UNDERSCORE_LABEL})*`,
  message:
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
  examples: ['example.com'],
};

const rfc1035Label: NameRule = {
  pattern: '[a-z]([-a-z0-9]*[a-z0-9])?',
  message:
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  examples: ['my-name', 'abc-123'],
};

const wildcardSubdomain: NameRule = {
  pattern: `\\*\\.${SUBDOMAIN}`,
  message:
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  examples: ['*.example.com'],
};

const DOTTED = new RegExp(`^${SUBDOMAIN}$`);

/** What is wrong with `value` as an RFC 1123 label; empty if nothing. The texts are Kubernetes' own. */
export function isDns1123Label(value: string): string[] {
  const errors = maximumLength(value, 63);
  const [mismatch] = matches(value, label);
  if (mismatch === undefined) return errors;
  return [...errors, DOTTED.test(value) ? 'must not contain dots' : mismatch];
}

/** What is wrong with `value` as an RFC 1123 subdomain, the form of most objects' names. */
export function isDns1123Subdomain(value: string): string[] {
  return [...maximumLength(value, 253), ...matches(value, subdomain)];
}

export function isDns1123SubdomainWithUnderscore(value: string): string[] {
  return [...maximumLength(value, 253), ...matches(value, subdomainWithUnderscore)];
}

/** What is wrong with `value` as an RFC 1035 label, the form of a Service's name. */
export function isDns1035Label(value: string): string[] {
  return [...maximumLength(value, 63), ...matches(value, rfc1035Label)];
}

export function isWildcardDns1123Subdomain(value: string): string[] {
  return [...maximumLength(value, 253), ...matches(value, wildcardSubdomain)];
}

/** A `generateName` is judged by this name: its trailing dash will be followed by random characters. */
export function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;
}
