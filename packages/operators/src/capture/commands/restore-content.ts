import { defined } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { textTable } from '../../kit/text-table.ts';
import { OperatorError } from '../../operator-error.ts';
import type { LeftOutObjects } from '../api/manifest-checkpoint.ts';
import type { StoredContent } from '../api/snapshots.ts';
import { momentsOf } from '../restore/claim-source.ts';
import { EXISTING_POLICIES, type ExistingPolicy } from '../restore/plan-restore.ts';
import {
  createNamespace,
  createPlanned,
  isChange,
  type ReadSource,
  type RestorePlan,
} from './create-planned.ts';
import { planAll, type WantedRestore } from './plan-all.ts';
import { readDecrypted, readKeys } from './read-captured.ts';
import { readLeftOut, titleOfLeftOut } from './read-left-out.ts';
import { readProfiles } from './read-profiles.ts';
import { snapshotsOf } from './snapshots-of.ts';

/**
 * `kubewright capture restore SOURCE`: creates the objects that are not there; those that are there are changed only with
 * `--existing update` or `replace`. Everything is verified, compared with the cluster, and sent to the server as a dry run, before the first write.
 */
export async function restoreContent(
  { args: [source = ''], options }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const { to, yes, dryRun, keyFile, profiles, volumes, output } = options;
  const existing = existingIn(options);
  const storageClasses = storageClassesIn(options);
  const stage = await connect();
  const ring = await readKeys(keyFile, stage);
  const from = { source, signal: stage.signal };
  const read: ReadSource = (wanted) => readDecrypted(from, ring, async () => stage, wanted);
  const isChecked = dryRun !== 'false';
  const wanted = {
    to,
    existing,
    profiles: await readProfiles(profiles, stage),
    isChecked,
    ...defined({ storageClasses }),
    ...(volumes !== undefined && { snapshots: await snapshotsOf(stage.client, source) }),
  };
  const plan = await planAll(stage, read, wanted);
  printPlan(stage, plan, isChecked, await readLeftOut(from, async () => stage));
  if (existing !== 'skip') failOnConflicts(plan, 'nothing was changed');
  if (isChecked && dryRun !== undefined) return;
  if (yes === undefined)
    throw new OperatorError('Usage', 'nothing was changed; add --yes to create the objects');
  const done = printable(await restored(stage, read, plan, wanted));
  if (output === undefined) stage.out(done);
}

function existingIn({ existing = 'fail' }: CommandCall['options']): ExistingPolicy {
  const policy = EXISTING_POLICIES.find((each) => each === existing);
  if (policy !== undefined) return policy;
  throw new OperatorError('Usage', `--existing "${existing}" is neither of ${EXISTING_POLICIES.join(', ')}`);
}

/** `OLD=NEW,OLD=NEW` of `--storage-class`. */
function storageClassesIn({
  storageClass: text,
}: CommandCall['options']): ReadonlyMap<string, string> | undefined {
  if (text === undefined) return undefined;
  const pairs = text.split(',').map((pair) => {
    const [old = '', name = '', ...more] = pair.split('=').map((part) => part.trim());
    if (old === '' || name === '' || more.length > 0)
      throw new OperatorError('Usage', `--storage-class "${text}" is not a list like old=new,other=new`);
    return [old, name] as const;
  });
  return new Map(pairs);
}

/** The server can say nothing of objects of a namespace that does not exist: it is created first, and says it then. */
async function restored(
  stage: CommandStage,
  read: ReadSource,
  plan: RestorePlan,
  wanted: WantedRestore,
): Promise<string> {
  if (plan.namespace === 'exists' || !wanted.isChecked)
    return summary(
      plan,
      (await createNamespace(stage, read, plan)) + (await createPlanned(stage, read, plan)),
    );
  const first = await createNamespace(stage, read, plan);
  const checked = await planAll(stage, read, wanted);
  if (wanted.existing !== 'skip') failOnConflicts(checked, 'only the namespace was created');
  return summary(checked, first + (await createPlanned(stage, read, checked)));
}

function summary({ target: { to }, steps }: RestorePlan, count: number): string {
  const { length } = steps.filter(isLeftOut);
  const changed = steps.filter(({ action }) => isChange(action)).length;
  const also = changed === 0 ? '' : `, ${changed} were changed`;
  const rest = length === 0 ? '' : `, ${length} were left out as the plan says`;
  return `${count} objects were created in namespace ${to}${also}${rest}\n`;
}

function printPlan(
  { print }: CommandStage,
  { steps, namespace, target: { from, to, snapshots } }: RestorePlan,
  isChecked: boolean,
  leftOut: readonly LeftOutObjects[],
): void {
  const created = { action: 'create', title: `Namespace/${to}`, message: '' };
  const uncaptured = leftOut.map((each) => ({
    action: 'not captured',
    title: titleOfLeftOut(each),
    message: each.reason,
  }));
  const lines = [...(namespace === 'missing' ? [created] : []), ...steps, ...uncaptured];
  const isLater = isChecked && namespace !== 'exists';
  const text = (): string => {
    const rows = lines.map(({ action, title, message }) => [action, title, message]);
    const when = snapshots === undefined || snapshots.size < 2 ? '' : momentsLine([...snapshots.values()]);
    const head = printable(`From namespace ${from} to namespace ${to}\n${when}${isLater ? LATER : ''}`);
    return `${head}${textTable([['ACTION', 'OBJECT', 'NOTE'], ...rows])}`;
  };
  print({ json: lines.map(({ action, title, message }) => ({ action, title, message })), text });
}

function momentsLine(snapshots: readonly StoredContent[]): string {
  return `The data of its ${snapshots.length} volumes is ${momentsOf(snapshots)}\n`;
}

const LATER =
  'The namespace does not exist: once it is created, and before anything else is, the server is asked whether it accepts the objects\n';

function isLeftOut({ action }: { readonly action: string }): boolean {
  return action === 'conflict' || action === 'rejected';
}

/** So many are named. */
const NAMED = 5;

function failOnConflicts({ steps }: RestorePlan, done: string): void {
  const found = steps.filter(isLeftOut);
  if (found.length === 0) return;
  const named = found.slice(0, NAMED).map(({ title, message }) => `${title}: ${message}`);
  const more = found.length > NAMED ? `; and ${found.length - NAMED} more` : '';
  const what = new Set(found.map(({ action }) => (action === 'conflict' ? 'in conflict' : 'rejected')));
  const are = `${found.length} of ${steps.length} objects are ${[...what].join(' or ')}, ${done}`;
  const way = '--existing skip leaves them out, --to restores into another namespace';
  throw new OperatorError('Failed', printable(`${are}; ${way}. ${named.join('; ')}${more}`));
}
