import { some } from '../support/seeds.ts';

const { KUBEWRIGHT_REAL: real } = process.env;

/** How far suites run on a real control plane, beside the embedded one. */
export const realSide = {
  /** `npm run test:real`: without it they fail, and those that have more to play than in `npm test` play it. */
  isRequired: real === 'required' || real === 'only',
  /** `KUBEWRIGHT_REAL=only npm run test:real`, beside an `npm test`: what that plays is not played again. */
  isAlone: real === 'only',
} as const;

/**
 * Of the parts of a suite that takes long: `few` in `npm test`, others for another seed, and in `npm run test:real` all, on both sides
 * if the suite is registered with `longer`.
 */
export function fewUnlessReal<T>(few: number, all: readonly T[]): readonly T[] {
  return realSide.isRequired ? all : some(few, all);
}

/** Why what takes long is not tried in `.ci/run`, which has to end in time; undefined elsewhere. */
export const notInCi = process.env['CI'] === 'true' ? 'is for npm run test:real by hand' : undefined;
