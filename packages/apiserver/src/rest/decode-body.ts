import {
  type GroupVersionKind,
  errorText,
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  KubeError,
  type KubeObject,
  parseApiVersion,
  apiVersionOf,
} from '@kubewright/kube';
import { decodeBuiltIn, decodeStructural, loadCatalogue } from '@kubewright/kube/schema';
import type { FieldError } from '@kubewright/kube/validation';
import { isEarlierKind } from '../model/earlier-kinds.ts';
import { goType } from '../model/go-type.ts';
import type { ResourceDefinition } from '../model/resource-definition.ts';
import { badRequest, invalid } from '../api-server-error.ts';
import { type Body, bodyFormat, parseAs } from './body.ts';
import type { ResourceRequest } from './resource-request.ts';
import type { FieldValidation } from './write-options.ts';

/** An object of its kind: unknown fields gone, values canonical, defaults filled. */
export type Decoded = {
  readonly object: KubeObject;
  /** What strict decoding has against it: unknown fields. */
  readonly strict: readonly string[];
  /** What the type cannot hold. `object` is not to be used then. */
  readonly errors: readonly string[];
};

/** Decodes a value as `definition`'s kind; what `DecoderToVersion` and the defaulter do. */
export function decodeValue(definition: ResourceDefinition, value: JsonObject): Decoded {
  const decoded = decodeAs(definition, value);
  if (decoded.errors.length > 0) return decoded;
  const { default: fill } = definition.strategy;
  return fill === undefined ? decoded : { ...decoded, object: fill(decoded.object) };
}

function decodeAs({ schema, structural = schema, builtIn }: ResourceDefinition, value: JsonObject): Decoded {
  const decoded = builtIn ? decodeBuiltIn(schema, value) : decodeStructural(structural, value);
  const { object, unknownFields, errors } = decoded;
  return {
    object: builtIn
      ? withReset(withMetadata(object as JsonObject), value)
      : withMetadata(object as JsonObject),
    strict: unknownFields.map(unknownField),
    errors: errors.map((error) => error.message),
  };
}

/**
 * Decoding keeps an empty list of managedFields: it resets the tracking of managers.
 * Recording managers removes it again. Of a custom resource it has no effect, as in Go's decoder.
 */
function withReset(object: KubeObject, value: JsonObject): KubeObject {
  const metadata = getOwn(value, 'metadata');
  const sent = isJsonObject(metadata) ? getOwn(metadata, 'managedFields') : undefined;
  if (!isJsonArray(sent) || sent.length > 0) return object;
  return { ...object, metadata: { ...object.metadata, managedFields: [] } };
}

function unknownField(path: string): string {
  return `unknown field "${path}"`;
}

function withMetadata(object: JsonObject): KubeObject {
  return (isJsonObject(getOwn(object, 'metadata')) ? object : { ...object, metadata: {} }) as KubeObject;
}

/** Reads the body of a create or update; warnings are added to `warnings`. Throws 400 or 415. */
export function decodeBody(
  definition: ResourceDefinition,
  body: Uint8Array,
  contentType: string | undefined,
  { fieldValidation }: { readonly fieldValidation: FieldValidation },
  { warnings, sent }: Pick<ResourceRequest, 'warnings' | 'sent'>,
): KubeObject {
  const parsed = parseBody(definition, body, contentType, fieldValidation !== 'Ignore');
  const value = typedBody(definition, parsed.value, body);
  const { object, strict, errors } = decodeValue(definition, value);
  if (errors.length > 0) throw cannotHandle(definition, value, errors.join(', '));
  // Go's decoder drops unknown fields, and so does not find duplicates of them.
  const repeated = definition.builtIn
    ? parsed.strict.filter((text) => !strict.includes(text.replace(/^duplicate/, 'unknown')))
    : parsed.strict;
  report([...strict, ...repeated], fieldValidation, warnings, (text) =>
    cannotHandle(definition, value, text),
  );
  sent.object = value;
  return object;
}

/** Strict findings become warnings or, under `Strict`, the error that `reject` makes of them. */
export function report(
  findings: readonly string[],
  fieldValidation: FieldValidation,
  warnings: string[],
  reject: (text: string) => Error,
): void {
  if (findings.length === 0 || fieldValidation === 'Ignore') return;
  if (fieldValidation === 'Strict') throw reject(`strict decoding error: ${findings.join(', ')}`);
  for (const finding of findings) warnings.push(finding);
}

function parseBody(
  definition: ResourceDefinition,
  body: Uint8Array,
  contentType: string | undefined,
  strict: boolean,
): Body {
  const format = bodyFormat(contentType);
  try {
    return parseAs(format, body, strict);
  } catch (error) {
    const why = errorText(error);
    if (!(error instanceof KubeError)) throw unrecognized(definition, why, body);
    throw unrecognized(definition, `couldn't get version/kind; json parse error: ${why}`, body);
  }
}

const SHOWN = 30;

