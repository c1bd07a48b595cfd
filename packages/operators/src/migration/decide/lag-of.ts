import type { Watermarks } from '@kubewright/migratable';

/** How many messages `target` must still apply to catch up with `source`. */
export function lagOf(source: Watermarks, target: Watermarks): number {
  return sum(Object.entries(source).map(([producer, mark]) => Math.max(0, mark - markOf(target, producer))));
}

/** Whether both have applied the same messages. */
export function sameMarks(a: Watermarks, b: Watermarks): boolean {
  const producers = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...producers].every((producer) => markOf(a, producer) === markOf(b, producer));
}

/** Grows whenever a mark does. */
export function totalOf(marks: Watermarks): number {
  return sum(Object.values(marks).map((mark) => Math.max(0, mark)));
}

function markOf(marks: Watermarks, producer: string): number {
  return Object.hasOwn(marks, producer) ? (marks[producer] ?? 0) : 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
