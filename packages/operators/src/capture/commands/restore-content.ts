import { ignoreNotFound } from '@kubewright/client';
import { corev1, isJsonObject, type JsonObject } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { textTable } from '../../kit/text-table.ts';
import { OperatorError } from '../../operator-error.ts';
import { planRestore, type RestoreNamespaces, type RestoreStep } from '../restore/plan-restore.ts';
import { textIn } from '../restore/text-in.ts';
import { readDecrypted } from './read-captured.ts';

const FIELD_MANAGER = 'kubewright-restore';
const EXISTING = ['fail', 'skip'];
/** Kinds whose creation the API server checks against other objects of the namespace. */
const LATE = ['Pod', 'RoleBinding'];

/**
 * `kubewright capture restore SOURCE`: creates the objects that are not there, and changes none that are. Everything is
 * verified, and compared with the cluster, before the first write.
 */
export async function restoreContent(
  { args: [source = ''], options }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const { to, existing = 'fail', yes, dryRun, keyFile } = options;
  if (!EXISTING.includes(existing))
    throw new OperatorError('Usage', `--existing "${existing}" is neither of ${EXISTING.join(', ')}`);
  const stage = await connect();
  const objects = await readDecrypted(source, keyFile, async () => stage);
  const from = namespaceOf(objects);
  const namespaces = { from, to: to ?? from };
  const plan = await planAll(stage, objects, namespaces);
  printPlan(stage, plan, namespaces);
  if (existing === 'fail') failOnConflicts(plan);
  if (dryRun !== undefined) return;
  if (yes === undefined) stage.out('Nothing was changed; --yes creates the objects\n');
  else
    stage.out(
      printable(`${await createAll(stage, plan)} objects were created in namespace ${namespaces.to}\n`),
    );
}

/** A checkpoint is of one namespace. */
function namespaceOf(objects: readonly JsonObject[]): string {
  for (const { metadata } of objects) {
    const namespace = isJsonObject(metadata) ? textIn(metadata, 'namespace') : '';
    if (namespace !== '') return namespace;
  }
  throw new OperatorError('Failed', 'there is nothing to restore: no captured object has a namespace');
}

async function planAll(
  { client, signal }: CommandStage,
  objects: readonly JsonObject[],
  namespaces: RestoreNamespaces,
): Promise<readonly RestoreStep[]> {
  const plan: RestoreStep[] = [];
  for (const object of objects) {
    signal.throwIfAborted();
    plan.push(await planRestore(client, object, namespaces));
  }
  const title = `Namespace/${namespaces.to}`;
  if (plan.some((step) => step.title === title)) return plan;
  const name = namespaces.to;
  const live = await ignoreNotFound(client.get(corev1.namespaces, { name }));
  if (live !== undefined) return plan;
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  return [{ action: 'create', title, message: '', create: { ref: corev1.namespaces, object } }, ...plan];
}

function printPlan(
  { print }: CommandStage,
  plan: readonly RestoreStep[],
  { from, to }: RestoreNamespaces,
): void {
  const text = (): string => {
    const rows = plan.map(({ action, title, message }) => [action, title, message]);
    const head = printable(`From namespace ${from} to namespace ${to}\n`);
    return `${head}${textTable([['ACTION', 'OBJECT', 'NOTE'], ...rows])}`;
  };
  print({ json: plan.map(({ action, title, message }) => ({ action, title, message })), text });
}

function failOnConflicts(plan: readonly RestoreStep[]): void {
  const { length } = plan.filter(({ action }) => action === 'conflict');
  if (length === 0) return;
  const message = `${length} of ${plan.length} objects are in conflict, nothing was changed; --existing skip leaves them as they are, --to restores into another namespace`;
  throw new OperatorError('Failed', message);
}

/** The Namespace first, then what others refer to. An interrupted restore continues when it is run again. */
async function createAll({ client, signal }: CommandStage, plan: readonly RestoreStep[]): Promise<number> {
  const steps = plan.flatMap(({ create }) => (create === undefined ? [] : [create]));
  const inOrder = steps.toSorted((a, b) => rankOf(a.object.kind) - rankOf(b.object.kind));
  for (const { ref, object } of inOrder) {
    signal.throwIfAborted();
    await client.create(ref, object, { fieldManager: FIELD_MANAGER });
  }
  return inOrder.length;
}

function rankOf(kind: string): number {
  if (kind === 'Namespace') return 0;
  return LATE.includes(kind) ? 2 : 1;
}
