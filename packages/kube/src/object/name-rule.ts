import { utf8Length } from './utf8-length.ts';

/** A pattern that a string must match, with Kubernetes' message for one that does not. */
export type NameRule = {
  readonly pattern: string;
  readonly message: string;
  readonly examples: readonly string[];
};

const compiled = new Map<string, RegExp>();

/** The rule's message, completed as Kubernetes completes it, unless all of `value` matches. */
export function matches(value: string, rule: NameRule): string[] {
  let regexp = compiled.get(rule.pattern);
  if (!regexp) compiled.set(rule.pattern, (regexp = new RegExp(`^(?:${rule.pattern})$`)));
  return regexp.test(value) ? [] : [regexMessage(rule)];
}

export function maximumLength(value: string, maximum: number, unit = 'characters'): string[] {
  return utf8Length(value) > maximum ? [`must be no more than ${maximum} ${unit}`] : [];
}

/** `must be between 1 and 65535, inclusive` */
export function inclusiveRange(value: number, low: number, high: number): string[] {
  return value >= low && value <= high ? [] : [`must be between ${low} and ${high}, inclusive`];
}

function regexMessage({ message, pattern, examples }: NameRule): string {
  if (examples.length === 0) return `${message} (regex used for validation is '${pattern}')`;
  // The two spaces that this leaves before `or` are Kubernetes' own.
  const listed = examples.map((example) => `'${example}', `).join(' or ');
  return `${message} (e.g. ${listed}regex used for validation is '${pattern}')`;
}
