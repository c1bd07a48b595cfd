import type { Environment } from '../kit/operator.ts';
import { OperatorError } from '../operator-error.ts';
import { SECRET_POLICIES, type SecretPolicy } from './api/manifest-capture-request.ts';
import { parseDuration } from './parse-duration.ts';

/** What the process is told. */
export type Settings = {
  /** Milliseconds that a finished request is kept; none: for ever. */
  readonly requestTtl: number | undefined;
  /** Milliseconds between two looks of a keeper at what it follows. */
  readonly keeperSyncPeriod: number;
  /** Of requests that say nothing themselves. */
  readonly secrets: SecretPolicy;
};

const REQUEST_TTL_MS = 600_000;
const SYNC_PERIOD_MS = 60_000;
/** Less is a load on the server, and Node's timers hold 24 days. */
const [SHORTEST_PERIOD_MS, LONGEST_PERIOD_MS] = [1000, 86_400_000];

/** Throws for what cannot be read: a policy that is silently another one destroys data, or keeps Secrets. */
export function readSettings(env: Environment): Settings {
  return {
    requestTtl: ttlSetting(env['REQUEST_TTL']),
    keeperSyncPeriod: periodSetting(env['KEEPER_SYNC_PERIOD']),
    secrets: secretsSetting(env['CAPTURE_SECRETS']),
  };
}

function ttlSetting(text = ''): number | undefined {
  if (text === '') return REQUEST_TTL_MS;
  const ttl = parseDuration(text);
  if (ttl === undefined)
    throw new OperatorError(
      'Usage',
      `REQUEST_TTL "${text}" is no duration; write it like 10m or 1h30m, 0 for ever`,
    );
  return ttl > 0 ? ttl : undefined;
}

function periodSetting(text = ''): number {
  if (text === '') return SYNC_PERIOD_MS;
  const period = parseDuration(text);
  if (period !== undefined && period >= SHORTEST_PERIOD_MS && period <= LONGEST_PERIOD_MS) return period;
  throw new OperatorError('Usage', `KEEPER_SYNC_PERIOD "${text}" is no duration from 1s to 24h`);
}

function secretsSetting(text = ''): SecretPolicy {
  if (text === '') return 'Include';
  const policy = SECRET_POLICIES.find((known) => known === text);
  if (policy !== undefined) return policy;
  throw new OperatorError('Usage', `CAPTURE_SECRETS "${text}" is none of ${SECRET_POLICIES.join(', ')}`);
}
