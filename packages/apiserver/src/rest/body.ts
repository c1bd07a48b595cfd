import { type Json, parseBoundedJson, parseJsonStrict } from '@kubewright/kube';
import { LineCounter, parseDocument, type ScalarTag, type Tags } from 'yaml';
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
  return format === 'json' ? parseJsonBody(bytes, strict) : parseYamlBody(bytes, strict);
}

/** `Content-Type` without its parameters. */
export function mediaType(contentType = ''): string {
  const at = contentType.indexOf(';');
  return (at < 0 ? contentType : contentType.slice(0, at)).trim().toLowerCase();
}

/** Parses JSON; looks for duplicates only where they are to be reported. */
export function parseJsonBody(bytes: Uint8Array, strict: boolean): Body {
  if (!strict) return { value: parseBoundedJson(bytes), strict: [] };
  const { value, duplicates } = parseJsonStrict(bytes);
  return { value, strict: duplicates.map((path) => `duplicate field "${path}"`) };
}

/** Parses YAML 1.1 as Kubernetes does: no timestamps, no base 60. Also takes JSON, quickly. */
export function parseYamlBody(bytes: Uint8Array, strict: boolean): Body {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  if (text.trimStart().startsWith('{')) {
    const json = tryJson(bytes, strict);
    if (json !== undefined) return json;
  }
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { ...YAML_OPTIONS, lineCounter });
  const duplicates = document.errors.filter(({ code }) => code === 'DUPLICATE_KEY');
  const broken = document.errors.find(({ code }) => code !== 'DUPLICATE_KEY');
  if (broken !== undefined) {
    const line = broken.linePos?.[0].line ?? 1;
    throw localError(
      'Malformed',
      `error converting YAML to JSON: yaml: line ${line}: ${broken.message.split('\n', 1)[0]}`,
    );
  }
  const value = narrow(document.toJS({ maxAliasCount: 100 }) as Json);
  return {
    value,
    strict: strict
      ? duplicates.map(
          ({ linePos, pos }) =>
            `line ${linePos?.[0].line ?? 1}: key ${keyAt(text, pos[0])} already set in map`,
        )
      : [],
  };
}

function keyAt(text: string, position: number): string {
  const [key = ''] = /^[^:\s]*/.exec(text.slice(position)) ?? [];
  return key.startsWith('"') ? key : JSON.stringify(key);
}

function tryJson(bytes: Uint8Array, strict: boolean): Body | undefined {
  try {
    return parseJsonBody(bytes, strict);
  } catch {
    return undefined;
  }
}

const FOREIGN_TAGS = new Set(['tag:yaml.org,2002:timestamp', 'tag:yaml.org,2002:binary']);
/** A dot alone is a string, as the keys of managedFields are that `kubectl get -o yaml` prints. */
const FLOAT = /^[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)$/;
const YAML_OPTIONS = {
  version: '1.1',
  intAsBigInt: true,
  customTags: (tags: Tags): Tags =>
    tags
      .filter((tag) => typeof tag === 'string' || (!FOREIGN_TAGS.has(tag.tag) && tag.format !== 'TIME'))
      .map((tag) => (isScalar(tag) && tag.test?.test('.') === true ? { ...tag, test: FLOAT } : tag)),
} as const;

function isScalar(tag: Tags[number]): tag is ScalarTag {
  return typeof tag === 'object' && tag.collection === undefined;
}

/** Whole numbers come as bigint from the parser: back to numbers where those hold them. */
function narrow(value: Json): Json {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(narrow);
  if (typeof value !== 'object' || value === null) return value === undefined ? null : value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, narrow(item)]));
}
