import { ApiError, isNotFound } from '@kubewright/client';
import { defined, parseApiVersion, type Stored } from '@kubewright/kube';
import { inParallel } from '../../../kit/in-parallel.ts';
import { listSetting } from '../../../kit/list-setting.ts';
import type { CommandCall, CommandStage } from '../../../kit/operator.ts';
import type { MigrationPlan } from '../../decide/migration-plan.ts';
import { ownClaim, readManagedFields } from '../../read-managed-fields.ts';
import { findScaled, type IsScaled } from './autoscaled.ts';
import { planRecorded, type RecordedOptions } from './plan-recorded.ts';
import type { RecordedObject, ToolRecord } from './tool-record.ts';

/** An object of a record as the server has it, and what is planned for it. */
export type PlannedObject = {
  readonly object: RecordedObject;
  readonly live: Stored;
  readonly plan: MigrationPlan;
};

/** The plans for all objects of a record. */
export type RecordPlan = {
  readonly record: ToolRecord;
  readonly manager: string;
  readonly objects: readonly PlannedObject[];
  /** Objects that could not be read, and why. */
  readonly unread: readonly string[];
  /** Plans again, of a newer version of one object. */
  readonly planAgain: (object: RecordedObject, live: Stored) => MigrationPlan;
};

type Options = CommandCall['options'];
type Found = { readonly object: RecordedObject; readonly live: Stored };

/** Reads every object of a record, and plans. Writes nothing. */
export async function planRecord(
  record: ToolRecord,
  options: Options,
  stage: CommandStage,
): Promise<RecordPlan> {
  const { found, unread } = await readAll(record, stage);
  const namespaces = new Set(found.flatMap(({ live }) => live.metadata.namespace ?? []));
  const isScaled = await findScaled(stage.client, [...namespaces], stage.signal);
  const manager = options['to'] ?? managerOf(record, found);
  const planAgain = (object: RecordedObject, live: Stored): MigrationPlan =>
    planRecorded(live, object, optionsFor(live, manager, isScaled, options));
  return {
    record,
    manager,
    objects: found.map(({ object, live }) => ({ object, live, plan: planAgain(object, live) })),
    unread,
    planAgain,
  };
}

/** `Deployment shop/web`. */
export function objectTitle({ kind, namespace, name }: Omit<RecordedObject, 'earlier'>): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

async function readAll(
  { objects }: ToolRecord,
  { client, signal, progress }: CommandStage,
): Promise<{ readonly found: readonly Found[]; readonly unread: readonly string[] }> {
  const unread: string[] = [];
  let done = 0;
  const read = await inParallel(objects, async (object): Promise<readonly Found[]> => {
    progress(`${++done} of ${objects.length} objects`);
    const { apiVersion, kind, namespace, name } = object;
    const ref = { ...parseApiVersion(apiVersion), kind };
    try {
      return [{ object, live: await client.get(ref, defined({ namespace, name }), { signal }) }];
    } catch (error) {
      if (!(error instanceof ApiError) || error.code === 0) throw error;
      const why = isNotFound(error) ? 'is not there' : error.message;
      unread.push(`${objectTitle(object)}: ${why}`);
      return [];
    }
  });
  return { found: read.flat(), unread: unread.toSorted() };
}

/** The tool's name that applies one of the objects; else the usual one. */
function managerOf({ managers }: ToolRecord, found: readonly Found[]): string {
  const applies = (manager: string): boolean =>
    found.some(({ live }) => ownClaim(readManagedFields(live).claims, manager) !== undefined);
  return managers.find(applies) ?? managers[0] ?? '';
}

function optionsFor(
  live: Stored,
  manager: string,
  isScaled: IsScaled,
  { from, shared }: Options,
): RecordedOptions {
  return { manager, from: listSetting(from), isShared: shared === 'true', isScaled: isScaled(live) };
}
