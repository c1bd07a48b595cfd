import { isJsonObject, type Json, type JsonObject } from '@kubewright/kube';
import { code, plain, shown } from './markdown.ts';

type Row = readonly [path: string, type: string, description: string];

const BOUNDS = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'pattern', 'format'];

/** The fields of a structural schema as rows, parents before their fields; items of lists are `[]`, values of maps `.*`. */
export function schemaRows(schema: JsonObject, path = ''): readonly Row[] {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const properties = Object.entries(asObject(schema['properties']) ?? {});
  const fields = properties
    .filter(([name]) => path !== '' || !['apiVersion', 'kind', 'metadata'].includes(name))
    .flatMap(([name, child]) =>
      fieldRows(asObject(child) ?? {}, path === '' ? name : `${path}.${name}`, required.includes(name)),
    );
  const items = asObject(schema['items']);
  const values = asObject(schema['additionalProperties']);
  return [
    ...fields,
    ...(items === undefined ? [] : schemaRows(items, `${path}[]`)),
    ...(values === undefined ? [] : schemaRows(values, `${path}.*`)),
  ];
}

function fieldRows(schema: JsonObject, path: string, isRequired: boolean): readonly Row[] {
  const notes = [
    isRequired ? 'Required.' : '',
    schema['default'] === undefined ? '' : `Default ${code(JSON.stringify(schema['default']))}.`,
    text(schema['description']),
    ...limits(schema),
    ...rules(schema),
  ];
  return [
    [code(path), typeOf(schema), notes.filter((note) => note !== '').join(' ')],
    ...schemaRows(schema, path),
  ];
}

function typeOf(schema: JsonObject): string {
  const { items, additionalProperties: values, enum: choices } = schema;
  if (Array.isArray(choices)) return choices.map((choice) => code(shown(choice))).join(', ');
  if (items !== undefined) return `list of ${typeOf(asObject(items) ?? {})}`;
  if (asObject(values) !== undefined) return `map of ${typeOf(asObject(values) ?? {})}`;
  if (schema['x-kubernetes-int-or-string'] === true) return 'integer or string';
  return typeof schema['type'] === 'string' ? schema['type'] : 'any';
}

function limits(schema: JsonObject): readonly string[] {
  const found = BOUNDS.filter((name) => schema[name] !== undefined);
  return found.length === 0
    ? []
    : [`${found.map((name) => `${name} ${code(shown(schema[name]))}`).join(', ')}.`];
}

function rules(schema: JsonObject): readonly string[] {
  const { 'x-kubernetes-validations': validations } = schema;
  if (!Array.isArray(validations)) return [];
  return validations.map((rule) => `Rule: ${text(asObject(rule)?.['message'] ?? asObject(rule)?.['rule'])}.`);
}

const text = (value: Json | undefined): string => (typeof value === 'string' ? plain(value) : '');

const asObject = (value: Json | undefined): JsonObject | undefined =>
  isJsonObject(value) ? value : undefined;
