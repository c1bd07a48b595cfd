import { type Condition, getCondition, setCondition } from '@kubewright/kube';
import {
  CONDITIONS,
  type InventoryEntry,
  type OwnershipReport,
  type ResourceSlice,
  type ResourceState,
} from '../api.ts';
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
  { type: CONDITIONS.failed, states: ['Failed'], otherwise: 'NothingFailed' },
] as const;

/** What is said of an object. Its reason is a word. */
type Reported = {
  readonly name: string;
  readonly state: OwnershipReport['state'] | 'Failed';
  readonly reason?: string | undefined;
  readonly message: string;
};

/**
 * What the slices report of shared fields, and what failed, as conditions that name the objects. One that was never true is
 * absent: most Compositions share nothing. `going` are slices of which only what they could not delete counts.
 */
export function ownershipConditions(
  before: readonly Condition[],
  slices: readonly ResourceSlice[],
  observedGeneration: number,
  now: string,
  going: readonly ResourceSlice[] = [],
): readonly Condition[] {
  const reports = [
    ...slices.flatMap((slice) => reportsOf(slice)),
    ...[...slices, ...going].flatMap((slice) => notPruned(slice)),
  ];
  return TYPES.reduce<readonly Condition[]>((conditions, { type, states, otherwise }) => {
    const found = reports.filter(({ state }) => states.some((one) => one === state));
    const [first] = found;
    if (first === undefined && getCondition(conditions, type) === undefined) return conditions;
    const reason = first === undefined ? otherwise : (first.reason ?? first.state);
    const status = first === undefined ? 'False' : 'True';
    return setCondition(
      conditions,
      { type, status, reason, message: listed(found), observedGeneration },
      now,
    );
  }, before);
}

function reportsOf(slice: ResourceSlice): readonly Reported[] {
  const present = currentStates(slice).flatMap((state, index) => {
    const manifest = slice.spec?.resources?.[index];
    return manifest === undefined ? [] : reportsIn(state, manifestName(manifest));
  });
  const released = (slice.status?.released ?? []).map((entry) => ({
    name: nameOf(entry),
    state: 'Released' as const,
    message: entry.message,
  }));
  return [...present, ...released];
}

/** What blocks or is contested has an error too, which the other conditions say. */
const EXPLAINED: ReadonlySet<string> = new Set(['Blocked', 'RolledBack', 'Contested']);

function reportsIn({ ownership, reconciliationError }: ResourceState, name: string): readonly Reported[] {
  const report = ownership === undefined ? [] : [{ ...ownership, name }];
  if (reconciliationError === undefined || EXPLAINED.has(ownership?.state ?? '')) return report;
  return [...report, { name, state: 'Failed', message: reconciliationError }];
}

function notPruned({ status }: ResourceSlice): readonly Reported[] {
  return (status?.inventory ?? []).flatMap((entry) => {
    const { error } = entry;
    return error === undefined
      ? []
      : [{ name: nameOf(entry), state: 'Failed' as const, message: `cannot be deleted: ${error}` }];
  });
}

function nameOf({ kind, namespace, name }: Pick<InventoryEntry, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

function listed(found: readonly Reported[]): string {
  const shown = found.slice(0, MAX_OBJECTS).map(({ name, message }) => short(`${name}: ${message}`));
  const more = found.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more objects`] : [])].join('\n');
}

function short(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS - 3)}...`;
}
