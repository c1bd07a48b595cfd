import { getOwn, isJsonArray, isJsonObject } from '../../json/json.ts';
import { fieldErrors } from '../field-errors.ts';
import type { OpenApiSchema } from '../schema-node.ts';
import { validateMergeTypes } from './validate-merge-types.ts';
import { validateRuleTexts } from './validate-rule-texts.ts';
import {
  type Errors,
  errorIf,
  isSetAt,
  isTrueAt,
  listParts,
  mapParts,
  type SchemaPart,
  partAt,
  textAt,
} from './schema-part.ts';

const { forbidden, invalid, notSupported } = fieldErrors;

/** Compiles the CEL rules of a schema; gives what is wrong with them. */
export type CheckRules = (place: RulesPlace) => Errors;

/** A schema with `x-kubernetes-validations`. */
export type RulesPlace = {
  readonly schema: OpenApiSchema;
  readonly path: string;
  /** The path of the enclosing schema in which `oldSelf` is not correlatable, if there is one. */
  readonly uncorrelatable?: string | undefined;
};

/** What is handed down to the schemas inside. */
export type Inherited = {
  readonly isRoot: boolean;
  /** Inside `metadata`, `kind` or `apiVersion` of a resource. */
  readonly inMeta: boolean;
  /** Why there may be no default; undefined where there may. */
  readonly noDefault?: string | undefined;
  readonly uncorrelatable?: string | undefined;
  /** Undefined where rules are not looked at. */
  readonly checkRules?: CheckRules | undefined;
};

type Found = { readonly schema: Errors; readonly rules: Errors };

/** Checks a schema and all schemas in it. Rules are compiled where nothing else is wrong with their schema. */
export function validateOpenApi(schema: OpenApiSchema, path: string, inherited: Inherited): Errors {
  const found = visit(schema, path, inherited);
  return [...found.schema, ...found.rules];
}

function visit(schema: OpenApiSchema, path: string, inherited: Inherited): Found {
  const inside = innerParts(schema, path, inherited).map(([part, passed]) =>
    visit(part.schema, part.path, passed),
  );
  const errors = [
    ...validateVocabulary(schema, path, inherited),
    ...validateExclusions(schema, path),
    ...inside.flatMap((found) => found.schema),
    ...validatePreserve(schema, path),
    ...validateMergeTypes(schema, path),
    ...validateRuleTexts(schema, path),
  ];
  const hasRules = isSetAt(schema, 'x-kubernetes-validations');
  const { checkRules, uncorrelatable } = inherited;
  const own =
    hasRules && errors.length === 0 && checkRules ? checkRules({ schema, path, uncorrelatable }) : [];
  return { schema: errors, rules: [...inside.flatMap((found) => found.rules), ...own] };
}

const metaFields = ['metadata', 'kind', 'apiVersion'];

function innerParts(
  schema: OpenApiSchema,
  path: string,
  inherited: Inherited,
): readonly [SchemaPart, Inherited][] {
  const below = { ...inherited, isRoot: false };
  const quiet = { ...below, checkRules: undefined };
  const values = partAt(schema, path, 'additionalProperties');
  const items = partAt(schema, path, 'items');
  const not = partAt(schema, path, 'not');
  const isMapList = textAt(schema, 'x-kubernetes-list-type') === 'map';
  return [
    ...pair(values, inherited.inMeta ? withoutDefault(below, valuesReason) : below),
    ...mapParts(schema, path, 'properties').map((part): [SchemaPart, Inherited] => [
      part,
      propertyInherits(schema, path, part.key, inherited),
    ]),
    ...pair(not, quiet),
    ...['allOf', 'oneOf', 'anyOf'].flatMap((key) =>
      listParts(schema, path, key).map((part): [SchemaPart, Inherited] => [part, quiet]),
    ),
    ...mapParts(schema, path, 'definitions').map((part): [SchemaPart, Inherited] => [part, quiet]),
    ...pair(items, isMapList ? below : withUncorrelatable(below, path)),
  ];
}

const valuesReason = 'inside additionalProperties applying to object metadata';

function pair(part: SchemaPart | undefined, inherited: Inherited): [SchemaPart, Inherited][] {
  return part === undefined ? [] : [[part, inherited]];
}

function withoutDefault(inherited: Inherited, reason: string): Inherited {
  return { ...inherited, noDefault: reason };
}

/** The outermost schema that cannot be correlated counts. */
function withUncorrelatable(inherited: Inherited, path: string): Inherited {
  return { ...inherited, uncorrelatable: inherited.uncorrelatable ?? path };
}

function propertyInherits(schema: OpenApiSchema, path: string, key: string, inherited: Inherited): Inherited {
  const isAtomic = textAt(schema, 'x-kubernetes-map-type') === 'atomic';
  const below = { ...(isAtomic ? withUncorrelatable(inherited, path) : inherited), isRoot: false };
  const isResource = inherited.isRoot || isTrueAt(schema, 'x-kubernetes-embedded-resource');
  if (!isResource || !metaFields.includes(key)) return below;
  const inMeta = { ...below, inMeta: true };
  return inherited.isRoot ? withoutDefault(inMeta, `in top-level ${key}`) : inMeta;
}

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const unsupported = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];

/** Words of JSON Schema that CRDs do not have. */
function validateVocabulary(schema: OpenApiSchema, path: string, inherited: Inherited): Errors {
  const type = textAt(schema, 'type');
  const fallback = getOwn(schema, 'default');
  const hasDefault = fallback !== undefined && fallback !== null;
  return [
    ...errorIf(type !== '' && !types.includes(type), () => notSupported(`${path}.type`, type, types)),
    ...errorIf(hasDefault && inherited.noDefault !== undefined, () =>
      forbidden(`${path}.default`, `must not be set ${inherited.noDefault}`),
    ),
    ...unsupported
      .filter((key) => isSaid(schema, key))
      .map((key) => forbidden(`${path}.${key}`, `${key} is not supported`)),
    ...errorIf(type === 'null', () =>
      forbidden(`${path}.type`, 'type cannot be set to null, use nullable as an alternative'),
    ),
    ...errorIf(isJsonArray(getOwn(schema, 'items')), () =>
      forbidden(`${path}.items`, 'items must be a schema object and not an array'),
    ),
    ...errorIf(inherited.inMeta && isTrueAt(schema, 'x-kubernetes-embedded-resource'), () =>
      forbidden(`${path}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta'),
    ),
  ];
}

/** Empty maps are as good as absent ones. */
function isSaid(schema: OpenApiSchema, key: string): boolean {
  const value = getOwn(schema, key);
  if (key === 'patternProperties' || key === 'definitions') {
    return isJsonObject(value) && Object.keys(value).length > 0;
  }
  return isSetAt(schema, key);
}

function validateExclusions(schema: OpenApiSchema, path: string): Errors {
  const values = getOwn(schema, 'additionalProperties');
  const both = mapParts(schema, path, 'properties').length > 0 && values !== undefined && values !== true;
  return [
    ...errorIf(isTrueAt(schema, 'uniqueItems'), () =>
      forbidden(
        `${path}.uniqueItems`,
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    ),
    ...errorIf(both, () =>
      forbidden(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'),
    ),
  ];
}

function validatePreserve(schema: OpenApiSchema, path: string): Errors {
  const key = 'x-kubernetes-preserve-unknown-fields';
  return errorIf(getOwn(schema, key) === false, () =>
    invalid(`${path}.${key}`, false, 'must be true or undefined'),
  );
}
