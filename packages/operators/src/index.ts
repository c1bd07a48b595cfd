export type * from './decision.ts';
export type { Claim, Claimant, Claims, UndecodableEntry } from './ownership/decide/claims.ts';
export { describeClaimant, identityOf, ownClaim, readClaims } from './ownership/decide/claims.ts';
export { describeObstacle } from './ownership/decide/blockers.ts';
export type * from './ownership/decide/plan.ts';
export { planMinimal } from './ownership/decide/plan-minimal.ts';
export * from './ownership/policy.ts';
export * from './ownership/constants.ts';
