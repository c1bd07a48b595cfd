import {
  canonicalJson,
  errorText,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  KubeError,
  type KubeObject,
  parseJson,
} from '@kubewright/kube';
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch } from '@kubewright/kube/patch';
import { formatGoValue } from '@kubewright/kube/validation';
import type { ResourceDefinition } from '../model/resource-definition.ts';
import { badRequest, conflict, failure, invalid, unsupportedMediaType } from '../api-server-error.ts';
import { applyObject } from './apply-object.ts';
import { type Body, mediaType, parseJsonBody } from './body.ts';
import type { RestContext } from './rest-context.ts';
import type { ResourceRequest } from './resource-request.ts';
import type { Written } from './create-object.ts';
import { type Decoded, decodeValue, goKind, ofKind, report } from './decode-body.ts';
import { recordedUpdate } from './record-update.ts';
import { converterMessage } from './converter-message.ts';
import { mergedPatch } from './merged-patch.ts';
import { sortPatched } from './sort-patched.ts';
import { checkName, inRequestNamespace } from './object-metadata.ts';
import { type WriteOptions, writeOptions } from './write-options.ts';
import type { Steps } from '../request/steps.ts';
import { strategyOf, writeObject } from './write-object.ts';
import { admitUpdated } from './admit-mutating.ts';

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
const APPLY_PATCH = 'application/apply-patch+yaml';
/** Operations that one JSON patch may have. */
const MOST_OPERATIONS = 10_000;

/** PATCH of an object or of a subresource that has its shape. */
export function* patchObject(context: RestContext, request: ResourceRequest): Steps<Written> {
  const type = patchType(request);
  const options = writeOptions(
    'PatchOptions',
    request.query,
    request.header('user-agent'),
    type === APPLY_PATCH,
  );
  if (type === APPLY_PATCH) return yield* applyObject(context, request, options);
  const strategy = strategyOf(request);
  const patch = readPatch(request, type, options);
  return yield* writeObject(context, request, {
    dryRun: options.dryRun,
    strategy,
    creates: false,
    *updatedObject(live) {
      if (live === undefined) throw conflict(request.definition, request.name, 'it does not exist');
      const patched = patch(live);
      const object = inRequestNamespace(patched, request);
      checkName(object, request.name);
      const recorded = yield* recordedUpdate(context, request.definition, live, object, {
        manager: options.manager,
        subresource: request.subresource,
        strategy,
        now: context.now(),
      });
      return yield* admitUpdated(context, request, recorded, live, options.dryRun);
    },
  });
}

/** The kind of patch by its `Content-Type`; throws 415. */
export function patchType({ definition, header }: ResourceRequest): string {
  const type = mediaType(header('content-type'));
  const known = definition.builtIn
    ? [JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, APPLY_PATCH]
    : [JSON_PATCH, MERGE_PATCH, APPLY_PATCH];
  if (known.includes(type)) return type;
  if (!definition.builtIn) throw unsupportedMediaType(known);
  throw failure(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
}

/** What a patch makes of an object. */
export type Patch = (live: KubeObject) => KubeObject;

/** Reads the body of a patch other than apply. */
export function readPatch(request: ResourceRequest, type: string, options: WriteOptions): Patch {
  const strict = options.fieldValidation !== 'Ignore';
  const prefix = type === STRATEGIC_PATCH ? '' : 'error decoding patch: ';
  const parsed = parsePatch(request.body, strict, prefix);
  const findings = parsed.strict;
  // Go decodes null into an empty patch; only a merge patch may not be empty.
  const value = parsed.value ?? EMPTY[type] ?? null;
  if (type === JSON_PATCH) return jsonPatch(request, value, findings, options);
  if (!isJsonObject(value)) {
    if (value === null && type === MERGE_PATCH) throw badRequest('Invalid JSON Patch');
    throw badRequest(
      `${prefix}json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`,
    );
  }
  return type === MERGE_PATCH
    ? mergePatch(request, value, findings, options)
    : strategicPatch(request, value, findings, options);
}

const EMPTY: Readonly<Record<string, Json>> = { [JSON_PATCH]: [], [STRATEGIC_PATCH]: {} };

function parsePatch(body: Uint8Array, strict: boolean, prefix: string): Body {
  try {
    return parseJsonBody(body, strict);
  } catch (error) {
    throw badRequest(`${prefix}${errorText(error)}`);
  }
}

function jsonPatch(
  request: ResourceRequest,
  value: Json,
  findings: readonly string[],
  options: WriteOptions,
): Patch {
  if (!isJsonArray(value)) {
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${goKind(value)} into Go value of type []handlers.jsonPatchOp`,
    );
  }
  if (value.length > MOST_OPERATIONS) {
    const message = `The allowed maximum operations in a JSON patch is ${MOST_OPERATIONS}, got ${value.length}`;
    throw failure(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`);
  }
  const strict = [...findings.map((text) => `json patch ${text}`), ...unknownOperationFields(value)];
  return (live) => {
    const patched = applied(() => applyJsonPatch(live, value));
    const ordered = (): Json => sortPatched(patched, value);
    return decodePatched(request, { value: patched, findings: strict, ordered }, options);
  };
}

