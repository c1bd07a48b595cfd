/**
 * Freezes a value and everything in it, and returns it. What is frozen already is taken to be frozen all the way
 * down (nothing in this project freezes shallowly), so values that share structure are not walked twice.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) freezeMembers(value);
  return value;
}

/** Plain loops, and no call for a scalar: everything that a server stores comes through here. */
function freezeMembers(value: object): void {
  Object.freeze(value);
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) deepFreezeMember(value[i]);
    return;
  }
  const record = value as Record<string, unknown>;
  for (const key in record) if (Object.hasOwn(record, key)) deepFreezeMember(record[key]);
}

function deepFreezeMember(member: unknown): void {
  if (typeof member === 'object') deepFreeze(member);
}
