import { createRequire } from 'node:module';
import type { Operator } from '@kubewright/operators';
import type { ImageScript } from '../command-options.ts';

const { resolve } = createRequire(import.meta.url);

/** The images that the demos of operators need on the nodes. */
export function demoImages(operators: readonly Operator[]): readonly ImageScript[] {
  return operators
    .flatMap(({ demo }) => Object.entries(demo?.images ?? {}))
    .map(([name, module]) => ({ name, file: resolve(module) }));
}
