import { failed } from './failed.ts';
import { keysOfList } from './keyed-list.ts';

/**
 * A text that two CEL values share if and only if they are equal; makes sets of values cheap to compare, however many
 * the object under validation has. Values of the library's own types (quantities, addresses) have none.
 */
export function celKey(value: unknown): string {
  switch (typeof value) {
    case 'bigint':
      return `n${value}`;
    case 'number':
      return Number.isInteger(value) ? `n${BigInt(value)}` : `n${value}`;
    case 'object':
      return value === null ? 'null' : objectKey(value);
    default:
      return JSON.stringify(value) ?? '';
  }
}

function objectKey(value: object): string {
  if (value instanceof Map) {
    const entries = Array.from(
      value as Map<unknown, unknown>,
      ([key, member]) => `${celKey(key)}:${celKey(member)}`,
    );
    return `{${entries.sort().join()}}`;
  }
  if (value instanceof Set) return `[${[...(value as Set<unknown>)].map(celKey).sort().join()}]`;
  if (Array.isArray(value)) {
    const items = value.map(celKey);
    return `[${(keysOfList(value) === undefined ? items : items.sort()).join()}]`;
  }
  if (value instanceof Uint8Array) return `b${value.join()}`;
  const plain: unknown = value.valueOf();
  if (typeof plain !== 'number' && typeof plain !== 'bigint')
    throw failed('values of this type do not form sets');
  return `${value.constructor.name}${plain}`;
}
