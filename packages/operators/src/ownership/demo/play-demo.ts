import { ApiError, keyOf, type KindRef, sleep, systemClock } from '@kubewright/client';
import { isJsonArray, type KubeObject, ownerReferenceTo } from '@kubewright/kube';
import { demoNamespace } from '../../kit/demo-namespace.ts';
import type { Stage } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';
import { COMPOSITIONS, RESOURCE_SLICES, type ResourceSlice } from '../api.ts';
import { FIELD_MANAGER } from '../api.ts';
import { describeOwners } from '../owners/describe-owners.ts';
import { describeRemoval } from '../owners/describe-removal.ts';
import { findRemoval } from '../owners/find-removal.ts';
import { appliedDeployment, createdDeployment, NAMESPACE, wantedDeployment } from './wanted-deployment.ts';

const DEPLOYMENTS: KindRef = { group: 'apps', version: 'v1', kind: 'Deployment' };
const POD = 'spec.template.spec';
const INIT = `${POD}.initContainers`;
const POLL_MS = 20;
const PATIENCE_MS = 30_000;

type Scene = Pick<Stage, 'client' | 'paint' | 'signal'> & {
  readonly say: (text: string) => void;
  readonly step: (title: string) => void;
};

/**
 * Plays the job that the ownership operator is for: two clients share an init container, its
 * removal is refused, a ResourceSlice asks for it, and it is done.
 */
export async function playDemo(stage: Stage): Promise<void> {
  const scene = sceneOn(stage);
  await demoNamespace(stage, NAMESPACE);
  await shareTheContainer(scene);
  await beRefused(scene);
  const slice = await askForIt(scene);
  await seeItDone(scene, slice);
}

function sceneOn({ client, out, paint, signal }: Stage): Scene {
  let steps = 0;
  return {
    client,
    paint,
    signal,
    say: (text) => out(indented(text)),
    step: (title) => out(`\n${paint('cyan', `${++steps}.`)} ${paint('bold', title)}\n`),
  };
}

async function shareTheContainer({ client, say, step, paint }: Scene): Promise<void> {
  step('Two clients write the same Deployment');
  await client.create(DEPLOYMENTS, createdDeployment(), { fieldManager: 'Go-http-client' });
  const live = await client.apply(DEPLOYMENTS, appliedDeployment(), {
    fieldManager: FIELD_MANAGER,
    force: true,
  });
  say('Go-http-client created deployment/web; then eno applied it with a newer setup image.');
  say('Who owns the init containers now:\n');
  say(describeOwners(live, { pattern: INIT, isSet: true }, paint));
}

async function beRefused({ client, say, step, paint }: Scene): Promise<void> {
  step('eno wants the init container gone, and is refused');
  const options = { fieldManager: FIELD_MANAGER, force: true, dryRun: true };
  const refusal = await client.apply(DEPLOYMENTS, wantedDeployment(), options).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(refusal instanceof ApiError))
    throw new OperatorError('Failed', 'the removal was not refused', { cause: refusal });
  say(`${paint('red', `${refusal.code} ${refusal.reason}`)}: ${refusal.message}`);
  say('What eno owned went away, what the other client owns stayed: a container without an image.');
  say('"kubewright owners deployment/web PATH" says why, and what would help:');
  const live = await client.get(DEPLOYMENTS, keyOf(wantedDeployment()));
  const path = `${INIT}[name="base-os-bash"]`;
  const removal = await findRemoval(client, { live, path, manager: FIELD_MANAGER });
  say(describeRemoval(removal, paint));
}

async function askForIt({ client, say, step }: Scene): Promise<ResourceSlice> {
  step('The new manifest goes into a ResourceSlice');
  const composition = await client.create(COMPOSITIONS, {
    apiVersion: 'eno.azure.io/v1',
    kind: 'Composition',
    metadata: { name: 'shop', namespace: NAMESPACE },
    spec: {},
  });
  const ownerReferences = [ownerReferenceTo(composition, { controller: true, blockOwnerDeletion: true })];
  say('composition/shop owns resourceslice/shop-1, which holds deployment/web without the init container.');
  return client.create(RESOURCE_SLICES, {
    apiVersion: 'eno.azure.io/v1',
    kind: 'ResourceSlice',
    metadata: { name: 'shop-1', namespace: NAMESPACE, ownerReferences },
    spec: { resources: [{ manifest: JSON.stringify(wantedDeployment()) }] },
  });
}

async function seeItDone(scene: Scene, slice: ResourceSlice): Promise<void> {
  const { say, step, paint, client } = scene;
  const state = (await handled(scene, slice)).status?.resources?.[0];
  step('The operator moves exactly the claim that blocks, and applies');
  if (state?.reconciled !== true)
    throw new OperatorError('Failed', state?.reconciliationError ?? 'not reconciled');
  say(`${paint('green', 'done')}: ${state.ownership?.message ?? 'nothing had to be moved'}`);
  const live = await client.get(DEPLOYMENTS, keyOf(wantedDeployment()));
  say(`init containers: ${initContainersOf(live)}; everything else is as it was:\n`);
  say(describeOwners(live, { pattern: `${POD}.containers`, isSet: true }, paint));
  say('"kubectl get resourceslice shop-1 -n demo -o yaml" shows what was moved, in its status.');
}

/** The slice, once the operator has said how its object fares. */
async function handled({ client, signal }: Scene, slice: ResourceSlice): Promise<ResourceSlice> {
  for (let waited = 0; waited < PATIENCE_MS && !signal.aborted; waited += POLL_MS) {
    const current = await client.get(RESOURCE_SLICES, keyOf(slice));
    const [state] = current.status?.resources ?? [];
    if (state?.reconciled === true || state?.reconciliationError !== undefined) return current;
    await sleep(systemClock, POLL_MS, signal);
  }
  throw new OperatorError('TimedOut', 'the operator did not get to the slice in time');
}

function initContainersOf(live: KubeObject): string {
  const spec = live['spec'] as {
    readonly template?: { readonly spec?: { readonly initContainers?: unknown } };
  };
  const containers = spec.template?.spec?.initContainers;
  return isJsonArray(containers as never) ? String((containers as readonly unknown[]).length) : 'none';
}

function indented(text: string): string {
  return `${text.trimEnd()}\n`.replaceAll(/^(?=.)/gm, '   ');
}
