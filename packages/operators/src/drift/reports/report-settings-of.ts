import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from '@kubewright/kube';
import { parseDuration } from '../../kit/parse-duration.ts';
import { OperatorError } from '../../operator-error.ts';

/** Where DriftReports are posted. Times in milliseconds. */
export type Backend = {
  readonly url: URL;
  /** PEM of the authorities that its certificate is verified with. Default: the system's. */
  readonly caFile?: string;
  readonly timeoutMs: number;
  /** Attempts after the first, before a pause. */
  readonly retryCount: number;
  readonly retryIntervalMs: number;
};

const TIMEOUT_MS = 10_000;
const RETRIES = 3;
const RETRY_INTERVAL_MS = 1000;

/** `backends` of a config file: `url`, and `caFile`, `timeout`, `retryCount`, `retryInterval` where they differ. */
export function backendsOf(config: Json): readonly Backend[] {
  const list = isJsonObject(config) ? (getOwn(config, 'backends') ?? []) : undefined;
  if (config === null) return [];
  if (!isJsonArray(list)) throw invalid('backends', 'is not a list');
  return list.map((one, index) => backendOf(one, `backends[${index}]`));
}

function backendOf(from: Json, path: string): Backend {
  if (!isJsonObject(from)) throw invalid(path, 'is not an object');
  const caFile = getOwn(from, 'caFile') ?? '';
  if (typeof caFile !== 'string') throw invalid(`${path}.caFile`, 'is not a path');
  return {
    url: urlOf(from, path),
    ...(caFile === '' ? {} : { caFile }),
    timeoutMs: durationAt(from, 'timeout', path) ?? TIMEOUT_MS,
    retryCount: retriesOf(from, path),
    retryIntervalMs: durationAt(from, 'retryInterval', path) ?? RETRY_INTERVAL_MS,
  };
}

function retriesOf(from: JsonObject, path: string): number {
  const retries = getOwn(from, 'retryCount') ?? RETRIES;
  if (typeof retries !== 'number' || retries < 0 || !Number.isInteger(retries))
    throw invalid(`${path}.retryCount`, 'is not a whole number');
  return retries;
}

function urlOf(from: JsonObject, path: string): URL {
  const url = getOwn(from, 'url');
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !['http:', 'https:'].includes(parsed.protocol))
    throw invalid(`${path}.url`, 'is not an http or https URL');
  return parsed;
}

function durationAt(from: JsonObject, key: string, path: string): number | undefined {
  const value = getOwn(from, key);
  if (value === undefined) return undefined;
  const ms = typeof value === 'string' ? parseDuration(value) : undefined;
  if (ms === undefined || ms <= 0) throw invalid(`${path}.${key}`, 'is not a duration, such as 10s');
  return ms;
}

function invalid(path: string, why: string): OperatorError {
  return new OperatorError('Usage', `the config file is invalid: ${path} ${why}`);
}
