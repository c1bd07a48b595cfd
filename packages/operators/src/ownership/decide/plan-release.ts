import { FieldSet } from '@kubewright/kube/fields';
import { type Claim, newOwner, type Owner, ownClaim, readManagedFields } from '../read-managed-fields.ts';
import { isDelegated, type MigrationPlan, type PlanInput } from './migration-plan.ts';
import { membersInScope } from './movable.ts';
import { rewriteOf } from './rewrite.ts';
import { blockedByUndecodable } from './shared-field.ts';

/** What the manifest leaves out of what we own, in scope. */
export function releasedFields(input: PlanInput): FieldSet {
  const own = ownClaim(readManagedFields(input.live).claims, input.manager);
  const released = (own?.set ?? FieldSet.EMPTY).difference(input.desired);
  const members = [...membersInScope(released, input.policy).paths()];
  return FieldSet.of(...members.filter((path) => !isDelegated(path, input)));
}

/**
 * Mode `release`: gives what we own of `fields` to the manager that the policy names, before the manifest leaves them
 * out. The apply that follows removes nothing and resets nothing to its default.
 */
export function planRelease(input: PlanInput, fields: FieldSet): MigrationPlan {
  const { claims, undecodable } = readManagedFields(input.live);
  const own = ownClaim(claims, input.manager);
  const released = own === undefined ? FieldSet.EMPTY : own.set.intersection(fields);
  if (own === undefined || released.isEmpty) return { kind: 'nothing', left: [] };
  if (undecodable.length > 0) return { kind: 'blocked', ...blockedByUndecodable(undecodable), left: [] };
  const heir = heirAmong(claims, input);
  const to: Owner = heir?.owner ?? {
    ...newOwner(input),
    manager: input.policy.releaseTo,
    operation: 'Update',
  };
  const next = [
    { owner: own.owner, set: own.set.difference(released) },
    { owner: to, set: (heir?.set ?? FieldSet.EMPTY).union(released) },
  ];
  const moves = [...released.paths()].map((path) => ({ path, from: [own.owner] }));
  return { kind: 'rewrite', rewrite: rewriteOf(claims, next), moves, to, left: [] };
}

/** An entry at another version would have the fields under other paths. */
function heirAmong(claims: readonly Claim[], { policy, apiVersion }: PlanInput): Claim | undefined {
  const own = claims.filter(
    ({ owner }) =>
      owner.manager === policy.releaseTo && owner.subresource === '' && owner.apiVersion === apiVersion,
  );
  return own.find(({ owner }) => owner.operation === 'Apply') ?? own[0];
}
