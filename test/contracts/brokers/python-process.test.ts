import { some } from '../../support/seeds.ts';
import { describePython } from './python-process.contract.ts';

/** One of them in `npm test`; the other one with another seed, and both in the long run. */
const PRIMARIES = some(1, [
  ['classic queues', {}],
  ['quorum queues', { 'x-queue-type': 'quorum' }],
] as const);

describePython('a Python process', { primaries: Object.fromEntries(PRIMARIES) });
