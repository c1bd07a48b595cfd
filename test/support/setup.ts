import { configureGlobal } from 'fast-check';
import { runs, seed } from './seeds.ts';

// A property that fails prints the seed: KUBEWRIGHT_SEED=… plays it again.
configureGlobal({ seed, numRuns: runs(100) });
