import { ApiError } from '@kubewright/client';
import { errorText, parseApiVersion } from '@kubewright/kube';
import { inParallel } from '../../../kit/in-parallel.ts';
import type { CommandCall, CommandStage } from '../../../kit/operator.ts';
import { printable } from '../../../kit/paint.ts';
import { OperatorError } from '../../../operator-error.ts';
import { writePlan } from '../take-over/write-plan.ts';
import { describeRecordPlan, recordPlanFindings } from './describe-record-plan.ts';
import { objectTitle, planRecord, type PlannedObject, type RecordPlan } from './plan-record.ts';
import { readRecord } from './read-record.ts';

type Connect = () => Promise<CommandStage>;

/** `kubewright owners plan --release NAME`: what `migrate` would write, of all objects of a record. Only reads. */
export async function planOfRecord(call: CommandCall, connect: Connect): Promise<void> {
  const { record, stage } = await readRecord(call, connect);
  const planned = await planRecord(record, call.options, stage);
  stage.print({ json: recordPlanFindings(planned), text: () => describeRecordPlan(planned, stage.paint) });
}

/**
 * `kubewright owners migrate --release NAME`: moves the claims that keep what the tool has dropped, one guarded write an
 * object. An interruption leaves each object either migrated or as it was; the command continues where it ended.
 */
export async function migrateRecorded(call: CommandCall, connect: Connect): Promise<void> {
  const { yes, dryRun } = call.options;
  const { record, stage } = await readRecord(call, connect);
  const planned = await planRecord(record, call.options, stage);
  const isPlanned = planned.objects.some(({ plan }) => plan.kind === 'rewrite');
  if (isPlanned && yes !== 'true' && dryRun === undefined) {
    stage.out(describeRecordPlan(planned, stage.paint));
    throw new OperatorError(
      'Usage',
      'nothing was written; add --yes to write this, or --dry-run=server to try it',
    );
  }
  const outcomes = dryRun === 'client' ? [] : await writeAll(planned, dryRun === 'server', stage);
  print(planned, outcomes, dryRun, stage);
}

/** What became of one object. `remaining`: not begun when the command was interrupted. */
type Outcome = {
  readonly object: string;
  readonly result: 'migrated' | 'unchanged' | 'refused' | 'remaining';
  readonly message?: string;
};

async function writeAll(
  planned: RecordPlan,
  dryRun: boolean,
  stage: CommandStage,
): Promise<readonly Outcome[]> {
  const objects = planned.objects.filter(({ plan }) => plan.kind !== 'nothing');
  let done = 0;
  return inParallel(objects, async (object) => {
    const title = objectTitle(object.object);
    if (stage.signal.aborted) return { object: title, result: 'remaining' };
    const outcome = await write(object, planned, dryRun, stage);
    stage.progress(`${++done} of ${objects.length} objects`);
    return outcome;
  });
}

async function write(
  { object, live }: PlannedObject,
  { manager, planAgain }: RecordPlan,
  dryRun: boolean,
  { client }: CommandStage,
): Promise<Outcome> {
  const title = objectTitle(object);
  const ref = { ...parseApiVersion(object.apiVersion), kind: object.kind };
  try {
    const plan = (newest: typeof live) => planAgain(object, newest);
    const written = await writePlan({ live, ref, manager, dryRun, plan }, client);
    return { object: title, result: written === undefined ? 'unchanged' : 'migrated' };
  } catch (error) {
    // What is wrong with one object is no reason to leave the others.
    if (error instanceof OperatorError || error instanceof ApiError)
      return { object: title, result: 'refused', message: errorText(error) };
    throw error;
  }
}

function print(
  planned: RecordPlan,
  outcomes: readonly Outcome[],
  dryRun: string | undefined,
  stage: CommandStage,
): void {
  const count = (result: Outcome['result']): number => outcomes.filter((one) => one.result === result).length;
  const [migrated, refused, remaining] = [count('migrated'), count('refused'), count('remaining')];
  stage.print({
    json: {
      ...recordPlanFindings(planned),
      written: dryRun === undefined ? migrated : 0,
      outcomes: outcomes.map((one) => ({ ...one })),
    },
    text: () =>
      [
        describeRecordPlan(planned, stage.paint),
        ...outcomes
          .filter(({ result }) => result === 'refused')
          .map(({ object, message = '' }) => `${stage.paint('red', printable(`${object}: ${message}`))}\n`),
        dryRun === undefined ? `${migrated} objects written\n` : `${dryRun} dry run: nothing was written\n`,
      ].join(''),
  });
  if (remaining > 0)
    throw new OperatorError(
      'Interrupted',
      `interrupted: ${remaining} objects remain; run it again to continue`,
    );
  if (refused > 0) throw new OperatorError('Failed', `${refused} objects were not migrated`);
}
