import { type Json, setOwn } from '@kubewright/kube';

/**
 * The fields of all, the last one's where several have one: as in a literal with all of them spread. For what every request
 * makes: of such a literal with more than one, V8 makes a hidden class for each object, which costs ten times as much as the
 * object, and all who read it read it slowly.
 */
export function merged<A extends object, B extends object>(first: A, second: B): Merged<A, B>;
export function merged<A extends object, B extends object, C extends object>(
  first: A,
  second: B,
  third: C,
): Merged<Merged<A, B>, C>;
export function merged(...parts: readonly Readonly<Record<string, Json>>[]): object {
  const result: Record<string, Json> = {};
  for (const part of parts) for (const key of Object.keys(part)) setOwn(result, key, part[key] as Json);
  return result;
}

type Merged<A, B> = Omit<A, Replaced<B>> & B;
type Replaced<B> = { [K in keyof B]-?: object extends Pick<B, K> ? never : K }[keyof B];
