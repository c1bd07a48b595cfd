import { defined, type Json } from '@kubewright/kube';
import { formatPath } from '@kubewright/kube/fields';
import { type Paint, printable } from '../../../kit/paint.ts';
import type { MigrationPlan } from '../../decide/migration-plan.ts';
import { rewritePatch } from '../../decide/rewrite.ts';
import { describeLeft } from '../../decide/shared-field.ts';
import { describeOwner, readManagedFields } from '../../read-managed-fields.ts';
import { splitOwnership } from '../scan/split-ownership.ts';
import { moveText } from '../take-over/describe-take-over.ts';
import { objectTitle, type PlannedObject, type RecordPlan } from './plan-record.ts';

/** A plan for people. */
export function describeRecordPlan(planned: RecordPlan, paint: Paint): string {
  const { record, objects, unread, manager } = planned;
  return [
    paint('bold', printable(record.title)),
    ...objects.flatMap((object) => linesOf(object, manager, paint)),
    ...unread.map((line) => `${paint('yellow', 'not read')} ${printable(line)}`),
    ...record.notes.map((note) => `${paint('yellow', 'note')} ${printable(note)}`),
    ...summaryOf(planned),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function linesOf({ object, plan }: PlannedObject, manager: string, paint: Paint): readonly string[] {
  const lines = [
    ...(plan.kind === 'blocked' ? [paint('red', `blocked: ${printable(plan.message)}`)] : []),
    ...movesOf(plan).map((move) => printable(moveText(move, manager))),
    ...plan.left.map((field) => paint('yellow', `stays: ${printable(describeLeft(field))}`)),
  ];
  return lines.length === 0 ? [] : [printable(objectTitle(object)), ...lines.map((line) => `  ${line}`)];
}

function summaryOf(planned: RecordPlan): readonly string[] {
  const { record, objects, manager } = planned;
  const moved = objects.filter(({ plan }) => plan.kind === 'rewrite');
  const shared = sharedObjects(planned);
  const more =
    shared === 0
      ? []
      : [
          `${manager} applies fields of ${counted(shared, 'object')} that Update entries of others own too, so that they would stay when it drops them: --shared moves these claims, too`,
        ];
  const given = record.objects.some(({ manifest }) => manifest !== undefined)
    ? []
    : [
        'what it applied before is not recorded: --from MANAGER moves what such an Update entry owns and it does not apply',
      ];
  if (moved.length === 0)
    return [`nothing to move in ${counted(objects.length, 'object')}`, ...given, ...more];
  const fields = moved.reduce((sum, { plan }) => sum + movesOf(plan).length, 0);
  return [
    `${counted(fields, 'claim')} to move on ${moved.length} of ${counted(objects.length, 'object')}; the next ${record.next} then removes what was dropped`,
    ...more,
  ];
}

/** Objects of which an `Update` entry of somebody else owns what the tool applies, and no move is planned for that. */
function sharedObjects({ objects, manager }: RecordPlan): number {
  return objects.filter(({ live, plan }) => {
    const { claims } = readManagedFields(live);
    const moved = new Set(movesOf(plan).map(({ path }) => JSON.stringify(path)));
    return splitOwnership(claims).some(
      ({ applier, other, shared }) =>
        applier.manager === manager &&
        other.operation === 'Update' &&
        other.subresource === '' &&
        [...shared.paths()].some((path) => !moved.has(JSON.stringify(path))),
    );
  }).length;
}

/** The JSON output. */
export function recordPlanFindings({ record, manager, objects, unread }: RecordPlan): Record<string, Json> {
  return {
    record: record.title,
    manager,
    objects: objects.map(({ object, live, plan }) => {
      const { apiVersion, kind, namespace, name } = object;
      return defined({
        object: defined({ apiVersion, kind, namespace, name }),
        result: RESULTS[plan.kind],
        message: plan.kind === 'blocked' ? plan.message : undefined,
        moves: movesOf(plan).map(({ path, from }) => ({
          path: formatPath(path),
          from: from.map(describeOwner),
        })),
        left: plan.left.map(({ path, owners, why }) => ({
          path: formatPath(path),
          owners: owners.map(describeOwner),
          why,
        })),
        patch:
          plan.kind === 'rewrite'
            ? [...rewritePatch(plan.rewrite, live.metadata.resourceVersion)]
            : undefined,
      });
    }),
    unread: [...unread],
    notes: [...record.notes],
  };
}

const RESULTS = { nothing: 'NothingToMove', blocked: 'Blocked', rewrite: 'Move' } as const;

function movesOf(plan: MigrationPlan): Extract<MigrationPlan, { kind: 'rewrite' }>['moves'] {
  return plan.kind === 'rewrite' ? plan.moves : [];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
