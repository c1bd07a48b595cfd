import { type Json, type JsonObject, getOwn, isJsonArray, isJsonObject } from '../json/json.ts';
import { type GoType, type GoTypes, goFacts } from './go-types.ts';
import { knownDefinition } from './known-definition.ts';
import type {
  AnyNode,
  Field,
  ListNode,
  OpenApiSchema,
  ScalarKind,
  SchemaNode,
  StructNode,
} from './schema-node.ts';

/** Resolves a `$ref`; `name` is the part after the last `/`. */
export type ResolveRef = (name: string) => OpenApiSchema | undefined;

/** Compiles schemas that share definitions. Every definition is compiled once, when first reached. */
export type SchemaCompiler = {
  readonly compile: (schema: OpenApiSchema) => SchemaNode;
  /** The definition called `name`. */
  readonly definition: (name: string) => SchemaNode | undefined;
};

type Common = Pick<SchemaNode, 'nullable' | 'source' | 'default' | 'patch'>;

const unresolved: ResolveRef = () => undefined;
const compilers = new WeakMap<ResolveRef, SchemaCompiler>();

/**
 * Compiles an OpenAPI v3 schema, of a CRD or from `/openapi/v3`. Cheap: a schema is compiled when it is looked at,
 * and once; the same schema object gives the same node. A `$ref` that does not resolve is a schema without a type.
 */
export function compileSchema(schema: OpenApiSchema, resolveRef: ResolveRef = unresolved): SchemaNode {
  let compiler = compilers.get(resolveRef);
  if (compiler === undefined) {
    compiler = createSchemaCompiler(resolveRef);
    compilers.set(resolveRef, compiler);
  }
  return compiler.compile(schema);
}

/** As {@link compileSchema}; `goTypes` adds what built-in Go types do with zero values. */
export function createSchemaCompiler(resolveRef: ResolveRef, goTypes: GoTypes = {}): SchemaCompiler {
  const definitions = new Map<string, SchemaNode | undefined>();

  const compilerOf = (preserves: boolean): Compile => {
    const nodes = new WeakMap<OpenApiSchema, SchemaNode>();
    const compile = (schema: OpenApiSchema): SchemaNode => {
      let node = nodes.get(schema);
      if (node === undefined) {
        const ref = refOf(schema);
        const below = preservesUnknown(schema) ? preserving : self;
        node = ref === undefined ? build(schema, below) : override(schema, definition(ref));
        nodes.set(schema, node);
      }
      return node;
    };
    const self: Compile = Object.assign(compile, { preserves });
    return self;
  };
  const preserving = compilerOf(true);
  const compile = compilerOf(false);
  const definition = (name: string): SchemaNode | undefined => {
    if (!definitions.has(name)) definitions.set(name, buildDefinition(name));
    return definitions.get(name);
  };
  const buildDefinition = (name: string): SchemaNode | undefined => {
    const schema = resolveRef(name);
    if (schema === undefined) return undefined;
    const known = knownDefinition(name);
    if (known !== undefined) return { ...common(schema), ...known };
    const goType = Object.hasOwn(goTypes, name) ? goTypes[name] : undefined;
    return goType === undefined ? compile(schema) : buildStruct(schema, compile, goType);
  };
  return { compile, definition };
}

/** `$ref`, or the one `$ref` inside `allOf` that `/openapi/v3` writes where it must add a default. */
function refOf(schema: OpenApiSchema): string | undefined {
  const allOf = getOwn(schema, 'allOf');
  const only = isJsonArray(allOf) && allOf.length === 1 ? allOf[0] : undefined;
  const ref = getOwn(schema, '$ref') ?? (isJsonObject(only) ? getOwn(only, '$ref') : undefined);
  return typeof ref === 'string' ? ref.slice(ref.lastIndexOf('/') + 1) : undefined;
}

/** A referenced node with the siblings of the `$ref`: default, map type, patch strategy. Resolved lazily. */
function override(schema: OpenApiSchema, base: SchemaNode | undefined): SchemaNode {
  if (base === undefined) return anyNode(schema);
  const beside = Object.keys(schema).filter(
    (key) => key !== '$ref' && key !== 'allOf' && key !== 'description',
  );
  if (beside.length === 0) return base;
  const own = { ...inherited(base), ...common(schema) };
  switch (base.kind) {
    case 'scalar':
    case 'any':
      return { ...base, ...own };
    case 'list':
      return { ...base, ...own, items: base.items };
    case 'map':
      return withAtomic(schema, { ...base, ...own });
    default:
      return withAtomic(schema, overrideStruct(base, own));
  }
}

function inherited(base: SchemaNode): Partial<Common> {
  return base.default === undefined ? {} : { default: base.default };
}

function overrideStruct(base: StructNode, own: Common): StructNode {
  return {
    ...own,
    kind: 'struct',
    atomic: base.atomic,
    preserveUnknown: base.preserveUnknown,
    mergesUnknown: base.mergesUnknown,
    embeddedResource: base.embeddedResource,
    ...(base.goType === undefined ? {} : { goType: base.goType }),
    get fields(): ReadonlyMap<string, Field> {
      return base.fields;
    },
    get values(): SchemaNode | undefined {
      return base.values;
    },
  } as StructNode;
}

function withAtomic<N extends StructNode | Extract<SchemaNode, { kind: 'map' }>>(
  schema: OpenApiSchema,
  node: N,
): N {
  const mapType = getOwn(schema, 'x-kubernetes-map-type');
  if (mapType === undefined) return node;
  Object.defineProperty(node, 'atomic', { value: mapType === 'atomic', enumerable: true });
  return node;
}

