import { describe } from 'vitest';
import { realSide } from './real-side.ts';

/** Registers a suite that `npm test` plays whole, and `npm run test:real` again unless that has been done. */
export function describeOurs(title: string, suite: () => void): void {
  if (realSide.isAlone) describe.skip(`${title} [needs npm test, which plays it whole]`, suite);
  else describe(title, suite);
}
