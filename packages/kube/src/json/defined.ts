import { type Json, setOwn } from './json.ts';

/** `T` without `undefined`: what may be it is optional. */
export type Defined<T> = string extends keyof T
  ? { [K in keyof T]: Exclude<T[K], undefined> }
  : { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
      [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
    };

/** The same object without its undefined properties: JSON has none. */
export function defined<T extends object>(fields: T): Defined<T>;
export function defined(fields: Readonly<Record<string, Json | undefined>>): object {
  const result: Record<string, Json> = {};
  for (const key of Object.keys(fields)) {
    const value = fields[key];
    if (value !== undefined) setOwn(result, key, value);
  }
  return result;
}