/** `preserves` where the schema stands in one that preserves unknown fields: merging then takes them here, too. */
type Compile = ((schema: OpenApiSchema) => SchemaNode) & { readonly preserves: boolean };

function preservesUnknown(schema: OpenApiSchema): boolean {
  return getOwn(schema, 'x-kubernetes-preserve-unknown-fields') === true;
}

function build(schema: OpenApiSchema, compile: Compile): SchemaNode {
  const scalar = scalarOf(schema);
  if (scalar !== undefined) return { ...common(schema), kind: 'scalar', scalar };
  switch (getOwn(schema, 'type')) {
    case 'array':
      return buildList(schema, compile);
    case 'object':
      return isMap(schema) ? buildMap(schema, compile) : buildStruct(schema, compile);
    default:
      return isJsonObject(getOwn(schema, 'properties')) ? buildStruct(schema, compile) : anyNode(schema);
  }
}

function scalarOf(schema: OpenApiSchema): ScalarKind | undefined {
  if (isIntOrString(schema)) return 'int-or-string';
  const type = getOwn(schema, 'type');
  switch (type) {
    case 'string':
      return getOwn(schema, 'format') === 'byte' ? 'bytes' : 'string';
    case 'integer':
    case 'number':
    case 'boolean':
      return type;
    default:
      return undefined;
  }
}

function isIntOrString(schema: OpenApiSchema): boolean {
  return (
    getOwn(schema, 'x-kubernetes-int-or-string') === true || getOwn(schema, 'format') === 'int-or-string'
  );
}

/** Keys are data: `additionalProperties` is not refused and no property is named. */
function isMap(schema: OpenApiSchema): boolean {
  const values = getOwn(schema, 'additionalProperties');
  return values !== undefined && values !== false && propertiesOf(schema).length === 0;
}

function propertiesOf(schema: OpenApiSchema): readonly [string, OpenApiSchema][] {
  const properties = getOwn(schema, 'properties');
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1]));
}

function anyNode(schema: OpenApiSchema): AnyNode {
  return { ...common(schema), kind: 'any' };
}

function buildList(schema: OpenApiSchema, compile: Compile): ListNode {
  const keys = strings(getOwn(schema, 'x-kubernetes-list-map-keys'));
  const items = getOwn(schema, 'items');
  const listType = getOwn(schema, 'x-kubernetes-list-type');
  return {
    ...common(schema),
    kind: 'list',
    listType: listType === 'map' && keys.length > 0 ? 'map' : listType === 'set' ? 'set' : 'atomic',
    keys: listType === 'map' ? keys : [],
    get items(): SchemaNode {
      return compile(isJsonObject(items) ? items : anything);
    },
  };
}

function buildMap(schema: OpenApiSchema, compile: Compile): SchemaNode {
  return {
    ...common(schema),
    kind: 'map',
    atomic: getOwn(schema, 'x-kubernetes-map-type') === 'atomic',
    get values(): SchemaNode {
      return compile(valuesOf(schema) ?? anything);
    },
  };
}

function buildStruct(schema: OpenApiSchema, compile: Compile, goType?: GoType): StructNode {
  const values = valuesOf(schema);
  let fields: ReadonlyMap<string, Field> | undefined;
  const node: StructNode = {
    ...common(schema),
    kind: 'struct',
    atomic: getOwn(schema, 'x-kubernetes-map-type') === 'atomic',
    preserveUnknown: preservesUnknown(schema),
    mergesUnknown: compile.preserves,
    embeddedResource: getOwn(schema, 'x-kubernetes-embedded-resource') === true,
    ...(goType === undefined ? {} : { goType: goType.go }),
    get fields(): ReadonlyMap<string, Field> {
      return (fields ??= buildFields(schema, compile, goType));
    },
  };
  if (values === undefined) return node;
  return Object.defineProperty(node, 'values', { get: () => compile(values), enumerable: true });
}

function buildFields(
  schema: OpenApiSchema,
  compile: Compile,
  goType: GoType | undefined,
): ReadonlyMap<string, Field> {
  const required = new Set(strings(getOwn(schema, 'required')));
  const fields = new Map<string, Field>();
  for (const [name, property] of propertiesOf(schema)) {
    fields.set(name, {
      name,
      node: compile(property),
      required: required.has(name),
      ...goFacts(goType, name),
    });
  }
  return fields;
}

/** `additionalProperties`; `true` allows anything. */
function valuesOf(schema: OpenApiSchema): OpenApiSchema | undefined {
  const values = getOwn(schema, 'additionalProperties');
  if (values === true) return anything;
  return isJsonObject(values) ? values : undefined;
}

const anything: OpenApiSchema = {};

function common(schema: OpenApiSchema): Common {
  const fallback = getOwn(schema, 'default');
  const strategies = getOwn(schema, 'x-kubernetes-patch-strategy');
  const mergeKey = getOwn(schema, 'x-kubernetes-patch-merge-key');
  return {
    nullable: getOwn(schema, 'nullable') === true,
    source: schema,
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(typeof strategies === 'string'
      ? {
          patch: {
            ...(typeof mergeKey === 'string' ? { mergeKey } : {}),
            strategies: strategies.split(','),
          },
        }
      : {}),
  };
}

function strings(value: Json | undefined): readonly string[] {
  if (!isJsonArray(value)) return [];
  return value.filter((item): item is string => typeof item === 'string');
}
