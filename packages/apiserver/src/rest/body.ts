import { errorText, type Json, parseBoundedJson, parseJsonStrict } from '@kubewright/kube';
import { parseYamlBody } from '@kubewright/kube/yaml';
import { decodeProtobuf } from '../protobuf/decode-protobuf.ts';
import { localError, unsupportedMediaType } from '../api-server-error.ts';

/** A parsed body, and what strict decoding has against its text. */
export type Body = { readonly value: Json; readonly strict: readonly string[] };

export type BodyFormat = 'json' | 'yaml' | 'protobuf';

const MEDIA_TYPES: readonly string[] = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
];

/** The format of a body by its `Content-Type`; throws 415. A missing header means JSON. */
export function bodyFormat(contentType: string | undefined): BodyFormat {
  const type = mediaType(contentType);
  if (type === '' || type === 'application/json') return 'json';
  if (type === 'application/yaml') return 'yaml';
  if (type === 'application/vnd.kubernetes.protobuf') return 'protobuf';
  throw unsupportedMediaType(MEDIA_TYPES);
}

/** Parses a body; YAML and protobuf do not report the duplicates and unknown fields that JSON does. */
export function parseAs(format: BodyFormat, bytes: Uint8Array, strict: boolean): Body {
  if (format === 'protobuf') return { value: decodeProtobuf(bytes), strict: [] };
  return format === 'json' ? parseJsonBody(bytes, strict) : parseYaml(bytes, strict);
}

/** `Content-Type` without its parameters. */
export function mediaType(contentType = ''): string {
  const at = contentType.indexOf(';');
  return (at < 0 ? contentType : contentType.slice(0, at)).trim().toLowerCase();
}

/**
 * The most values of a request. Each is decoded, checked, tracked and written: a few microseconds, in which nobody else has a
 * turn. Objects have twenty bytes and more to a value, and etcd takes 1.5 MiB of them.
 */
const MAX_VALUES = 100_000;

/** Parses JSON; looks for duplicates only where they are to be reported. */
export function parseJsonBody(bytes: Uint8Array, strict: boolean): Body {
  if (!strict) return { value: parseBoundedJson(bytes, MAX_VALUES), strict: [] };
  const { value, duplicates } = parseJsonStrict(bytes, MAX_VALUES);
  return { value, strict: duplicates.map((path) => `duplicate field "${path}"`) };
}

/** Parses YAML; strict are the keys that are set twice. */
export function parseYaml(bytes: Uint8Array, strict: boolean): Body {
  try {
    return parseYamlBody(textOf(bytes), strict);
  } catch (error) {
    throw localError('Malformed', `error converting YAML to JSON: yaml: ${errorText(error)}`);
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw localError('Malformed', 'invalid UTF-8');
  }
}
