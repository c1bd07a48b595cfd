/**
 * Freezes a value and everything in it, and returns it. What is frozen already is taken to be frozen all the way
 * down (nothing in this project freezes shallowly), so values that share structure are not walked twice.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}
