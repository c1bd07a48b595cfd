import { Optional } from '@marcbachmann/cel-js';
import { Duration, Environment, UnsignedInt } from '@marcbachmann/cel-js/evaluator';

let typeClass: Function | undefined;

/** The library does not export the class of its types. */
function classOfTypes(): Function {
  return (typeClass ??= (new Environment().evaluate('type(1)') as object).constructor);
}

/** A type that the library has no value for. */
export function newType(name: string): object {
  return Reflect.construct(classOfTypes(), [name]) as object;
}

/** Whether a value is a type, as `int` and `type(1)` are. */
function isType(value: unknown): boolean {
  return value instanceof classOfTypes();
}

const SCALARS: Readonly<Record<string, string>> = {
  bigint: 'int',
  number: 'double',
  string: 'string',
  boolean: 'bool',
};

/** The name that cel-go has for the type of a value. */
export function typeName(value: unknown): string {
  if (value === null) return 'null_type';
  if (typeof value !== 'object') return SCALARS[typeof value] ?? 'dyn';
  if (isType(value)) return 'type';
  for (const [ctor, name] of CLASSES) if (value instanceof ctor) return name;
  return 'celName' in value.constructor ? String(value.constructor.celName) : 'map';
}

const CLASSES: readonly (readonly [new (...args: never[]) => unknown, string])[] = [
  [Map, 'map'],
  [Array, 'list'],
  [Set, 'list'],
  [Uint8Array, 'bytes'],
  [UnsignedInt, 'uint'],
  [Date, 'google.protobuf.Timestamp'],
  [Duration, 'google.protobuf.Duration'],
  [Optional, 'optional_type'],
];

/** Names of types that are not the same here and there. Objects, whose types have no name that lasts, are maps. */
const NAMES: Readonly<Record<string, string>> = {
  null: 'null_type',
  optional: 'optional_type',
};

/** The name that cel-go has for a type of the library. */
export function nameOfType(name: string): string {
  if (name.startsWith('object_')) return 'map';
  return Object.hasOwn(NAMES, name) ? (NAMES[name] ?? name) : name;
}
