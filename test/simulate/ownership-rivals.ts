import type { ScenarioContext } from '@kubewright/cluster';
import { counters, DEPLOYMENTS, NAMESPACE, object, WEB } from './ownership-objects.ts';

/** What others do to the deployment, each in a way of its own; each counts something up. */
const rivals: readonly ((context: ScenarioContext) => Promise<unknown>)[] = [scale, retag, annotate];

/** One of them writes. */
export async function rival(context: ScenarioContext): Promise<void> {
  await context.random.pick(rivals)?.(context);
}

/** A merge patch, which takes the field from whoever had it. */
export async function scale({ client }: ScenarioContext): Promise<unknown> {
  const { replicas = 0 } = counters(await client.get(DEPLOYMENTS, WEB));
  const labels = { scaled: String(replicas + 1) };
  const body = { spec: { replicas: replicas + 1 }, metadata: { labels } };
  return client.patch(DEPLOYMENTS, WEB, { type: 'merge', body }, { fieldManager: 'scaler' });
}

/** A strategic patch inside the sibling of what has to go. */
async function retag({ client }: ScenarioContext): Promise<unknown> {
  const { 'the image of keep': tag = 0 } = counters(await client.get(DEPLOYMENTS, WEB));
  const initContainers = [{ name: 'keep', image: `k:${tag + 1}` }];
  const body = { spec: { template: { spec: { initContainers } } } };
  return client.patch(DEPLOYMENTS, WEB, { type: 'strategic', body }, { fieldManager: 'kubectl-edit' });
}

/** Another applier, with a field that is nobody else's. */
async function annotate({ client }: ScenarioContext): Promise<unknown> {
  const { 'the note': note = 0 } = counters(await client.get(DEPLOYMENTS, WEB));
  const metadata = { name: 'web', namespace: NAMESPACE, annotations: { 'team/note': String(note + 1) } };
  const applied = object({ apiVersion: 'apps/v1', kind: 'Deployment', metadata });
  return client.apply(DEPLOYMENTS, applied, { fieldManager: 'team', force: true });
}
