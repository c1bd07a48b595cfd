/** A mapping of YAML's failsafe schema: below it are strings, lists and mappings. */
export type Scalars = Readonly<Record<string, unknown>>;

/** The mapping, or an empty one for anything else. */
export function record(value: unknown): Scalars {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Scalars) : {};
}

export function list(entry: Scalars, key: string): readonly unknown[] {
  const value = Object.hasOwn(entry, key) ? entry[key] : undefined;
  return Array.isArray(value) ? value : [];
}

/** A scalar; `undefined` where it is absent, empty or YAML's null. */
export function text(entry: Scalars, key: string): string | undefined {
  const value = Object.hasOwn(entry, key) ? entry[key] : undefined;
  return typeof value !== 'string' || value === '' || value === 'null' || value === '~' ? undefined : value;
}

export function texts(entry: Scalars, key: string): readonly string[] {
  return list(entry, key).filter((item): item is string => typeof item === 'string');
}
