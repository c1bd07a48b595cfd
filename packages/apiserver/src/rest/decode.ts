import type { Json, JsonObject, KubeObject } from '@kubewright/kube';
import {
  decodeBuiltIn,
  decodeStructural,
  getOwn,
  isJsonObject,
  KubeError,
  parseApiVersion,
} from '@kubewright/kube';
import type { ResourceDefinition } from '../registry/resource-definition.ts';
import { badRequest } from './api-server-error.ts';
import { type Body, bodyFormat, parseAs } from './body.ts';
import { apiVersionOfDefinition } from './context.ts';
import type { FieldValidation } from './request-options.ts';

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

function decodeAs({ schema, builtIn }: ResourceDefinition, value: JsonObject): Decoded {
  const decode = builtIn ? decodeBuiltIn : decodeStructural;
  const { object, unknownFields, errors } = decode(schema, value);
  return {
    object: withMetadata(object as JsonObject),
    strict: unknownFields.map(unknownField),
    errors: errors.map((error) => error.message),
  };
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
  warnings: string[],
): KubeObject {
  const parsed = parseBody(definition, body, contentType, fieldValidation !== 'Ignore');
  const value = asDefined(definition, parsed.value);
  const { object, strict, errors } = decodeValue(definition, value);
  if (errors.length > 0) throw cannotHandle(definition, value, errors.join(', '));
  report([...strict, ...parsed.strict], fieldValidation, warnings, (text) =>
    cannotHandle(definition, value, text),
  );
  return object;
}

/** Strict findings become warnings or, under `Strict`, the error that `refuse` makes of them. */
export function report(
  findings: readonly string[],
  fieldValidation: FieldValidation,
  warnings: string[],
  refuse: (text: string) => Error,
): void {
  if (findings.length === 0 || fieldValidation === 'Ignore') return;
  if (fieldValidation === 'Strict') throw refuse(`strict decoding error: ${findings.join(', ')}`);
  warnings.push(...findings);
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
    const why = error instanceof Error ? error.message : String(error);
    const reason = error instanceof KubeError ? `json parse error: ${why}` : why;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${definition.kind}): couldn't get version/kind; ${reason} (${hexOf(body)})`,
    );
  }
}

/** The start of an unreadable body, as the real one shows it. */
function hexOf(body: Uint8Array): string {
  if (body.length === 0) return '<empty>';
  const hex = Buffer.from(body.subarray(0, 10)).toString('hex');
  return body.length > 10 ? `${hex} ...` : hex;
}

/** The value under the endpoint's kind: absent `kind` and `apiVersion` are the endpoint's, others are refused. */
function asDefined(definition: ResourceDefinition, value: Json): JsonObject {
  const expected = apiVersionOfDefinition(definition);
  if (!isJsonObject(value)) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${definition.kind}): couldn't get version/kind; json parse error: json: cannot unmarshal ${goKind(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  }
  const apiVersion = textOr(getOwn(value, 'apiVersion'), expected);
  const kind = textOr(getOwn(value, 'kind'), definition.kind);
  if (apiVersion === expected && kind === definition.kind) return { ...value, apiVersion, kind };
  const known = { ...value, apiVersion, kind };
  if (parseApiVersion(apiVersion).group !== definition.group || !definition.builtIn) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
  }
  const version = parseApiVersion(apiVersion).version;
  throw cannotHandle(definition, known, `no kind "${kind}" is registered for version "${version}" in scheme`);
}

function textOr(value: Json | undefined, fallback: string): string {
  return typeof value === 'string' && value !== '' ? value : fallback;
}

function cannotHandle(definition: ResourceDefinition, value: JsonObject, why: string): Error {
  const { version } = parseApiVersion(textOr(getOwn(value, 'apiVersion'), ''));
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
