const { KUBEWRIGHT_REAL: real } = process.env;

/** How far suites run on a real control plane, beside the embedded one. */
export const realSide = {
  /** `npm run test:real`: without it they fail, and those that have more to play than in `npm test` play it. */
  isRequired: real === 'required' || real === 'only',
  /** `KUBEWRIGHT_REAL=only npm run test:real`, beside an `npm test`: what that plays is not played again. */
  isAlone: real === 'only',
} as const;
