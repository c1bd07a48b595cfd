import type { Client } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';
import {
  type CommandRun,
  type CommandStage,
  dryRunClient,
  FINALIZERS,
  NAMESPACE,
  OperatorError,
} from '@kubewright/operators';
import { readLeaders } from '../doctor/read-installation.ts';
import { deleteObjects, deleteTargets, type Patience, untilGone } from './delete-all.ts';
import { describePlan } from './describe-plan.ts';
import { type Plan, planUninstall, type Target } from './plan-uninstall.ts';

const PODS_MS = 90_000;

/** `kubewright uninstall`: shows what there is to delete; with `--yes`, deletes it while operators still release what is theirs. */
export async function runUninstall(
  { options: { namespace = NAMESPACE, yes, keepCrds, timeout = '60' } }: CommandRun,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const keepsDefinitions = keepCrds === 'true';
  const timeoutMs = secondsIn(timeout) * 1000;
  const stage = await connect();
  const { client, dryRun, print, progress, signal } = stage;
  await requireAlone(client, namespace);
  const plan = await planUninstall(client, namespace);
  const isDone = yes === 'true' && dryRun === undefined;
  const text = describePlan(plan, keepsDefinitions);
  if (!isDone) {
    print({ json: { deleted: false, ...namesIn(plan, keepsDefinitions) }, text: () => text });
    if (dryRun !== undefined) return tryOut(dryRunClient(client, dryRun), plan, keepsDefinitions, signal);
    throw new OperatorError('Usage', 'nothing was deleted; add --yes to delete this');
  }
  const work = { client, plan, keepsDefinitions, patience: { signal, timeoutMs }, progress };
  const released = await carryOut(work);
  const note =
    released === 0 ? '' : `finalizers removed here, because no operator did so in time: ${released}\n`;
  print({
    json: { deleted: true, released, ...namesIn(plan, keepsDefinitions) },
    text: () => `${text}${note}deleted\n`,
  });
}

/** Whether the server would let everything be deleted. */
async function tryOut(
  client: Client,
  plan: Plan,
  keepsDefinitions: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { configurations, workloads, definitions, rest, home } = plan;
  await deleteTargets(client, [...configurations, ...workloads], signal);
  await deleteTargets(client, keepsDefinitions ? [] : definitions, signal);
  await deleteTargets(client, [...rest, ...(home === undefined ? [] : [home])], signal);
}

function secondsIn(text: string): number {
  const seconds = Number(text);
  if (/^\d+$/.test(text)) return seconds;
  throw new OperatorError('Usage', '--timeout is a number of seconds');
}

/** Definitions are everybody's: another manager would lose its objects. */
async function requireAlone(client: Client, namespace: string): Promise<void> {
  const others = (await readLeaders(client)).filter(
    (one) => one.holder !== '' && one.namespace !== namespace,
  );
  const [other] = others;
  if (other === undefined) return;
  throw new OperatorError(
    'Forbidden',
    `${other.holder} runs ${other.operators.join(', ')} with the Lease ${other.namespace}/kubewright: uninstall that first (--namespace ${other.namespace}); if it is gone, kubectl delete lease kubewright -n ${other.namespace}`,
  );
}

type Work = {
  readonly client: Client;
  readonly plan: Plan;
  readonly keepsDefinitions: boolean;
  readonly patience: Patience;
  readonly progress: (line: string) => void;
};

async function carryOut({ client, plan, keepsDefinitions, patience, progress }: Work): Promise<number> {
  const { signal } = patience;
  await deleteTargets(client, plan.configurations, signal);
  let released = 0;
  for (const objects of keepsDefinitions ? [] : plan.objects) {
    progress(`deleting ${objects.objects.length} ${objects.ref.kind ?? ''}`);
    const done = await deleteObjects(client, objects, { ...patience, own: FINALIZERS });
    released += done.released;
    requireGone(done.left);
  }
  await deleteTargets(client, plan.workloads, signal);
  progress('waiting for the manager to end');
  if (plan.workloads.length > 0) await untilPodsGone(client, plan.workloads, patience);
  if (!keepsDefinitions) {
    await deleteTargets(client, plan.definitions, signal);
    requireGone(await untilGone(client, plan.definitions, patience));
  }
  await deleteTargets(client, [...plan.rest, ...(plan.home === undefined ? [] : [plan.home])], signal);
  progress('');
  return released;
}

function requireGone(left: readonly Target[]): void {
  const [first] = left;
  if (first === undefined) return;
  const { kind, namespace, name } = first;
  const where = namespace === undefined ? '' : ` -n ${namespace}`;
  throw new OperatorError(
    'TimedOut',
    `${left.length} ${kind} are still there, as ${name}: somebody else's finalizers keep them: kubectl get ${kind} ${name}${where} -o jsonpath='{.metadata.finalizers}'. Run it again when they are gone`,
  );
}

/** A manager that ends takes its time; where nothing deletes pods, nobody waits for ever. */
async function untilPodsGone(
  client: Client,
  workloads: readonly Target[],
  { signal }: Patience,
): Promise<void> {
  const namespace = workloads[0]?.namespace ?? '';
  const names = workloads.map(({ name }) => name).join(',');
  const { items } = await client.list(corev1.pods, {
    namespace,
    labelSelector: `app.kubernetes.io/name in (${names})`,
  });
  const pods = items.map(({ metadata: { name } }) => ({ ref: corev1.pods, kind: 'Pod', namespace, name }));
  await untilGone(client, pods, { signal, timeoutMs: PODS_MS });
}

function namesIn(plan: Plan, keepsDefinitions: boolean) {
  const { configurations, workloads, definitions, rest, home } = plan;
  const objects = keepsDefinitions ? [] : plan.objects;
  const targets = [
    ...configurations,
    ...workloads,
    ...(keepsDefinitions ? [] : definitions),
    ...rest,
    ...(home === undefined ? [] : [home]),
  ];
  const name = ({ kind, namespace, name: own }: Omit<Target, 'ref'>) => ({
    kind,
    name: own,
    ...(namespace === undefined ? {} : { namespace }),
  });
  return {
    objects: objects.flatMap(({ ref, objects: all }) =>
      all.map(({ metadata: { namespace, name: own } }) =>
        name({ kind: ref.kind ?? '', name: own, ...(namespace === undefined ? {} : { namespace }) }),
      ),
    ),
    installation: targets.map(name),
    stays: plan.stays,
  };
}
