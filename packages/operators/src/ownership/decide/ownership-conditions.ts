import { type Condition, getCondition, setCondition } from '@kubewright/kube';
import { CONDITIONS, type OwnershipReport, type ResourceSlice } from '../api.ts';
import { manifestName } from '../read-manifest.ts';
import { currentStates } from '../slice-states.ts';

/** Bounds a message: a Composition may have thousands of objects. */
const MAX_OBJECTS = 10;
const MAX_CHARACTERS = 300;

const TYPES = [
  { type: CONDITIONS.migrated, states: ['Moved'], otherwise: 'NothingMoved' },
  { type: CONDITIONS.blocked, states: ['Blocked', 'RolledBack'], otherwise: 'NothingBlocked' },
  { type: CONDITIONS.contested, states: ['Contested'], otherwise: 'NothingContested' },
  { type: CONDITIONS.released, states: ['Released'], otherwise: 'NothingReleased' },
] as const;

type Reported = { readonly name: string; readonly report: OwnershipReport };

/**
 * What the slices report of shared fields, as conditions that name the objects. One that was never true is absent: most
 * Compositions share nothing.
 */
export function ownershipConditions(
  before: readonly Condition[],
  slices: readonly ResourceSlice[],
  observedGeneration: number,
  now: string,
): readonly Condition[] {
  const reports = slices.flatMap((slice) => reportsOf(slice));
  return TYPES.reduce<readonly Condition[]>((conditions, { type, states, otherwise }) => {
    const found = reports.filter(({ report }) => states.some((state) => state === report.state));
    const [first] = found;
    if (first === undefined && getCondition(conditions, type) === undefined) return conditions;
    const reason = first === undefined ? otherwise : (first.report.reason ?? first.report.state);
    const status = first === undefined ? 'False' : 'True';
    return setCondition(
      conditions,
      { type, status, reason, message: listed(found), observedGeneration },
      now,
    );
  }, before);
}

function reportsOf(slice: ResourceSlice): readonly Reported[] {
  const present = currentStates(slice).flatMap(({ ownership }, index) => {
    const manifest = slice.spec?.resources?.[index];
    return ownership === undefined || manifest === undefined
      ? []
      : [{ name: manifestName(manifest), report: ownership }];
  });
  const released = (slice.status?.released ?? []).map(({ kind, namespace, name, message }) => ({
    name: `${kind} ${[namespace ?? [], name].flat().join('/')}`,
    report: { state: 'Released', message } as const,
  }));
  return [...present, ...released];
}

function listed(found: readonly Reported[]): string {
  const shown = found.slice(0, MAX_OBJECTS).map(({ name, report }) => short(`${name}: ${report.message}`));
  const more = found.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more objects`] : [])].join('\n');
}

function short(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS - 3)}...`;
}