const OPERATION_FIELDS = new Set(['op', 'path', 'from', 'value']);

function unknownOperationFields(operations: readonly Json[]): string[] {
  return operations.flatMap((operation, index) =>
    isJsonObject(operation)
      ? Object.keys(operation)
          .filter((key) => !OPERATION_FIELDS.has(key))
          .map((key) => `json patch unknown field "[${index}].${key}"`)
      : [],
  );
}

function applied(patch: () => Json): Json {
  try {
    return patch();
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    if (error.code === 'MalformedPatch') throw badRequest(error.message);
    throw rejected();
  }
}

/** The real server hides the reason; clients get only this text. */
function rejected(): Error {
  return failure(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}

function mergePatch(
  request: ResourceRequest,
  value: JsonObject,
  findings: readonly string[],
  options: WriteOptions,
): Patch {
  return (live) => {
    const patched = applyMergePatch(live, value);
    return decodePatched(request, { value: patched, findings }, options);
  };
}

function strategicPatch(
  request: ResourceRequest,
  value: JsonObject,
  findings: readonly string[],
  options: WriteOptions,
): Patch {
  const { schema } = request.definition;
  return (live) => {
    const patched = strategically(() => applyStrategicMergePatch(live, value, schema));
    const shown = (): string => formatGoValue(mergedPatch(value, live, schema));
    return decodePatched(request, { value: patched, findings, shown, encodeJson: converterMessage }, options);
  };
}

function strategically(patch: () => JsonObject): JsonObject {
  try {
    return patch();
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    if (error.code === 'MalformedPatch') throw badRequest(error.message);
    if (error.code === 'UnmergeablePatch') throw failure(500, '', error.message);
    throw rejected();
  }
}

/** What was patched, and how an error shows it. */
type Patched = {
  readonly value: Json;
  readonly findings: readonly string[];
  readonly shown?: () => string;
  /** With its fields in the order in which errors are reported; by name where absent. */
  readonly ordered?: () => Json;
  readonly encodeJson?: (error: string) => string;
};

/** The patched value as an object of its kind. */
function decodePatched(
  { definition, warnings, sent }: ResourceRequest,
  { value, findings, shown, ordered, encodeJson = (error) => error }: Patched,
  { fieldValidation }: WriteOptions,
): KubeObject {
  const reject = (detail: string): Error =>
    invalid({ group: '', kind: '' }, '', [
      { type: 'Invalid', field: 'patch', value: shown?.() ?? canonicalJson(value), detail },
    ]);
  if (!isJsonObject(value)) throw reject(`json: cannot unmarshal ${goKind(value)} into Go value`);
  const { object, strict, errors } = faultsInOrder(definition, ofKind(definition, value, reject), ordered);
  if (errors.length > 0) throw reject(encodeJson(errors.join(', ')));
  report([...findings, ...strict], fieldValidation, warnings, reject);
  sent.object = value;
  return object;
}

/** A patched object goes through JSON once more, which orders its fields: errors are reported in that order. */
function faultsInOrder(
  definition: ResourceDefinition,
  value: JsonObject,
  ordered = (): Json => parseJson(canonicalJson(value)),
): Decoded {
  const decoded = decodeValue(definition, value);
  if (decoded.errors.length === 0 && decoded.strict.length === 0) return decoded;
  return decodeValue(definition, ordered() as JsonObject);
}
