import { ApiError, type Client } from '@kubewright/client';
import { corev1, type Status } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { at, timeAt } from '../testing/requests.ts';
import { finish, isFinished } from './finish.ts';
import { NAMES } from './names.ts';
import { readLive } from './read-live.ts';

const status = (code: number, reason: string): Status => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  code,
  reason,
  message: reason,
});

/** What a read makes of the server's rejection. */
async function readWith(code: number, reason: string): Promise<unknown> {
  const get: Client['get'] = () => Promise.reject(new ApiError(status(code, reason)));
  const { signal } = new AbortController();
  return readLive({ client: { get } as Client, signal }, corev1.persistentvolumeclaims, { name: 'data' });
}

describe('a read that a final decision rests on', () => {
  test.each([
    [404, 'NotFound', 'absent'],
    [403, 'Forbidden', 'forbidden'],
  ])('CAP-6 %i is an answer', async (code, reason, type) => {
    expect(await readWith(code, reason)).toEqual({ type, message: reason });
  });

  test.each([
    [500, 'InternalError'],
    [429, 'TooManyRequests'],
    [504, 'Timeout'],
    [0, 'ConnectionFailed'],
  ])('CAP-7 %i is none: nothing is decided, and the queue tries again', async (code, reason) => {
    await expect(readWith(code, reason)).rejects.toThrow(reason);
  });
});

describe('the end of a request', () => {
  const outcome = { succeeds: true, reason: 'Completed', message: 'all' };

  test('is the time and one condition, written together', () => {
    const ended = finish({}, outcome, at(5)).status ?? {};
    expect(ended).toEqual({
      completionTimestamp: timeAt(5),
      conditions: [
        { type: 'Ready', status: 'True', reason: 'Completed', message: 'all', lastTransitionTime: timeAt(5) },
      ],
    });
    expect(isFinished(ended)).toBe(true);
  });

  test('Processing does not end it', () => {
    const ready = {
      type: 'Ready',
      status: 'False',
      reason: 'Processing',
      message: '',
      lastTransitionTime: timeAt(1),
    } as const;
    expect(isFinished({ conditions: [ready] })).toBe(false);
    expect(finish({ conditions: [ready] }, outcome, at(5)).status?.conditions).toHaveLength(1);
  });
});

test('CAP-87 CAP-D13 names follow from uids alone', () => {
  expect(NAMES.manifestKeeper('11111111-1111-1111-1111-111111111111')).toBe('nss-ok-bafde89c041e1756');
  expect(NAMES.checkpoint('aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee')).toBe('nss-mcp-9af645a8fef33e6d');
  const uid = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee';
  for (const nameOf of [
    NAMES.captureKeeper,
    NAMES.snapshotContent,
    NAMES.restoreKeeper,
    NAMES.restoreSnapshot,
  ])
    expect(nameOf(uid).length).toBeLessThanOrEqual(63);
});
