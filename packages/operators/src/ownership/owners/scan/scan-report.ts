import { compareText, defined, type Json } from '@kubewright/kube';
import { type Owner } from '../../read-managed-fields.ts';
import type { FoundSplit, KindScan, LeftoverObject, SplitObject, UnreadableObject } from './scan-kind.ts';

/** Two managers, and all objects that they share. */
export type ManagerPair = {
  readonly applier: Owner;
  readonly other: Owner;
  readonly objects: readonly SplitObject[];
};

/** A kind that could not be listed. */
export type SkippedKind = { readonly kind: string; readonly problem: string };

/** The result of a scan. Pairs with the most objects come first. */
export type ScanReport = {
  readonly kinds: number;
  readonly objects: number;
  readonly split: number;
  readonly pairs: readonly ManagerPair[];
  readonly unreadable: readonly UnreadableObject[];
  readonly leftovers: readonly LeftoverObject[];
  readonly skipped: readonly SkippedKind[];
};

/** Groups what was found in each kind by pair of managers. */
export function scanReport(scans: readonly KindScan[], skipped: readonly SkippedKind[]): ScanReport {
  const pairs = new Map<string, { first: FoundSplit; objects: SplitObject[] }>();
  for (const found of scans.flatMap(({ splits }) => splits)) {
    const { applier, other, object } = found;
    const key = JSON.stringify([applier.manager, other.manager, other.operation, other.subresource]);
    const pair = pairs.get(key);
    if (pair === undefined) pairs.set(key, { first: found, objects: [object] });
    else pair.objects.push(object);
  }
  return {
    kinds: scans.length,
    objects: sum(scans.map(({ objects }) => objects)),
    split: sum(scans.map(({ split }) => split)),
    pairs: [...pairs]
      .toSorted(([a, one], [b, two]) => two.objects.length - one.objects.length || compareText(a, b))
      .map(([, { first, objects }]) => ({ applier: first.applier, other: first.other, objects })),
    unreadable: scans.flatMap(({ unreadable }) => unreadable),
    leftovers: scans.flatMap(({ leftovers }) => leftovers),
    skipped,
  };
}

/** The JSON output of `kubewright owners scan`. */
export function scanFindings({ pairs, unreadable, leftovers, skipped, ...counts }: ScanReport): Json {
  return {
    ...counts,
    pairs: pairs.map(({ applier, other, objects }) => ({
      applier: applier.manager,
      other: defined({
        manager: other.manager,
        operation: other.operation,
        subresource: other.subresource === '' ? undefined : other.subresource,
      }),
      objects: objects.map(({ record: _record, ...object }) => object),
    })),
    unreadable: unreadable.map((entry) => ({ ...entry })),
    leftovers: leftovers.map((entry) => ({ ...entry })),
    skipped: skipped.map((entry) => ({ ...entry })),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
