import type { Environment } from '../kit/operator.ts';
import { OperatorError } from '../operator-error.ts';
import { SECRET_POLICIES, type SecretPolicy } from './api/manifest-capture-request.ts';
import { parseDuration } from '../kit/parse-duration.ts';
import { MAX_CHUNK_BYTES, MIN_CHUNK_BYTES } from './api/content-chunk.ts';

/** The settings of the process. */
export type Settings = {
  /** Milliseconds that a finished request is kept; undefined: forever. */
  readonly requestTtl: number | undefined;
  /** Milliseconds between two reads of a followed object. */
  readonly keeperSyncPeriod: number;
  /** For requests without `spec.secrets`. */
  readonly secrets: SecretPolicy;
  /** The most bytes of gzip in a chunk. */
  readonly chunkBytes: number;
  /** Path of the file with the keys that encrypt Secrets. */
  readonly keyFile: string | undefined;
};

const REQUEST_TTL_MS = 600_000;
const SYNC_PERIOD_MS = 60_000;
/** A shorter period loads the server; the longest delay of a Node.js timer is 24 days. */
const [SHORTEST_PERIOD_MS, LONGEST_PERIOD_MS] = [1000, 86_400_000];

/** Throws for invalid values: a wrong policy would lose data, or store Secrets. */
export function readSettings(env: Environment): Settings {
  const keyFile = env['CAPTURE_KEY_FILE'] === '' ? undefined : env['CAPTURE_KEY_FILE'];
  return {
    requestTtl: ttlSetting(env['REQUEST_TTL']),
    keeperSyncPeriod: periodSetting(env['KEEPER_SYNC_PERIOD']),
    secrets: secretsSetting(env['CAPTURE_SECRETS'], keyFile),
    chunkBytes: chunkSetting(env['CAPTURE_CHUNK_BYTES']),
    keyFile,
  };
}

function ttlSetting(text = ''): number | undefined {
  if (text === '') return REQUEST_TTL_MS;
  const ttl = parseDuration(text);
  if (ttl === undefined)
    throw new OperatorError(
      'Usage',
      `REQUEST_TTL "${text}" is not a duration; write it like 10m or 1h30m, or 0 to keep requests forever`,
    );
  return ttl > 0 ? ttl : undefined;
}

function periodSetting(text = ''): number {
  if (text === '') return SYNC_PERIOD_MS;
  const period = parseDuration(text);
  if (period !== undefined && period >= SHORTEST_PERIOD_MS && period <= LONGEST_PERIOD_MS) return period;
  throw new OperatorError('Usage', `KEEPER_SYNC_PERIOD "${text}" is not a duration from 1s to 24h`);
}

function secretsSetting(text = '', keyFile?: string): SecretPolicy {
  if (text === '') return 'Include';
  const policy = SECRET_POLICIES.find((known) => known === text);
  if (policy === 'Encrypt' && keyFile === undefined)
    throw new OperatorError('Usage', 'CAPTURE_SECRETS "Encrypt" needs keys: set CAPTURE_KEY_FILE');
  if (policy !== undefined) return policy;
  throw new OperatorError('Usage', `CAPTURE_SECRETS "${text}" is not one of ${SECRET_POLICIES.join(', ')}`);
}

function chunkSetting(text = ''): number {
  if (text === '') return MAX_CHUNK_BYTES;
  const bytes = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (bytes >= MIN_CHUNK_BYTES && bytes <= MAX_CHUNK_BYTES) return bytes;
  const range = `${MIN_CHUNK_BYTES} to ${MAX_CHUNK_BYTES}`;
  throw new OperatorError('Usage', `CAPTURE_CHUNK_BYTES "${text}" is not a number of bytes from ${range}`);
}
