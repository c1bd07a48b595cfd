const MOST_FIELDS = 5;

/** What a value is, for an error that must not print it: `an object with the fields apiVersion, kind`. */
export function shapeOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'a string';
  if (typeof value !== 'object') return `a ${typeof value}`;
  const names = Object.keys(value);
  if (names.length === 0) return 'an object without fields';
  const more = names.length > MOST_FIELDS ? ', …' : '';
  return `an object with the fields ${names.slice(0, MOST_FIELDS).join(', ')}${more}`;
}
