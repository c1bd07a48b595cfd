import { compareText, isJsonObject, type Json, type JsonObject } from '@kubewright/kube';
import { isTrue, maybeObject, objectAt, objectsAt, stringAt } from '../objects/read.ts';
import { goRule } from './go-rule.ts';
import { sharedParts, type VersionPart } from './version-part.ts';

/**
 * `spec.versions` as an API server prints them in an error: Go structs without JSON names, and without the parts that
 * all versions have in common, which it keeps elsewhere.
 */
export function goVersions(versions: readonly JsonObject[]): JsonObject[] {
  const shared = sharedParts(versions);
  return versions.map((version) => goVersion(version, (part) => !shared.has(part) && own(version, part)));
}

function own(version: JsonObject, part: VersionPart): boolean {
  return version[part] !== undefined && version[part] !== null;
}

function goVersion(version: JsonObject, has: (part: VersionPart) => boolean): JsonObject {
  const schema = maybeObject(objectAt(version, 'schema'), 'openAPIV3Schema');
  return {
    Name: stringAt(version, 'name'),
    Served: isTrue(version, 'served'),
    Storage: isTrue(version, 'storage'),
    Deprecated: isTrue(version, 'deprecated'),
    DeprecationWarning: version['deprecationWarning'] ?? null,
    Schema: has('schema') ? { OpenAPIV3Schema: schema === undefined ? null : goSchema(schema) } : null,
    Subresources: has('subresources') ? goSubresources(objectAt(version, 'subresources')) : null,
    AdditionalPrinterColumns: has('additionalPrinterColumns')
      ? objectsAt(version, 'additionalPrinterColumns').map(goColumn)
      : null,
    SelectableFields: has('selectableFields')
      ? objectsAt(version, 'selectableFields').map((field) => ({ JSONPath: stringAt(field, 'jsonPath') }))
      : null,
  };
}

function goSubresources(subresources: JsonObject): JsonObject {
  const scale = maybeObject(subresources, 'scale');
  return {
    Status: maybeObject(subresources, 'status') ?? null,
    Scale:
      scale === undefined
        ? null
        : {
            SpecReplicasPath: stringAt(scale, 'specReplicasPath'),
            StatusReplicasPath: stringAt(scale, 'statusReplicasPath'),
            LabelSelectorPath: scale['labelSelectorPath'] ?? null,
          },
  };
}

function goColumn(column: JsonObject): JsonObject {
  return {
    Name: stringAt(column, 'name'),
    Type: stringAt(column, 'type'),
    Format: stringAt(column, 'format'),
    Description: stringAt(column, 'description'),
    Priority: column['priority'] ?? 0,
    JSONPath: stringAt(column, 'jsonPath'),
  };
}

/** What a field of the Go struct is when it is not set, and how its value is printed. */
type GoField = readonly [name: string, key: string, absent: Json, print?: (value: Json) => Json];

const nested = (value: Json): Json => (isJsonObject(value) ? goSchema(value) : value);
const list = (value: Json): Json => (Array.isArray(value) ? value.map(nested) : nested(value));
const map = (value: Json): Json =>
  isJsonObject(value)
    ? Object.fromEntries(
        Object.entries(value)
          .toSorted(([a], [b]) => compareText(a, b))
          .map(([name, node]) => [name, nested(node)]),
      )
    : value;
const items = (value: Json): Json =>
  Array.isArray(value)
    ? { Schema: null, JSONSchemas: list(value) }
    : { Schema: nested(value), JSONSchemas: null };
const orBool = (value: Json): Json =>
  typeof value === 'boolean' ? { Allows: value, Schema: null } : { Allows: true, Schema: nested(value) };
const rules = (value: Json): Json =>
  Array.isArray(value) ? value.map((rule: Json) => (isJsonObject(rule) ? goRule(rule) : rule)) : value;

const FIELDS: readonly GoField[] = [
  ['ID', 'id', ''],
  ['Schema', '$schema', ''],
  ['Ref', '$ref', null],
  ['Description', 'description', ''],
  ['Type', 'type', ''],
  ['Nullable', 'nullable', false],
  ['Format', 'format', ''],
  ['Title', 'title', ''],
  ['Default', 'default', null],
  ['Maximum', 'maximum', null],
  ['ExclusiveMaximum', 'exclusiveMaximum', false],
  ['Minimum', 'minimum', null],
  ['ExclusiveMinimum', 'exclusiveMinimum', false],
  ['MaxLength', 'maxLength', null],
  ['MinLength', 'minLength', null],
  ['Pattern', 'pattern', ''],
  ['MaxItems', 'maxItems', null],
  ['MinItems', 'minItems', null],
  ['UniqueItems', 'uniqueItems', false],
  ['MultipleOf', 'multipleOf', null],
  ['Enum', 'enum', null],
  ['MaxProperties', 'maxProperties', null],
  ['MinProperties', 'minProperties', null],
  ['Required', 'required', null],
  ['Items', 'items', null, items],
  ['AllOf', 'allOf', null, list],
  ['OneOf', 'oneOf', null, list],
  ['AnyOf', 'anyOf', null, list],
  ['Not', 'not', null, nested],
  ['Properties', 'properties', null, map],
  ['AdditionalProperties', 'additionalProperties', null, orBool],
  ['PatternProperties', 'patternProperties', null, map],
  ['Dependencies', 'dependencies', null],
  ['AdditionalItems', 'additionalItems', null, orBool],
  ['Definitions', 'definitions', null, map],
  ['ExternalDocs', 'externalDocs', null],
  ['Example', 'example', null],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields', null],
  ['XEmbeddedResource', 'x-kubernetes-embedded-resource', false],
  ['XIntOrString', 'x-kubernetes-int-or-string', false],
  ['XListMapKeys', 'x-kubernetes-list-map-keys', null],
  ['XListType', 'x-kubernetes-list-type', null],
  ['XMapType', 'x-kubernetes-map-type', null],
  ['XValidations', 'x-kubernetes-validations', null, rules],
];

function goSchema(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    FIELDS.map(([name, key, absent, print]) => {
      const value = schema[key];
      if (value === undefined || value === null) return [name, absent];
      return [name, print === undefined ? value : print(value)];
    }),
  );
}
