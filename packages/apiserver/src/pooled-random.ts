import { randomFillSync } from 'node:crypto';

const POOL = 8192;

/** Random bytes from a pool: a system call for each uuid costs more than making the rest of the object. */
export function pooledRandom(): (size: number) => Uint8Array {
  let pool = Buffer.alloc(0);
  return (size) => {
    if (size > POOL) return randomFillSync(Buffer.alloc(size));
    if (pool.length < size) pool = randomFillSync(Buffer.alloc(POOL));
    const bytes = pool.subarray(0, size);
    pool = pool.subarray(size);
    return bytes;
  };
}
