import { errorText, isJsonArray, isJsonObject, type Json, type JsonObject } from '@kubewright/kube';
import { parseDocuments } from '../../kit/read-documents.ts';
import type { Synthesis } from '../api.ts';

/** What a synthesizer has printed. */
export type Output =
  | {
      readonly ok: true;
      readonly items: readonly JsonObject[];
      readonly results: NonNullable<Synthesis['results']>;
    }
  | { readonly ok: false; readonly message: string };

/** The largest output that is read, in bytes: as much as about twenty slices hold. */
export const OUTPUT_LIMIT = 10 * 1024 * 1024;
/** Of YAML; an object of Kubernetes has twenty bytes and more to a value. */
const MOST_VALUES = 300_000;
const MAX_RESULTS = 20;
const MAX_CHARACTERS = 300;

/**
 * The `ResourceList` (config.kubernetes.io/v1, as YAML or JSON) that a synthesizer has printed. Lines before it are skipped: a
 * log has standard error too. A result of severity `error` is a failure, as for every KRM function.
 */
export function readOutput(log: string): Output {
  if (Buffer.byteLength(log) >= OUTPUT_LIMIT) return failure(`it printed more than ${OUTPUT_LIMIT} bytes`);
  const begin = /^(?:\{|---|apiVersion:|kind:|items:)/m.exec(log)?.index;
  if (begin === undefined) return failure('it printed no ResourceList');
  const list = resourceList(log.slice(begin));
  return typeof list === 'string' ? failure(list) : outputOf(list);
}

function resourceList(text: string): JsonObject | string {
  try {
    const [first, ...rest] = parseDocuments(text, 'the output', MOST_VALUES);
    const isList = first !== undefined && isJsonObject(first) && first['kind'] === 'ResourceList';
    return isList && rest.length === 0 ? first : 'it did not print one ResourceList, and nothing after it';
  } catch (error) {
    return errorText(error);
  }
}

function outputOf(list: JsonObject): Output {
  const items = listOf(list['items']);
  const wrong = items.findIndex((item) => !isManifest(item));
  if (wrong >= 0) return failure(`items[${wrong}] has no apiVersion, kind and metadata.name`);
  const results = listOf(list['results']).slice(0, MAX_RESULTS).map(resultOf);
  const failed = results.find(({ severity }) => severity === 'error');
  if (failed !== undefined) return failure(failed.message);
  return { ok: true, items: items as readonly JsonObject[], results };
}

function listOf(value: Json | undefined): readonly Json[] {
  return value !== undefined && isJsonArray(value) ? value : [];
}

function isManifest(item: Json): boolean {
  if (!isJsonObject(item)) return false;
  const { apiVersion, kind, metadata } = item;
  const named = metadata !== undefined && isJsonObject(metadata) && typeof metadata['name'] === 'string';
  return named && typeof apiVersion === 'string' && typeof kind === 'string';
}

function resultOf(value: Json): { readonly message: string; readonly severity?: string } {
  const { message, severity } = isJsonObject(value) ? value : {};
  const text = typeof message === 'string' ? message.slice(0, MAX_CHARACTERS) : 'a result without a message';
  return { message: text, ...(typeof severity === 'string' && { severity: severity.slice(0, 20) }) };
}

function failure(message: string): Output {
  return { ok: false, message: message.slice(0, MAX_CHARACTERS) };
}