/** The start of an unreadable body, as a real server quotes it. */
function summarize(body: Uint8Array): string {
  if (body.length === 0) return '<empty>';
  const start = Buffer.from(body.subarray(0, SHOWN));
  const text = body[0] === 0x7b ? start.toString() : start.toString('hex');
  return body.length > SHOWN ? `${text} ...` : text;
}

function unrecognized({ kind }: ResourceDefinition, why: string, body: Uint8Array): Error {
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${why} (${summarize(body)})`,
  );
}

const TYPE_META =
  'Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** The value of a body under the endpoint's kind; throws 400 when it is no object or of another kind. */
function typedBody(definition: ResourceDefinition, value: Json, body: Uint8Array): JsonObject {
  const reject = (why: string): never => {
    throw unrecognized(
      definition,
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${why}`,
      body,
    );
  };
  if (!isJsonObject(value)) return reject(`${goKind(value)} into ${TYPE_META}`);
  for (const key of ['apiVersion', 'kind']) {
    const text = getOwn(value, key) ?? '';
    if (typeof text !== 'string') reject(`${goKind(text)} into Go struct field .${key} of type string`);
  }
  checkSaysType(definition, value, body);
  const served = inServedVersion(definition, value);
  return ofKind(definition, served, (why) => cannotHandle(definition, served, why));
}

/** The value as of the endpoint's kind: absent `kind` and `apiVersion` are filled in, others are rejected. */
export function ofKind(
  definition: ResourceDefinition,
  value: JsonObject,
  reject: (why: string) => Error,
): JsonObject {
  const expected = apiVersionOf(definition);
  const apiVersion = textOr(getOwn(value, 'apiVersion'), expected);
  const kind = textOr(getOwn(value, 'kind'), definition.kind);
  if (apiVersion === expected && kind === definition.kind) return { ...value, apiVersion, kind };
  if (!definition.builtIn) throw ofAnotherKind(definition, value, apiVersion, kind);
  const { group, version } = parseApiVersion(apiVersion);
  if (!isKnown({ group, version, kind })) {
    throw reject(
      `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  throw reject(`converting (${version}.${kind}) to (${goType(definition)}): unknown conversion`);
}

/** Evictions are read in both versions. */
const ALSO_READ = 'policy/v1beta1 Eviction';

/** The value in the endpoint's version. Of its kind in a version that can be read but is not served here, it is rejected. */
function inServedVersion(definition: ResourceDefinition, value: JsonObject): JsonObject {
  const expected = apiVersionOf(definition);
  const apiVersion = textOr(getOwn(value, 'apiVersion'), expected);
  const { kind, builtIn } = definition;
  if (!builtIn || apiVersion === expected || textOr(getOwn(value, 'kind'), kind) !== kind) return value;
  if (`${apiVersion} ${kind}` === ALSO_READ) return { ...value, apiVersion: expected };
  if (!isKnown({ ...parseApiVersion(apiVersion), kind })) return value;
  throw badRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
  );
}

function isKnown(gvk: GroupVersionKind): boolean {
  return loadCatalogue().schemaOf(gvk) !== undefined || isEarlierKind(gvk);
}

/** A custom resource of another kind or version is a valid object, but not of this endpoint. */
function ofAnotherKind(
  definition: ResourceDefinition,
  value: JsonObject,
  apiVersion: string,
  kind: string,
): Error {
  const expected = apiVersionOf(definition);
  const errors: FieldError[] = [];
  const differs = (field: string, is: string, must: string): void => {
    if (is !== must) errors.push({ type: 'Invalid', field, value: is, detail: `must be ${must}` });
  };
  differs('kind', kind, definition.kind);
  differs('apiVersion', apiVersion, expected);
  const metadata = getOwn(value, 'metadata');
  const name = isJsonObject(metadata) ? textOr(getOwn(metadata, 'name'), '') : '';
  return invalid({ group: parseApiVersion(apiVersion).group, kind }, name, errors);
}

/** Custom resources have no default `apiVersion` and `kind`: the body must have both. */
function checkSaysType(definition: ResourceDefinition, value: JsonObject, body: Uint8Array): void {
  if (definition.builtIn) return;
  if (textOr(getOwn(value, 'kind'), '') === '') {
    throw unrecognized(definition, `Object 'Kind' is missing in '${Buffer.from(body).toString()}'`, body);
  }
  const apiVersion = textOr(getOwn(value, 'apiVersion'), '');
  const expected = apiVersionOf(definition);
  if (apiVersion === expected) return;
  throw badRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
  );
}

function textOr(value: Json | undefined, fallback: string): string {
  return typeof value === 'string' && value !== '' ? value : fallback;
}

function cannotHandle(definition: ResourceDefinition, value: JsonObject, why: string): Error {
  const expected = apiVersionOf(definition);
  const { version } = parseApiVersion(textOr(getOwn(value, 'apiVersion'), expected));
  const kind = textOr(getOwn(value, 'kind'), definition.kind);
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${definition.kind}: ${why}`);
}

/** What Go's JSON decoder calls a value. */
export function goKind(value: Json): string {
  if (Array.isArray(value)) return 'array';
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}
