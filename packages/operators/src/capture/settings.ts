import type { Environment } from '../kit/operator.ts';
import { OperatorError } from '../operator-error.ts';
import { SECRET_POLICIES, type SecretPolicy } from './api/manifests.ts';
import { parseDuration } from './duration.ts';

/** What the process is told. */
export type CaptureSettings = {
  /** Milliseconds that a finished request is kept; none: for ever. */
  readonly requestTtl: number | undefined;
  /** Of requests that say nothing themselves. */
  readonly secrets: SecretPolicy;
};

const REQUEST_TTL_MS = 600_000;

/** Throws for what cannot be read: a policy that is silently another one destroys data, or keeps Secrets. */
export function captureSettings(env: Environment): CaptureSettings {
  return { requestTtl: ttlSetting(env['REQUEST_TTL']), secrets: secretsSetting(env['CAPTURE_SECRETS']) };
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

function secretsSetting(text = ''): SecretPolicy {
  if (text === '') return 'Include';
  const policy = SECRET_POLICIES.find((known) => known === text);
  if (policy !== undefined) return policy;
  throw new OperatorError('Usage', `CAPTURE_SECRETS "${text}" is none of ${SECRET_POLICIES.join(', ')}`);
}
