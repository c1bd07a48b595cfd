import { describe, expect, test } from 'vitest';
import { at, requestMeta, timeAt } from '../testing/requests.ts';
import { readSettings } from '../settings.ts';
import { decide } from './decide.ts';

const TTL = 600_000;
const request = (completionTimestamp?: string) => ({
  apiVersion: 'v1',
  kind: 'Any',
  metadata: requestMeta('any'),
  ...(completionTimestamp === undefined ? {} : { status: { completionTimestamp } }),
});

describe('a finished request', () => {
  test.each([
    ['CAP-109 exactly one TTL ago', 600, { reason: 'Kept', requeueAfter: 1 }],
    ['CAP-109 a second more', 601, { reason: 'Expired', action: { type: 'delete' } }],
    ['just now', 0, { reason: 'Kept', requeueAfter: 600_001 }],
    ['CAP-116 in an hour, by another clock', -3600, { reason: 'CompletedInFuture', requeueAfter: 4_200_001 }],
  ])('%s', (_title, seconds, expected) => {
    expect(decide(request(timeAt(0)), TTL, at(seconds))).toMatchObject(expected);
  });

  test.each(['1s', '1000h'])('CAP-111 an annotation that says %s is ignored', (ttl) => {
    const { metadata, ...rest } = request(timeAt(0));
    const annotations = {
      'storage.deckhouse.io/ttl': ttl,
      'storage-foundation.deckhouse.io/ttl': ttl,
      'state-snapshotter.deckhouse.io/ttl': ttl,
    };
    const annotated = { ...rest, metadata: { ...metadata, annotations } };
    expect(decide(annotated, TTL, at(600)).reason).toBe('Kept');
    expect(decide(annotated, TTL, at(601)).action).toEqual({ type: 'delete', request: annotated });
  });

  test('CAP-110 one that is not finished never expires', () => {
    expect(decide(request(), TTL, at(86_400))).toEqual({ reason: 'NotFinished' });
  });
});

test('CAP-117 the process says how long: 0 is for ever', () => {
  expect(readSettings({}).requestTtl).toBe(600_000);
  expect(readSettings({ REQUEST_TTL: '1h30m' }).requestTtl).toBe(5_400_000);
  expect(readSettings({ REQUEST_TTL: '0' }).requestTtl).toBeUndefined();
  expect(decide(request(timeAt(0)), undefined, at(1e6))).toEqual({ reason: 'KeptForEver' });
});

test('CAP-120 settings that cannot be read stop the process', () => {
  expect(() => readSettings({ REQUEST_TTL: 'soon' })).toThrow(/REQUEST_TTL "soon" is not a duration/);
  for (const period of ['often', '0', '-1m', '999ms', '25h'])
    expect(() => readSettings({ KEEPER_SYNC_PERIOD: period })).toThrow(/KEEPER_SYNC_PERIOD/);
  expect(readSettings({ KEEPER_SYNC_PERIOD: '30s' }).keeperSyncPeriod).toBe(30_000);
  expect(() => readSettings({ CAPTURE_SECRETS: 'Show' })).toThrow(/CAPTURE_SECRETS/);
});

test('CAP-77 CAP-D26 a chunk size that no chunk may have stops the process, and none is the default', () => {
  for (const size of ['900000', '786433', '1023', '-1', 'x', '1e5', '0x400'])
    expect(() => readSettings({ CAPTURE_CHUNK_BYTES: size }), size).toThrow(/from 1024 to 786432/);
  expect(readSettings({ CAPTURE_CHUNK_BYTES: '4096' }).chunkBytes).toBe(4096);
  for (const unset of [{}, { CAPTURE_CHUNK_BYTES: '' }]) expect(readSettings(unset).chunkBytes).toBe(786_432);
});
