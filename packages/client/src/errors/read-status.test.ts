import { describe, expect, test } from 'vitest';
import { readStatus } from './read-status.ts';

describe('a Status that was sent', () => {
  test('is read whole', () => {
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'pods "a" not found',
      reason: 'NotFound',
      details: { name: 'a', kind: 'pods', causes: [{ field: 'spec', message: 'no' }], retryAfterSeconds: 1 },
      code: 404,
    } as const;
    expect(readStatus(status)).toEqual(status);
  });

  test('loses what is not of its type', () => {
    const sent = { message: { text: 'no' }, reason: 1, details: { causes: ['no', {}], uid: 7 }, code: '404' };
    expect(readStatus(sent)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      details: { causes: [{}] },
      code: 0,
    });
  });
});
