import type { Stored } from '@kubewright/kube';
import type { FieldSet, Path } from '@kubewright/kube/fields';
import type { MigrationPolicy } from '../migration-policy.ts';
import type { Owner } from '../read-managed-fields.ts';
import type { Rewrite } from './rewrite.ts';

/** The input of a plan, all read at the same moment. */
export type PlanInput = {
  readonly live: Stored;
  /** The field manager that applies. */
  readonly manager: string;
  /** The apiVersion of its applies. */
  readonly apiVersion: string;
  /** The field set that the manager would own after applying the manifest. */
  readonly desired: FieldSet;
  /** What it owned after its last apply, whatever became of that since. Default: only what it owns now. */
  readonly applied?: FieldSet;
  /** Fields that are left to their owners: never moved, and no removals. */
  readonly delegated?: readonly Path[];
  /** The result of the dry-run apply; undefined if the server rejected it. */
  readonly dryRun: Stored | undefined;
  readonly policy: MigrationPolicy;
};

/** Whether a path is at or below one that is left to its owners. */
export function isDelegated(path: Path, { delegated = [] }: PlanInput): boolean {
  return delegated.some((root) => root.every((element, index) => element === path[index]));
}

/** One path whose ownership is moved to us. `from` is empty if only our own entry is completed. */
export type Move = { readonly path: Path; readonly from: readonly Owner[] };

/**
 * Ownership that blocks a removal and is left in place. `Below`: other managers own fields below a struct that we no
 * longer apply, which keeps the struct.
 */
export type LeftField = {
  readonly path: Path;
  readonly owners: readonly Owner[];
  readonly why:
    | 'Protected'
    | 'OutOfScope'
    | 'Subresource'
    | 'Unlisted'
    | 'OtherVersion'
    | 'Below'
    | WantedByOthers;
};

/** In a plan from a tool's record: why a field that the tool has dropped is not the tool's to remove. */
type WantedByOthers = 'Applied' | 'Changed' | 'Scaled';

/** Why nothing may be written, neither the rewrite nor the apply. */
export type BlockReason = 'Unlisted' | 'OtherVersion' | 'Undecodable' | 'Collateral' | 'Prune' | 'Immutable';

export type MigrationPlan = { readonly left: readonly LeftField[] } & (
  | { readonly kind: 'nothing' }
  | { readonly kind: 'blocked'; readonly reason: BlockReason; readonly message: string }
  | {
      readonly kind: 'rewrite';
      readonly rewrite: Rewrite;
      readonly moves: readonly Move[];
      /** Who is to own it; absent: we. */
      readonly to?: Owner;
      /** The apply does without: it needs none of these moves. */
      readonly isOptional?: boolean;
    }
);
