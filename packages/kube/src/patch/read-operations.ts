import { KubeError } from '../kube-error.ts';
import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from '../json/json.ts';

/** One operation as it was sent; what is required of it depends on `op`. */
export type Operation = {
  readonly op: string | undefined;
  readonly path: string | undefined;
  readonly from: string | undefined;
  /** Null where it is absent. */
  readonly value: Json;
};

const MAX_OPERATIONS = 10_000;

/** Reads a JSON patch document. Throws {@link KubeError} `MalformedPatch` in the words of kube-apiserver's decoder. */
export function readOperations(patch: Json): Operation[] {
  if (patch === null) return [];
  if (!isJsonArray(patch)) throw wrongType(patch, 'value of type []handlers.jsonPatchOp');
  if (patch.length > MAX_OPERATIONS) {
    throw new KubeError(
      'PatchTooLarge',
      `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`,
    );
  }
  return patch.map(readOperation);
}

function readOperation(operation: Json): Operation {
  if (operation === null) return { op: undefined, path: undefined, from: undefined, value: null };
  if (!isJsonObject(operation)) throw wrongType(operation, 'value of type handlers.jsonPatchOp');
  return {
    op: readString(operation, 'op'),
    path: readString(operation, 'path'),
    from: readString(operation, 'from'),
    value: getOwn(operation, 'value') ?? null,
  };
}

function readString(operation: JsonObject, key: string): string | undefined {
  const value = getOwn(operation, key) ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw wrongType(value, `struct field jsonPatchOp.${key} of type string`);
}

function wrongType(value: Json, target: string): KubeError {
  const kind = isJsonArray(value) ? 'array' : isJsonObject(value) ? 'object' : kindOfScalar(value);
  return new KubeError(
    'MalformedPatch',
    `error decoding patch: json: cannot unmarshal ${kind} into Go ${target}`,
  );
}

function kindOfScalar(value: Json): string {
  if (typeof value === 'string') return 'string';
  return typeof value === 'boolean' ? 'bool' : 'number';
}
