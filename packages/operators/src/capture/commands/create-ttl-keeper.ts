import type { Client } from '@kubewright/client';
import type { CommandCall } from '../../kit/operator.ts';
import { parseDuration } from '../../kit/parse-duration.ts';
import { OperatorError } from '../../operator-error.ts';
import { KEEPER_GROUP, VERSION } from '../api/annotations.ts';
import { OBJECT_KEEPERS, type ObjectKeeper } from '../api/object-keeper.ts';

/** The duration of `--for`. */
export function ttlIn({ for: ttl = '' }: CommandCall['options']): string {
  if ((parseDuration(ttl) ?? 0) > 0) return ttl;
  throw new OperatorError('Usage', `--for "${ttl}" is not a duration; write it like 720h or 1h30m`);
}

/** A keeper that follows nothing, and keeps what it owns for some time. */
export function createTtlKeeper(client: Client, generateName: string, ttl: string): Promise<ObjectKeeper> {
  return client.create(OBJECT_KEEPERS, {
    apiVersion: `${KEEPER_GROUP}/${VERSION}`,
    kind: OBJECT_KEEPERS.kind,
    metadata: { generateName },
    spec: { mode: 'TTL', ttl },
  });
}
