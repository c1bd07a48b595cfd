import { ApiError } from '@kubewright/client';
import { defined, errorText, parseApiVersion } from '@kubewright/kube';
import { inParallel } from '../../../kit/in-parallel.ts';
import type { CommandCall, CommandStage } from '../../../kit/operator.ts';
import { printable } from '../../../kit/paint.ts';
import { OperatorError } from '../../../operator-error.ts';
import { describeScan } from '../scan/describe-scan.ts';
import { scanCluster } from '../scan/run-scan.ts';
import type { SplitObject } from '../scan/scan-kind.ts';
import { scanFindings, type ScanReport } from '../scan/scan-report.ts';
import { takeOverWrite } from './plan-take-over.ts';
import { writePlan } from './write-plan.ts';

/** What became of one object. `remaining`: not begun when the command was interrupted. */
type Outcome = {
  readonly object: string;
  readonly result: 'migrated' | 'unchanged' | 'refused' | 'remaining';
  readonly message?: string;
};

/**
 * `kubewright owners migrate --all --to MANAGER`: makes the manager the only owner of what it applies, on every object
 * of which another one owns some of it. Two requests an object. An interruption leaves each object either migrated or
 * as it was; the command continues where it ended.
 */
export async function migrateAll(
  options: CommandCall['options'],
  manager: string,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  if (options['remove'] !== undefined)
    throw new OperatorError('Usage', '--remove is for one object: name it as KIND/NAME');
  const stage = await connect();
  const report = appliedBy(manager, await scanCluster(options, stage));
  const { yes, dryRun } = options;
  if (yes !== 'true' && dryRun === undefined && report.pairs.length > 0) {
    stage.out(describeScan(report, stage.paint));
    throw new OperatorError('Usage', 'nothing was written; add --yes to migrate these');
  }
  if (dryRun === 'client')
    return stage.print({ json: scanFindings(report), text: () => describeScan(report, stage.paint) });
  const objects = distinct(report);
  let done = 0;
  const outcomes = await inParallel(objects, async (object) => {
    const outcome = stage.signal.aborted
      ? { object: titleOf(object), result: 'remaining' as const }
      : await migrate(object, manager, dryRun === 'server', stage);
    stage.progress(`${++done} of ${objects.length} objects`);
    return outcome;
  });
  if (dryRun !== undefined) stage.out(`${dryRun} dry run: nothing was written\n`);
  print(outcomes, report, stage);
}

/** The part of a report that is about what `manager` applies. */
function appliedBy(manager: string, report: ScanReport): ScanReport {
  const pairs = report.pairs.filter(({ applier, other }) =>
    [applier, other].some((owner) => owner.manager === manager && owner.operation === 'Apply'),
  );
  return { ...report, pairs, split: distinct({ pairs }).length };
}

function distinct({ pairs }: Pick<ScanReport, 'pairs'>): readonly SplitObject[] {
  const all = pairs.flatMap(({ objects }) => objects);
  return [...new Map(all.map((object) => [`${object.apiVersion} ${titleOf(object)}`, object])).values()];
}

async function migrate(
  found: SplitObject,
  manager: string,
  dryRun: boolean,
  { client }: CommandStage,
): Promise<Outcome> {
  const { apiVersion, kind, namespace, name } = found;
  const object = titleOf(found);
  const ref = { ...parseApiVersion(apiVersion), kind };
  try {
    const live = await client.get(ref, defined({ namespace, name }));
    const written = await writePlan(takeOverWrite({ live, manager, remove: [] }, ref, dryRun), client);
    return { object, result: written === undefined ? 'unchanged' : 'migrated' };
  } catch (error) {
    // What is wrong with one object is no reason to leave the others.
    if (error instanceof OperatorError || error instanceof ApiError)
      return { object, result: 'refused', message: errorText(error) };
    throw error;
  }
}

function print(outcomes: readonly Outcome[], report: ScanReport, stage: CommandStage): void {
  const of = (result: Outcome['result']): readonly Outcome[] =>
    outcomes.filter((one) => one.result === result);
  const [refused, remaining] = [of('refused'), of('remaining')];
  const counts = {
    found: report.split,
    migrated: of('migrated').length,
    unchanged: of('unchanged').length,
    refused: refused.length,
    remaining: remaining.length,
  };
  const lines = refused.map(
    ({ object, message = '' }) => `${stage.paint('red', printable(`${object}: ${message}`))}\n`,
  );
  stage.print({
    json: { ...counts, objects: outcomes.map((one) => ({ ...one })) },
    text: () => `${lines.join('')}${summaryOf(counts)}\n`,
  });
  if (remaining.length > 0)
    throw new OperatorError(
      'Interrupted',
      `interrupted: ${remaining.length} objects remain; run it again to continue`,
    );
  if (refused.length > 0) throw new OperatorError('Failed', `${refused.length} objects were not migrated`);
}

function summaryOf({ found, migrated, unchanged }: Readonly<Record<string, number>>): string {
  return `${migrated} of ${found} objects migrated${unchanged === 0 ? '' : `, ${unchanged} needed nothing any more`}`;
}

function titleOf({ kind, namespace, name }: SplitObject): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
