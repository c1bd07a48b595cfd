import { getOwn, isJsonObject, type Json, type JsonObject, stringifyJson } from '@kubewright/kube';
import { boolField, messageField, textField, type WireBytes } from './wire-bytes.ts';

/** An OpenAPI v2 document as gnostic's `openapi.v2.Document`, of which kubectl reads types, kinds and parameters. */
export function encodeOpenApi(document: JsonObject): Uint8Array {
  const info = objectIn(document, 'info');
  return Buffer.concat([
    ...textField(1, textIn(document, 'swagger')),
    ...messageField(2, [...textField(1, textIn(info, 'title')), ...textField(2, textIn(info, 'version'))]),
    ...messageField(
      8,
      entries(document, 'paths').flatMap(([path, item]) => named(2, path, pathItem(item))),
    ),
    ...messageField(
      9,
      entries(document, 'definitions').flatMap(([name, value]) => named(1, name, schema(value))),
    ),
  ]);
}

function textIn(object: JsonObject, key: string): string {
  const value = getOwn(object, key);
  return typeof value === 'string' ? value : '';
}

function objectIn(object: JsonObject, key: string): JsonObject {
  const value = getOwn(object, key);
  return isJsonObject(value) ? value : {};
}

function entries(object: JsonObject, key: string): [string, JsonObject][] {
  return Object.entries(objectIn(object, key)).filter((entry): entry is [string, JsonObject] =>
    isJsonObject(entry[1]),
  );
}

/** A name and its value: how gnostic encodes maps. */
function named(number: number, name: string, value: WireBytes): WireBytes {
  return messageField(number, [...textField(1, name), ...messageField(2, value)]);
}

/** `x-…` fields, whose values are YAML; JSON is. */
function extensions(number: number, object: JsonObject): WireBytes {
  return Object.entries(object)
    .filter(([key]) => key.startsWith('x-'))
    .flatMap(([key, value]) => named(number, key, textField(2, stringifyJson(value))));
}

function pathItem(item: JsonObject): WireBytes {
  return messageField(8, operation(objectIn(item, 'patch')));
}

function operation(value: JsonObject): WireBytes {
  const parameters = value['parameters'];
  return [
    ...(Array.isArray(parameters) ? parameters : []).flatMap((item: Json) =>
      isJsonObject(item) ? parameter(item) : [],
    ),
    ...extensions(13, value),
  ];
}

function parameter(item: JsonObject): WireBytes {
  const query: WireBytes = [
    ...textField(2, textIn(item, 'in')),
    ...textField(4, textIn(item, 'name')),
    ...textField(6, textIn(item, 'type')),
    ...boolField(20, item['uniqueItems'] === true),
  ];
  return messageField(8, messageField(1, messageField(2, messageField(3, query))));
}

function schema(value: JsonObject): WireBytes {
  const { required, type, items, additionalProperties } = value;
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  return [
    ...textField(1, textIn(value, '$ref')),
    ...textField(2, textIn(value, 'format')),
    ...textField(4, textIn(value, 'description')),
    ...names.flatMap((name) => textField(19, name)),
    ...additional(additionalProperties),
    ...(typeof type === 'string' ? messageField(22, textField(1, type)) : []),
    ...(isJsonObject(items) ? messageField(23, messageField(1, schema(items))) : []),
    ...properties(value),
    ...extensions(31, value),
  ];
}

function additional(value: Json | undefined): WireBytes {
  if (isJsonObject(value)) return messageField(21, messageField(1, schema(value)));
  return value === true ? messageField(21, boolField(2, true)) : [];
}

function properties(value: JsonObject): WireBytes {
  const fields = entries(value, 'properties');
  if (fields.length === 0) return [];
  return messageField(
    25,
    fields.flatMap(([name, field]) => named(1, name, schema(field))),
  );
}
