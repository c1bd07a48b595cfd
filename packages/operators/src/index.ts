import type { Operator } from './kit/operator.ts';
import * as all from './operators.ts';

/** All operators. */
export const OPERATORS: readonly Operator[] = Object.values(all);

export { ownership } from './ownership/operator.ts';
export type * from './kit/operator.ts';
export * from './kit/install-objects.ts';
export * from './kit/install-operators.ts';
export * from './kit/paint.ts';
export * from './operator-error.ts';
export * from './kit/any-kind-api.ts';
export * from './ownership/api.ts';
export { type Claim, describeOwner, identityOf, type Owner, readClaims } from './ownership/decide/claims.ts';
export { act } from './ownership/act.ts';
export { addOwnership, ownershipParts } from './ownership/controller.ts';
export type { OwnershipTools } from './ownership/manifest-steps.ts';
