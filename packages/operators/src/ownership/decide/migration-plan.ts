import type { Stored } from '@kubewright/kube';
import type { FieldSet, Path } from '@kubewright/kube/fields';
import type { MigrationPolicy } from '../migration-policy.ts';
import type { Owner } from '../read-managed-fields.ts';
import type { Rewrite } from './rewrite.ts';

/** What a plan is made from, all of one moment. */
export type PlanInput = {
  readonly live: Stored;
  /** The field manager that applies. */
  readonly manager: string;
  /** The version at which it applies. */
  readonly apiVersion: string;
  /** The set that applying the desired manifest gives the manager. */
  readonly desired: FieldSet;
  /** What the apply would make of the object; undefined when the server refused the dry run. */
  readonly dryRun: Stored | undefined;
  readonly policy: MigrationPolicy;
};

/** One path whose claims are moved to us. `from` is empty when only our own claim is completed. */
export type Move = { readonly path: Path; readonly from: readonly Owner[] };

/**
 * Claims that stand in the way of a removal and are left where they are.
 * `Below`: below a struct that we give up as a whole, others keep claims that keep the struct alive.
 */
export type LeftField = {
  readonly path: Path;
  readonly owners: readonly Owner[];
  readonly why: 'Protected' | 'OutOfScope' | 'Subresource' | 'Unlisted' | 'OtherVersion' | 'Below';
};

/** Why nothing may be written, neither the rewrite nor the apply. */
export type BlockReason = 'Unlisted' | 'OtherVersion' | 'Undecodable' | 'Collateral' | 'Prune';

export type MigrationPlan = { readonly left: readonly LeftField[] } & (
  | { readonly kind: 'nothing' }
  | { readonly kind: 'blocked'; readonly reason: BlockReason; readonly message: string }
  | { readonly kind: 'rewrite'; readonly rewrite: Rewrite; readonly moves: readonly Move[] }
);
