import { type Clock, errorText, type Json, parseBoundedJson, parseJsonStrict } from '@kubewright/kube';
import { parseYamlBody, parseYamlInSteps } from '@kubewright/kube/yaml';
import { pause, type Steps } from '../request/steps.ts';
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

/** What large bodies were read into beforehand, or why not. */
const readings = new WeakMap<Uint8Array, { readonly body: Body } | { readonly error: unknown }>();
/** YAML of this many bytes is read in some milliseconds. */
export const MAX_AT_ONCE: number = 32 * 1024;
/** Milliseconds that a body is read before others have their turn. */
const TURN_MS = 10;

/** Reads a large body of YAML in turns, for {@link parseYaml} to find: twenty times as much work as for JSON. */
export function* readAhead(bytes: Uint8Array, contentType: string | undefined, clock: Clock): Steps<void> {
  if (!mediaType(contentType).endsWith('yaml')) return;
  try {
    const steps = parseYamlInSteps(textOf(bytes), true);
    let since = clock.monotonic();
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return void readings.set(bytes, { body: value });
      if (clock.monotonic() - since < TURN_MS) continue;
      yield* pause(clock);
      since = clock.monotonic();
    }
  } catch (error) {
    readings.set(bytes, { error });
  }
}

/** Parses YAML; strict are the keys that are set twice. */
export function parseYaml(bytes: Uint8Array, strict: boolean): Body {
  try {
    const ahead = readings.get(bytes);
    if (ahead === undefined) return parseYamlBody(textOf(bytes), strict);
    if ('error' in ahead) throw ahead.error;
    return strict ? ahead.body : { value: ahead.body.value, strict: [] };
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
