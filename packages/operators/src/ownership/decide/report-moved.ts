import { formatPath, type Path } from '@kubewright/kube/fields';
import type { OwnershipReport } from '../api.ts';
import { type Owner, describeOwner } from '../read-managed-fields.ts';
import type { MigrationPlan, Move, LeftField } from './migration-plan.ts';
import { describeLeft } from './shared-field.ts';

/** Bounds the status: an object may have thousands of shared fields. */
const LIMIT = 20;

/** The reason of what a webhook puts back. */
const RESTORED = 'Restored';

/** How often in a row the same may be moved from an applier. */
const MOVES = 3;

/** Ownership was moved to us, or to `to`; `before` is the report until then. */
export function reportMoved(moves: readonly Move[], before?: OwnershipReport, to?: Owner): OwnershipReport {
  const owners = moves.flatMap(({ from }) => from);
  const paths = moves.map(({ path }) => path);
  const names = managersOf(owners);
  const from = names.length === 0 ? 'completed our own claim' : `moved from ${names.join(', ')}`;
  if (to !== undefined) {
    const message = `released to ${describeOwner(to)}: ${listed(paths)}`;
    return { state: 'Moved', message, ...details([to], paths) };
  }
  const message =
    paths.length === 0 ? 'owns what the manifest has, which nobody did' : `${from}: ${listed(paths)}`;
  const times = isRepeated(moves, before) ? { times: (before?.times ?? 1) + 1 } : {};
  return { state: 'Moved', message, ...details(owners, paths), ...times };
}

/** Whether these are the moves that were reported last. */
function isRepeated(moves: readonly Move[], before: OwnershipReport | undefined): boolean {
  const now = details(
    moves.flatMap(({ from }) => from),
    moves.map(({ path }) => path),
  );
  return before !== undefined && keyOf(now) === keyOf(before);
}

function keyOf({ managers = [], paths = [] }: Pick<OwnershipReport, 'managers' | 'paths'>): string {
  return JSON.stringify([managers, paths]);
}

/**
 * The report that another applier claims again what was moved, each time: to move it once more would change nothing.
 * Undefined: it is moved. It stays so until something else is to be moved, or the slice changes.
 */
export function reportContested(
  moves: readonly Move[],
  before: OwnershipReport | undefined,
): OwnershipReport | undefined {
  const isLimit = before?.state === 'Contested' || (before?.state === 'Moved' && before.times === MOVES);
  const owners = moves.flatMap(({ from }) => from);
  if (!isLimit || !isRepeated(moves, before) || !owners.some(({ operation }) => operation === 'Apply'))
    return undefined;
  const paths = moves.map(({ path }) => path);
  const message = `${managersOf(owners).join(', ')} claimed again what was moved ${MOVES} times: ${listed(paths)}; it stays shared until its manifest leaves it out`;
  return { state: 'Contested', message, ...details(owners, paths) };
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
  if (ownership === undefined || isOfRestored(ownership)) return undefined;
  return ownership.state === 'Moved' || ownership.state === 'Left' ? ownership : undefined;
}

/** The manifest dropped these labels and annotations, and a mutating webhook puts them back. */
export function reportRestored(paths: readonly Path[]): OwnershipReport {
  const message = `${listed(paths)}: a mutating admission webhook puts back what the manifest dropped`;
  return { state: 'Left', reason: RESTORED, message, ...details([], paths) };
}

/** Whether a report is one of those: it does not outlast its cause. */
export function isOfRestored({ reason }: OwnershipReport): boolean {
  return reason === RESTORED;
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
