import { describe, expect, it } from 'vitest';
import { detach } from './detach.ts';

describe('work that nobody awaits', () => {
  const failures = async (work: () => unknown): Promise<unknown[]> => {
    const found: unknown[] = [];
    detach(work, (error) => {
      found.push(error);
      throw error;
    });
    await Promise.resolve();
    await Promise.resolve();
    return found;
  };

  it('reports what it throws and what it rejects with, even where the report fails, and nothing else', async () => {
    const thrown = new TypeError('thrown');
    expect(await failures(() => Promise.reject(thrown))).toEqual([thrown]);
    expect(
      await failures(() => {
        throw thrown;
      }),
    ).toEqual([thrown]);
    expect(await failures(() => Promise.resolve(1))).toEqual([]);
    expect(await failures(() => 1)).toEqual([]);
  });
});
