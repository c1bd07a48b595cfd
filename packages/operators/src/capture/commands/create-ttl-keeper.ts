import type { Client } from '@kubewright/client';
import type { CommandCall } from '../../kit/operator.ts';
import { parseDuration } from '../../kit/parse-duration.ts';
import { OperatorError } from '../../operator-error.ts';
import { KEEPER_GROUP, VERSION } from '../api/annotations.ts';
import { OBJECT_KEEPERS, type ObjectKeeper } from '../api/object-keeper.ts';

/** The duration of `--for`, as Go writes it; days are hours. */
export function ttlIn({ for: text = '' }: CommandCall['options']): string {
  const ttl = text.replace(/^(\d{1,5})d/, (_, days: string) => `${Number(days) * HOURS_OF_DAY}h`);
  if ((parseDuration(ttl) ?? 0) > 0) return ttl;
  throw new OperatorError('Usage', `--for "${text}" is not a duration; write it like 30d, 720h or 1h30m`);
}

const HOURS_OF_DAY = 24;
/** A hundred years: a keeper has a TTL. */
const FOR_EVER = '876000h';

/** How long `--for` or `--keep` keep what was taken; undefined where there is neither. */
export function keepIn({ for: text, keep }: CommandCall['options']): string | undefined {
  if (text !== undefined && keep !== undefined)
    throw new OperatorError('Usage', '--for and --keep say different things; choose one');
  if (keep !== undefined) return FOR_EVER;
  return text === undefined ? undefined : ttlIn({ for: text });
}

/** What people read of it. */
export function durationText(ttl: string): string {
  return ttl === FOR_EVER ? 'until you delete that' : `for ${ttl}`;
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
