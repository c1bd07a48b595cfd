import type { Environment } from '@marcbachmann/cel-js';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import { getOwn, isJsonArray, isJsonObject, type Json } from '../json/json.ts';
import type { ListNode, MapNode, ScalarNode, SchemaNode, StructNode } from '../schema/schema-node.ts';
import { celEquals } from './cel-equals.ts';
import { keyedList } from './keyed-list.ts';
import { escapeProperty, isSelectableWord } from './escape-property.ts';
import { parseTimestamp } from './library/parse-timestamp.ts';
import { parseDuration } from '../schedule/parse-duration.ts';

/** How values of a schema appear to rules: the CEL type's name, and the JSON turned into a value of it. */
export type CelType = { readonly name: string; readonly toCel: (value: Json) => unknown };

const STRING: CelType = { name: 'string', toCel: (value) => value };
const DYN: CelType = { name: 'dyn', toCel: toDynamic };

/** `metadata` of a resource: rules can read these two fields, whatever the schema. */
const METADATA_FIELDS = ['name', 'generateName'];

/**
 * Gives every schema its CEL type and registers the object types among them, in one environment.
 * A schema without a type has none: rules cannot see such values (`x-kubernetes-preserve-unknown-fields` neither).
 */
export class CelTypes {
  private readonly environment: Environment;
  private readonly nameOf: typeof escapeProperty;
  private readonly known = new Map<SchemaNode, CelType | undefined>();
  private objects = 0;

  /** @param nameOf the name of a field in expressions; undefined: it cannot be named. */
  constructor(environment: Environment, nameOf: typeof escapeProperty = escapeProperty) {
    this.environment = environment;
    this.nameOf = nameOf;
  }

  /** `isResource`: the root of a resource or of an embedded one, where `apiVersion`, `kind` and `metadata` are seen. */
  typeOf(node: SchemaNode, isResource = false): CelType | undefined {
    if (!this.known.has(node)) {
      this.known.set(node, this.build(node, isResource));
    }
    return this.known.get(node);
  }

  private build(node: SchemaNode, isResource: boolean): CelType | undefined {
    switch (node.kind) {
      case 'scalar':
        return scalarType(node);
      case 'list':
        return this.listType(node);
      case 'map':
        return this.mapType(node);
      case 'struct':
        return this.structType(node, isResource || node.embeddedResource);
      default:
        return undefined;
    }
  }

  /** Items and values may be null where the schema is nullable; a null field counts as absent. */
  private memberType(node: SchemaNode): CelType | undefined {
    const type = this.typeOf(node);
    return type && node.nullable ? nullable(type) : type;
  }

  private listType(node: ListNode): CelType | undefined {
    const items = this.memberType(node.items);
    if (!items) return undefined;
    const toArray = (value: Json): unknown[] => (isJsonArray(value) ? value.map(items.toCel) : []);
    return { name: `list<${items.name}>`, toCel: listMaker(node, toArray) };
  }

  private mapType(node: MapNode): CelType | undefined {
    const values = this.memberType(node.values);
    if (!values) return undefined;
    const entries = (value: Json): [string, unknown][] =>
      isJsonObject(value) ? Object.entries(value).map(([key, member]) => [key, values.toCel(member)]) : [];
    return { name: `map<string, ${values.name}>`, toCel: (value) => new Map(entries(value)) };
  }

  private structType(node: StructNode, isResource: boolean): CelType {
    const types = new Map<string, CelType | undefined>();
    for (const [name, field] of node.fields) types.set(name, this.typeOf(field.node));
    if (isResource) {
      for (const name of ['apiVersion', 'kind']) types.set(name, STRING);
      types.set('metadata', this.objectType(new Map(METADATA_FIELDS.map((name) => [name, STRING]))));
    }
    return this.objectType(types);
  }

