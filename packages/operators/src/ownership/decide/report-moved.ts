import { formatPath, type Path } from '@kubewright/kube/fields';
import type { OwnershipReport } from '../api.ts';
import { type Owner, describeOwner } from '../read-managed-fields.ts';
import type { MigrationPlan, Move, LeftField } from './migration-plan.ts';
import { describeLeft } from './shared-field.ts';

/** Bounds the status: an object may have thousands of shared fields. */
const LIMIT = 20;

/** Ownership was moved to us. */
export function reportMoved(moves: readonly Move[]): OwnershipReport {
  const owners = moves.flatMap(({ from }) => from);
  const paths = moves.map(({ path }) => path);
  const names = managersOf(owners);
  const from = names.length === 0 ? 'completed our own claim' : `moved from ${names.join(', ')}`;
  return { state: 'Moved', message: `${from}: ${listed(paths)}`, ...details(owners, paths) };
}

/** A removal is blocked, and nothing was written. */
export function reportBlocked(reason: string, message: string, plan: MigrationPlan): OwnershipReport {
  const parts = partsOf(plan);
  return { state: 'Blocked', reason, message, ...details(parts.owners, parts.paths) };
}

/** What would be moved, in mode `observe`. */
export function reportObserved(plan: MigrationPlan): OwnershipReport | undefined {
  const { owners, paths } = partsOf(plan);
  if (paths.length === 0) return undefined;
  return {
    state: 'Observed',
    message: `would move from ${managersOf(owners).join(', ')}: ${listed(paths)}`,
    ...details(owners, paths),
  };
}

/** What is still shared because it may not be moved; otherwise the previous report. */
export function reportLeft(
  left: readonly LeftField[],
  previous: { readonly ownership?: OwnershipReport },
): OwnershipReport | undefined {
  if (left.length > 0) {
    const owners = left.flatMap((field) => field.owners);
    const paths = left.map(({ path }) => path);
    const shown = left.slice(0, LIMIT).map((field) => describeLeft(field));
    return { state: 'Left', message: shown.join('; '), ...details(owners, paths) };
  }
  const { ownership } = previous;
  // It cannot be found again: the apply has removed our own ownership of it.
  return ownership?.state === 'Moved' || ownership?.state === 'Left' ? ownership : undefined;
}

function partsOf(plan: MigrationPlan): {
  readonly owners: readonly Owner[];
  readonly paths: readonly Path[];
} {
  const moves = plan.kind === 'rewrite' ? plan.moves : [];
  return {
    owners: [...moves.flatMap(({ from }) => from), ...plan.left.flatMap(({ owners }) => owners)],
    paths: [...moves.map(({ path }) => path), ...plan.left.map(({ path }) => path)],
  };
}

function details(
  owners: readonly Owner[],
  paths: readonly Path[],
): Pick<OwnershipReport, 'managers' | 'paths'> {
  return {
    managers: managersOf(owners).slice(0, LIMIT),
    paths: paths.slice(0, LIMIT).map((path) => formatPath(path)),
  };
}

function managersOf(owners: readonly Owner[]): readonly string[] {
  return [...new Set(owners.map((owner) => describeOwner(owner)))];
}

function listed(paths: readonly Path[]): string {
  const shown = paths.slice(0, LIMIT).map((path) => formatPath(path));
  return paths.length > LIMIT ? `${shown.join(', ')} and ${paths.length - LIMIT} more` : shown.join(', ');
}
