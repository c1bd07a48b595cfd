/** Characters of a text that are handled in the time of one unit. */
const TEXT = 20;
/** Of an error that an evaluation catches. */
export const CAUGHT = 100;
/** Of the calendar of a time zone. */
const TIME_ZONE = 400;

const weights = new WeakMap<object, number>();

/**
 * How much there is in a value, nested values included: one for each, and more for long texts. What is shared counts as
 * often as it appears, because functions go through it as often.
 */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / TEXT;
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof Uint8Array) return 1 + value.length / TEXT;
  const known = weights.get(value);
  if (known !== undefined) return known;
  const weight = 1 + weightOfMembers(value);
  if (weight > 1) weights.set(value, weight);
  return weight;
}

function weightOfMembers(value: object): number {
  let sum = 0;
  if (value instanceof Map) {
    for (const [key, member] of value as Map<unknown, unknown>) sum += weightOf(key) + weightOf(member);
  } else if (Array.isArray(value) || value instanceof Set) {
    for (const member of value as Iterable<unknown>) sum += weightOf(member);
  } else if (Object.getPrototypeOf(value) === null || value.constructor === Object) {
    // A map that an expression wrote.
    for (const member of Object.values(value)) sum += weightOf(member);
  }
  return sum;
}

/** How many turns a comprehension over this may take. */
export function sizeOf(range: unknown): number {
  if (range instanceof Map || range instanceof Set) return range.size;
  return Array.isArray(range) ? range.length : 1;
}

type Cost = (args: readonly unknown[]) => number;

const whole: Cost = (args) => args.reduce<number>((sum, value) => sum + weightOf(value), 0);

/** Functions whose cost is not the weight of their arguments. A method's receiver is its first argument. */
const COSTS: Readonly<Record<string, Cost>> = {
  size: ([value]) => (typeof value === 'string' ? weightOf(value) : 1),
  range: ([, length]) => Number(length),
  join: ([list, separator]) => weightOf(list) + sizeOf(list) * weightOf(separator),
};

/** What a call costs, known before it is made. */
export function costOfCall(name: string, args: readonly unknown[]): number {
  const cost = Object.hasOwn(COSTS, name) ? COSTS[name] : undefined;
  if (cost !== undefined) return cost(args);
  return name.startsWith('get') && args.length > 1 ? TIME_ZONE : whole(args);
}

/** What an operator costs: texts and lists are compared and joined faster than functions go through them. */
export function costOfOperator(operator: string, left: unknown, right: unknown): number {
  if (operator === 'in' && right instanceof Map) return 1;
  return (weightOf(left) + weightOf(right) - 2) / 2;
}
