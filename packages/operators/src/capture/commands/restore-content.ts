import { ignoreNotFound } from '@kubewright/client';
import { canonicalJson, corev1, isJsonObject, type JsonObject, type KubeObject } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { readAhead } from '../../kit/read-ahead.ts';
import { textTable } from '../../kit/text-table.ts';
import { OperatorError } from '../../operator-error.ts';
import { sha256 } from '../requests/names.ts';
import { planRestore, type RestoreStep } from '../restore/plan-restore.ts';
import { type RestoreNamespaces, retargeted } from '../restore/retargeted.ts';
import { textIn } from '../restore/text-in.ts';
import { readDecrypted, readKeys } from './read-captured.ts';
import { withProgress } from './with-progress.ts';

const FIELD_MANAGER = 'kubewright-restore';
const EXISTING = ['fail', 'skip'];
/** Kinds whose creation the API server checks against other objects of the namespace. */
const LATE = ['Pod', 'RoleBinding'];
/** Calls under way. */
const AT_ONCE = 16;

/** Reads the source from its beginning: it is not held. */
type Source = () => AsyncIterable<JsonObject>;

type Plan = {
  readonly namespaces: RestoreNamespaces;
  /** Whether the namespace does not exist, and is not among the captured objects. */
  readonly createsNamespace: boolean;
  /** One for each object, in order. */
  readonly steps: readonly RestoreStep[];
};

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
  const ring = await readKeys(keyFile, stage);
  const from = { source, signal: stage.signal };
  const read = (): AsyncIterable<JsonObject> => readDecrypted(from, ring, async () => stage);
  const plan = await planAll(stage, read, to);
  printPlan(stage, plan);
  if (existing === 'fail') failOnConflicts(plan.steps);
  if (dryRun !== undefined) return;
  if (yes === undefined) stage.out('Nothing was changed; --yes creates the objects\n');
  else
    stage.out(
      printable(
        `${await createAll(stage, read, plan)} objects were created in namespace ${plan.namespaces.to}\n`,
      ),
    );
}

async function planAll(stage: CommandStage, read: Source, to: string | undefined): Promise<Plan> {
  const from = await namespaceOf(read());
  const namespaces = { from, to: to ?? from };
  const steps: RestoreStep[] = [];
  const planned = readAhead(read(), AT_ONCE, (object) => planRestore(stage.client, object, namespaces));
  for await (const step of withProgress(planned, stage, 'compared')) steps.push(step);
  const name = namespaces.to;
  const isCaptured = steps.some(({ title }) => title === `Namespace/${name}`);
  const live = isCaptured || (await ignoreNotFound(stage.client.get(corev1.namespaces, { name })));
  return { namespaces, steps, createsNamespace: live === undefined };
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
  { steps, createsNamespace, namespaces: { from, to } }: Plan,
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

/** The Namespace first, then what others refer to. An interrupted restore continues when it is run again. */
async function createAll(stage: CommandStage, read: Source, plan: Plan): Promise<number> {
  const { client } = stage;
  const { to: name } = plan.namespaces;
  let count = 0;
  if (plan.createsNamespace) {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await client.create<KubeObject>(corev1.namespaces, namespace);
    count++;
  }
  const ranks = plan.steps.flatMap(({ create }) => (create === undefined ? [] : [rankOf(create.ref.kind)]));
  for (const rank of [...new Set(ranks)].toSorted((a, b) => a - b))
    for await (const done of withProgress(createRank(stage, read, plan, rank), stage, 'created'))
      if (done) count++;
  return count;
}

/** Creates what the plan says of objects of this rank, which are read again. */
async function* createRank(
  { client }: CommandStage,
  read: Source,
  { steps, namespaces }: Plan,
  rank: number,
): AsyncGenerator<boolean, void> {
  let index = 0;
  yield* readAhead(read(), AT_ONCE, async (captured) => {
    const { create } = steps[index++] ?? {};
    if (create === undefined || rankOf(create.ref.kind) !== rank) return false;
    const object = retargeted(captured, namespaces);
    if (object === undefined || sha256(canonicalJson(object)) !== create.sha256)
      throw new OperatorError('Failed', 'the captured objects have changed while they were restored');
    await client.create(create.ref, object, { fieldManager: FIELD_MANAGER });
    return true;
  });
}

function rankOf(kind: string): number {
  if (kind === 'Namespace') return 0;
  return LATE.includes(kind) ? 2 : 1;
}
