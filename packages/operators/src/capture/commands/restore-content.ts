import { ignoreNotFound } from '@kubewright/client';
import { corev1, isJsonObject, type JsonObject } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { readAhead } from '../../kit/read-ahead.ts';
import { textTable } from '../../kit/text-table.ts';
import { OperatorError } from '../../operator-error.ts';
import { planRestore, type RestoreStep } from '../restore/plan-restore.ts';
import type { RestoreProfiles } from '../restore/restore-profiles.ts';
import { textIn } from '../restore/text-in.ts';
import { AT_ONCE, createPlanned, type ReadSource, type RestorePlan } from './create-planned.ts';
import { readDecrypted, readKeys } from './read-captured.ts';
import { readProfiles } from './read-profiles.ts';
import { withProgress } from './with-progress.ts';

const EXISTING = ['fail', 'skip'];

/**
 * `kubewright capture restore SOURCE`: creates the objects that are not there, and changes none that are. Everything is
 * verified, and compared with the cluster, before the first write.
 */
export async function restoreContent(
  { args: [source = ''], options }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const { to, existing = 'fail', yes, dryRun, keyFile, profiles } = options;
  if (!EXISTING.includes(existing))
    throw new OperatorError('Usage', `--existing "${existing}" is neither of ${EXISTING.join(', ')}`);
  const stage = await connect();
  const ring = await readKeys(keyFile, stage);
  const from = { source, signal: stage.signal };
  const read = (): AsyncIterable<JsonObject> => readDecrypted(from, ring, async () => stage);
  const plan = await planAll(stage, read, { to, profiles: await readProfiles(profiles, stage) });
  printPlan(stage, plan);
  if (existing === 'fail') failOnConflicts(plan.steps);
  if (dryRun !== undefined) return;
  if (yes === undefined) stage.out('Nothing was changed; --yes creates the objects\n');
  else
    stage.out(
      printable(
        `${await createPlanned(stage, read, plan)} objects were created in namespace ${plan.target.to}\n`,
      ),
    );
}

type Wanted = { readonly to: string | undefined; readonly profiles: RestoreProfiles };

async function planAll(
  stage: CommandStage,
  read: ReadSource,
  { to, profiles }: Wanted,
): Promise<RestorePlan> {
  const from = await namespaceOf(read());
  const target = { from, to: to ?? from, profiles };
  const steps: RestoreStep[] = [];
  const planned = readAhead(read(), AT_ONCE, (object) => planRestore(stage.client, object, target));
  for await (const step of withProgress(planned, stage, 'compared')) steps.push(step);
  const name = target.to;
  const isCaptured = steps.some(({ title }) => title === `Namespace/${name}`);
  const live = isCaptured || (await ignoreNotFound(stage.client.get(corev1.namespaces, { name })));
  return { target, steps, createsNamespace: live === undefined };
}

/** A checkpoint is of one namespace. */
async function namespaceOf(objects: AsyncIterable<JsonObject>): Promise<string> {
  for await (const { metadata } of objects) {
    const namespace = isJsonObject(metadata) ? textIn(metadata, 'namespace') : '';
    if (namespace !== '') return namespace;
  }
  throw new OperatorError('Failed', 'there is nothing to restore: no captured object has a namespace');
}

function printPlan(
  { print }: CommandStage,
  { steps, createsNamespace, target: { from, to } }: RestorePlan,
): void {
  const created = { action: 'create', title: `Namespace/${to}`, message: '' };
  const lines = [...(createsNamespace ? [created] : []), ...steps];
  const text = (): string => {
    const rows = lines.map(({ action, title, message }) => [action, title, message]);
    const head = printable(`From namespace ${from} to namespace ${to}\n`);
    return `${head}${textTable([['ACTION', 'OBJECT', 'NOTE'], ...rows])}`;
  };
  print({ json: lines.map(({ action, title, message }) => ({ action, title, message })), text });
}

function failOnConflicts(steps: readonly RestoreStep[]): void {
  const { length } = steps.filter(({ action }) => action === 'conflict');
  if (length === 0) return;
  const message = `${length} of ${steps.length} objects are in conflict, nothing was changed; --existing skip leaves them as they are, --to restores into another namespace`;
  throw new OperatorError('Failed', message);
}
