/** How a requirement relates a label to its values; the names of `k8s.io/apimachinery/pkg/selection`. */
export type SelectorOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

export type LabelRequirement = {
  readonly key: string;
  readonly operator: SelectorOperator;
  readonly values: readonly string[];
};

/** All requirements must hold; none at all selects everything. `'nothing'` selects no object. */
export type LabelSelector = 'nothing' | readonly LabelRequirement[];

/** Selects every object. */
export const EVERYTHING: LabelSelector = Object.freeze([]);

type Labels = Readonly<Record<string, string>>;

/** True if an object with these labels is selected. */
export function matchesLabels(selector: LabelSelector, labels: Labels | undefined): boolean {
  if (selector === 'nothing') return false;
  return selector.every((requirement) => {
    const has = labels !== undefined && Object.hasOwn(labels, requirement.key);
    return holds(requirement, has ? labels[requirement.key] : undefined);
  });
}

function holds({ operator, values }: LabelRequirement, value: string | undefined): boolean {
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return value !== undefined && values.includes(value);
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    default:
      return comparesAs(operator, value, values[0]);
  }
}

function comparesAs(operator: 'gt' | 'lt', value: string | undefined, bound: string | undefined): boolean {
  const left = parseInt64(value);
  const right = parseInt64(bound);
  if (left === undefined || right === undefined) return false;
  return operator === 'gt' ? left > right : left < right;
}

/** A label's value as an integer, as Go's `ParseInt` reads it. */
export function parseInt64(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?\d+$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ''));
  return value === BigInt.asIntN(64, value) ? value : undefined;
}

/** The selector in the syntax of a `labelSelector` query parameter, requirements sorted by key. */
export function formatLabelSelector(selector: LabelSelector): string {
  return selector === 'nothing' ? '' : selector.map(formatRequirement).join(',');
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  if (operator === 'exists') return key;
  if (operator === '!') return `!${key}`;
  const list = [...values].sort().join(',');
  if (operator === 'in' || operator === 'notin') return `${key} ${operator} (${list})`;
  return `${key}${operator === 'gt' ? '>' : operator === 'lt' ? '<' : operator}${list}`;
}
