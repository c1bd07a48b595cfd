import { gunzipSync } from 'node:zlib';
import { isJsonObject, type Json, type JsonObject, parseBoundedJson } from '@kubewright/kube';
import { OperatorError } from '../../../operator-error.ts';

/** Characters of a record as it is stored: an API server stores no object that is larger. */
const MOST_STORED = 4 * 1024 * 1024;
/** Bytes of what is in it. */
const MOST_DECODED = 32 * 1024 * 1024;

/** What is read of a revision of a Helm release. */
export type Release = {
  readonly revision: number;
  /** `deployed`, `superseded`, `failed`, `pending-upgrade`, … */
  readonly status: string;
  /** The record of Helm 3 has no method: it knows only client-side apply. */
  readonly isServerSide: boolean;
  readonly namespace: string;
  /** Rendered YAML, without hooks. May hold passwords. */
  readonly manifest: string;
};

/**
 * Decodes what Helm 3 and 4 store of a revision: base64 of gzip (of old releases: not compressed) of JSON. `source` names
 * it in errors, which quote nothing of it. Throws OperatorError `Failed` for what is none, or too large.
 */
export function decodeRelease(stored: string, source: string): Release {
  const decoded = readRecord(stored, source);
  const { version, namespace, manifest, info, apply_method: method } = decoded;
  const { status } = isJsonObject(info) ? info : {};
  if (typeof version !== 'number' || typeof namespace !== 'string' || typeof manifest !== 'string')
    throw unreadable(source, 'it has no version, namespace or manifest');
  return {
    revision: version,
    status: typeof status === 'string' ? status : 'unknown',
    isServerSide: method === 'ssa',
    namespace,
    manifest,
  };
}

function readRecord(stored: string, source: string): JsonObject {
  if (stored.length > MOST_STORED) throw unreadable(source, 'it is too large');
  const value = parsed(inflated(Buffer.from(stored, 'base64'), source), source);
  if (!isJsonObject(value)) throw unreadable(source, 'it is no object');
  return value;
}

function inflated(bytes: Buffer, source: string): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST_DECODED });
  } catch (error) {
    const isTooLarge = error instanceof RangeError;
    throw unreadable(source, isTooLarge ? 'it is too large' : 'it is not compressed as gzip', error);
  }
}

function parsed(bytes: Buffer, source: string): Json {
  try {
    return parseBoundedJson(bytes);
  } catch (error) {
    throw unreadable(source, 'it is not JSON', error);
  }
}

function unreadable(source: string, why: string, cause?: unknown): OperatorError {
  return new OperatorError('Failed', `${source} cannot be read: ${why}`, { cause });
}
