import type { ScenarioContext } from '@kubewright/cluster';
import type { JsonObject, KubeObject } from '@kubewright/kube';
import { guarded } from './guarded-apply.ts';
import { hold, writeBeside, yieldHeld } from './ownership-held.ts';
import {
  counters,
  DEPLOYMENTS,
  GOING,
  GOING_LABEL,
  initNames,
  NAMESPACE,
  object,
  WEB,
} from './ownership-objects.ts';

/** What others do to the objects, each in a way of its own; each counts something up, or claims what has to go. */
const rivals: readonly ((context: ScenarioContext) => Promise<unknown>)[] = [
  scale,
  retag,
  annotate,
  claim,
  hold,
  yieldHeld,
  writeBeside,
];

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

/** Another applier claims again what is being moved from it. */
export async function claim(context: ScenarioContext): Promise<void> {
  await context.random.pick([claimItem, claimLabel])?.(context);
}

/** Another applier has in its manifest, for as long as it is there, what the user's manifest drops. */
function claimItem({ client }: ScenarioContext): Promise<unknown> {
  return claimed(client, (live) =>
    initNames(live).includes(GOING)
      ? { spec: { template: { spec: { initContainers: [{ name: GOING, image: 'b:2' }] } } } }
      : undefined,
  );
}

function claimLabel({ client }: ScenarioContext): Promise<unknown> {
  return claimed(client, ({ metadata: { labels } }) =>
    labels?.[GOING_LABEL] === undefined
      ? undefined
      : { metadata: { labels: { [GOING_LABEL]: labels[GOING_LABEL] } } },
  );
}

async function claimed(
  client: ScenarioContext['client'],
  fieldsOf: (live: KubeObject) => { readonly metadata?: JsonObject; readonly spec?: JsonObject } | undefined,
): Promise<unknown> {
  const live = await client.get(DEPLOYMENTS, WEB);
  const fields = fieldsOf(live);
  if (fields === undefined) return undefined;
  const metadata = { ...WEB, ...fields.metadata };
  const applied = object({ ...fields, apiVersion: 'apps/v1', kind: 'Deployment', metadata });
  return guarded(client, DEPLOYMENTS, live, applied, 'second');
}
