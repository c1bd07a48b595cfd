type Loose<T> = { readonly [K in keyof T]: T[K] | undefined };

/** Only those fields that have a value. */
export function defined<T extends object>(fields: Loose<T>): Partial<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<T>;
}
