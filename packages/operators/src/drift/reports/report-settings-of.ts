import { defined, getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from '@kubewright/kube';
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
  /** Addition: `slack` posts messages for an incoming webhook of Slack. Default: DriftReports. */
  readonly format?: 'slack';
  /** Addition: has the secret that reports are signed with, see {@link signatureHeaders}. */
  readonly secretFile?: string;
};

/** What a config file says of reports. */
export type ReportSettings = {
  readonly backends: readonly Backend[];
  /** Addition: the folder in which reports wait until they are acknowledged. Default: none, only in memory. */
  readonly outbox?: string;
};

const TIMEOUT_MS = 10_000;
const RETRIES = 3;
const RETRY_INTERVAL_MS = 1000;

/** `backends` and `outbox` of a config file. Of a backend only `url` is needed. */
export function reportSettingsOf(config: Json): ReportSettings {
  if (config === null) return { backends: [] };
  if (!isJsonObject(config)) throw invalid('it', 'is not an object');
  const list = getOwn(config, 'backends') ?? [];
  if (!isJsonArray(list)) throw invalid('backends', 'is not a list');
  const outbox = pathAt(config, 'outbox', '');
  return { backends: list.map((one, index) => backendOf(one, `backends[${index}]`)), ...defined({ outbox }) };
}

function backendOf(from: Json, path: string): Backend {
  if (!isJsonObject(from)) throw invalid(path, 'is not an object');
  const caFile = pathAt(from, 'caFile', path);
  const secretFile = pathAt(from, 'secretFile', path);
  return {
    url: urlOf(from, path),
    timeoutMs: durationAt(from, 'timeout', path) ?? TIMEOUT_MS,
    retryCount: retriesOf(from, path),
    retryIntervalMs: durationAt(from, 'retryInterval', path) ?? RETRY_INTERVAL_MS,
    ...defined({ caFile, secretFile, format: formatOf(from, path) }),
  };
}

function pathAt(from: JsonObject, key: string, path: string): string | undefined {
  const value = getOwn(from, key) ?? '';
  if (typeof value !== 'string') throw invalid(path === '' ? key : `${path}.${key}`, 'is not a path');
  return value === '' ? undefined : value;
}

function formatOf(from: JsonObject, path: string): 'slack' | undefined {
  const format = getOwn(from, 'format') ?? 'report';
  if (format !== 'report' && format !== 'slack') throw invalid(`${path}.format`, 'is not report or slack');
  return format === 'slack' ? format : undefined;
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