  private objectType(types: ReadonlyMap<string, CelType | undefined>): CelType {
    const fields: Record<string, string> = {};
    const converters: [name: string, escaped: string, toCel: CelType['toCel']][] = [];
    for (const [name, type] of types) {
      const escaped = this.nameOf(name);
      if (!type || escaped === undefined) continue;
      for (const key of escaped !== name && isSelectableWord(name) ? [escaped, name] : [escaped]) {
        fields[key] = type.name;
        converters.push([name, key, type.toCel]);
      }
    }
    const ctor = this.register(fields);
    const toCel = (value: Json): unknown => {
      const object = new ctor();
      object.isNull = value === null;
      if (!isJsonObject(value)) return object;
      for (const [name, escaped, convert] of converters) {
        const member = getOwn(value, name);
        if (member !== undefined && member !== null) object.set(escaped, convert(member));
      }
      return object;
    };
    return { name: ctor.celName, toCel };
  }

  private register(fields: Record<string, string>): ObjectClass {
    const name = `object_${++this.objects}`;
    // The library identifies object types by their constructor; a Map makes untrusted field names harmless.
    const ctor = class extends Map<string, unknown> {
      static readonly celName = name;
      isNull = false;
    };
    this.environment.registerType(name, { ctor, fields });
    this.environment.registerOperator(`${name} == ${name}`, celEquals);
    this.environment.registerOperator(`${name} == null`, (object: Struct) => object.isNull);
    return ctor;
  }
}

/** A variable of such a type can be null; a field, an item or a value that is null is absent or has type dyn. */
type Struct = Map<string, unknown> & { isNull: boolean };
type ObjectClass = { new (): Struct; readonly celName: string };

/** A list of type `set` is a Set, one of type `map` carries its keys: both compare in any order. */
function listMaker(node: ListNode, toArray: (value: Json) => unknown[]): CelType['toCel'] {
  if (node.listType === 'set' && node.items.kind === 'scalar') return (value) => new Set(toArray(value));
  if (node.listType !== 'map') return toArray;
  const keys = node.keys.flatMap((key) => escapeProperty(key) ?? []);
  return (value) => keyedList(toArray(value), keys);
}

function nullable(type: CelType): CelType {
  return { name: 'dyn', toCel: (value) => (value === null ? null : type.toCel(value)) };
}

function scalarType(node: ScalarNode): CelType {
  switch (node.scalar) {
    case 'integer':
      return { name: 'int', toCel: toInteger };
    case 'number':
      return { name: 'double', toCel: (value) => (typeof value === 'bigint' ? Number(value) : value) };
    case 'boolean':
      return { name: 'bool', toCel: (value) => value };
    case 'int-or-string':
      return DYN;
    case 'bytes':
      return { name: 'bytes', toCel: (value) => toBytes(toText(value)) };
    default:
      return stringType(getOwn(node.source, 'format'));
  }
}

function stringType(format: Json | undefined): CelType {
  switch (format) {
    case 'date':
    case 'date-time':
      return { name: 'google.protobuf.Timestamp', toCel: (value) => toTime(toText(value)) };
    case 'duration':
      return {
        name: 'google.protobuf.Duration',
        toCel: (value) => {
          const { seconds, nanoseconds } = parseDuration(toText(value));
          return new Duration(seconds, nanoseconds);
        },
      };
    default:
      return STRING;
  }
}

/** A date is the midnight in UTC that it begins with. Formats take more than an RFC 3339 time, which CEL requires. */
function toTime(text: string): Date {
  try {
    return parseTimestamp(text);
  } catch {
    return new Date(text);
  }
}

/** Values are validated before rules run: each has the type of its schema. */
function toText(value: Json): string {
  return typeof value === 'string' ? value : '';
}

function toInteger(value: Json): Json {
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
}

/** A value without a schema: objects are maps with string keys. */
export function toDynamic(value: Json): unknown {
  if (isJsonArray(value)) return value.map(toDynamic);
  if (!isJsonObject(value)) return toInteger(value);
  const map = new Map<string, unknown>();
  for (const key of Object.keys(value)) map.set(key, toDynamic(getOwn(value, key) ?? null));
  return map;
}

function toBytes(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}
