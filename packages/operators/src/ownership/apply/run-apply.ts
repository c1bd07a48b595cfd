import { basename, resolve } from 'node:path';
import { ignoreNotFound, isConflict } from '@kubewright/client';
import { apiVersionOf, ownerReferenceTo, type Stored } from '@kubewright/kube';
import { dryRunClient } from '../../kit/dry-run-client.ts';
import type { CommandRun, CommandStage } from '../../kit/operator.ts';
import { parseDuration } from '../../kit/parse-duration.ts';
import { OperatorError } from '../../operator-error.ts';
import {
  type Composition,
  compositionOf,
  COMPOSITIONS,
  RESOURCE_SLICES,
  type ResourceSlice,
} from '../api.ts';
import { describeApply } from './describe-apply.ts';
import { followApply } from './follow-apply.ts';
import { lookUpHolders } from './look-up-holders.ts';
import { type ApplyPlan, planApply, type PlannedSlice } from './plan-apply.ts';
import { type IsNamespaced, readManifests } from './read-manifests.ts';

/** The field manager of the Composition and its slices. */
const WRITER = 'kubewright';

/**
 * `kubewright apply -f FOLDER`: a Composition whose slices have the manifests of a folder. Prints what the operator will
 * create, change and prune; with `--yes` it writes the slices, and waits until the operator has done it.
 */
export async function runApply(call: CommandRun, connect: () => Promise<CommandStage>): Promise<void> {
  const { filename, timeout = '5m' } = call.options;
  if (filename === undefined)
    throw new OperatorError('Usage', 'name a folder or a file with -f; - is standard input');
  const timeoutMs = timeoutFrom(timeout);
  const name = call.args[0] ?? nameFor(filename);
  const stage = await connect();
  await carryOut(name, await planned(name, filename, stage), { ...call.options, timeoutMs }, stage);
}

async function carryOut(
  name: string,
  { before, plan, json, text }: Awaited<ReturnType<typeof planned>>,
  { yes, output, timeoutMs }: { readonly yes?: string; readonly output?: string; readonly timeoutMs: number },
  stage: CommandStage,
): Promise<void> {
  const { dryRun } = stage;
  if (dryRun !== undefined || (plan.slices.length > 0 && yes !== 'true')) {
    if (dryRun !== undefined)
      await write(name, plan, before, { ...stage, client: dryRunClient(stage.client, dryRun) });
    stage.print({ json, text });
    if (dryRun !== undefined) return;
    throw new OperatorError('Usage', 'nothing was written; add --yes to write this');
  }
  // People see what is going to happen before it does; programs get one document.
  if (output === undefined) stage.out(text());
  await write(name, plan, before, stage);
  const waits = timeoutMs > 0;
  if (waits) await follow(name, timeoutMs, stage);
  stage.print({ json: { ...json, ready: waits }, text: () => (waits ? 'ready\n' : 'written\n') });
}

function timeoutFrom(timeout: string): number {
  const ms = parseDuration(timeout);
  if (ms !== undefined && ms >= 0) return ms;
  throw new OperatorError('Usage', `--timeout "${timeout}" is not a duration; write it like 90s or 5m`);
}

/** What an apply would write, for programs and for people. Only reads. */
async function planned(name: string, filename: string, stage: CommandStage) {
  const manifests = await readManifests(filename, {
    namespace: stage.namespace,
    isNamespaced: await scopes(stage),
    signal: stage.signal,
  });
  const composition = await findComposition(name, stage);
  const current = composition === undefined ? [] : await slicesOf(composition, stage);
  const plan = planApply(name, manifests, current);
  const { unchanged } = plan;
  const changes = await lookUpHolders(plan.changes, composition, stage);
  return {
    before: { composition, current },
    plan,
    json: { composition: name, changes: changes.map((one) => ({ ...one })), unchanged },
    text: () => describeApply(name, { changes, unchanged }, stage.paint),
  };
}

/** The name of the folder or file, if it can be the name of an object. */
function nameFor(filename: string): string {
  const name = basename(resolve(filename)).replace(/\.[a-z]+$/, '');
  if (filename !== '-' && /^[a-z0-9](?:[-a-z0-9]{0,50}[a-z0-9])?$/.test(name)) return name;
  throw new OperatorError('Usage', 'name the Composition: kubewright apply NAME -f FOLDER');
}

async function scopes({ discover }: CommandStage): Promise<IsNamespaced> {
  const { resources } = await discover();
  const known = new Map(resources.map(({ ref }) => [`${ref.group}/${ref.kind}`, ref.namespaced]));
  return (apiVersion, kind) => {
    const [group, version] = apiVersion.split('/');
    return known.get(`${version === undefined ? '' : group}/${kind}`);
  };
}

async function findComposition(
  name: string,
  { client, namespace }: CommandStage,
): Promise<Stored<Composition> | undefined> {
  const found = await ignoreNotFound(client.get(COMPOSITIONS, { namespace, name }));
  if (found?.spec?.synthesizer !== undefined)
    throw new OperatorError(
      'Usage',
      `Composition ${name} has a synthesizer, which writes its slices; choose another name`,
    );
  if (found?.metadata.deletionTimestamp !== undefined)
    throw new OperatorError('Usage', `Composition ${name} is being deleted; wait until it is gone`);
  return found;
}

async function slicesOf(
  { metadata: { uid, namespace } }: Stored<Composition>,
  { client }: CommandStage,
): Promise<readonly Stored<ResourceSlice>[]> {
  const { items } = await client.list(RESOURCE_SLICES, { namespace });
  return items.filter((slice) => compositionOf(slice)?.uid === uid);
}

type Before = {
  readonly composition: Stored<Composition> | undefined;
  readonly current: readonly Stored<ResourceSlice>[];
};

/** Each write is guarded by the version that was planned with. What was written before an interruption is no harm: the next apply continues. */
async function write(
  name: string,
  plan: ApplyPlan,
  { composition, current }: Before,
  stage: CommandStage,
): Promise<void> {
  const { client, namespace, progress, signal } = stage;
  try {
    const owner =
      composition ??
      (await client.create(
        COMPOSITIONS,
        {
          apiVersion: apiVersionOf(COMPOSITIONS),
          kind: 'Composition',
          metadata: { name, namespace },
          spec: {},
        },
        { fieldManager: WRITER },
      ));
    for (const [index, planned] of plan.slices.entries()) {
      if (signal.aborted)
        throw new OperatorError(
          'Failed',
          `interrupted: ${index} of ${plan.slices.length} slices of ${name} are written; run it again to write the others`,
        );
      progress(`slice ${index + 1} of ${plan.slices.length}`);
      const before = current.find(({ metadata }) => metadata.name === planned.name);
      await writeSlice(planned, owner, before, stage);
    }
  } catch (error) {
    if (!isConflict(error)) throw error;
    throw new OperatorError(
      'Failed',
      `somebody else has changed the slices of ${name} meanwhile; run it again`,
      { cause: error },
    );
  }
}

async function writeSlice(
  { name, resources }: PlannedSlice,
  owner: Stored<Composition>,
  before: Stored<ResourceSlice> | undefined,
  { client, namespace }: CommandStage,
): Promise<void> {
  if (before !== undefined && resources.length === 0) {
    const { uid, resourceVersion } = before.metadata;
    return client
      .delete(RESOURCE_SLICES, { namespace, name }, { preconditions: { uid, resourceVersion } })
      .then(() => undefined);
  }
  const slice: ResourceSlice = {
    apiVersion: apiVersionOf(RESOURCE_SLICES),
    kind: 'ResourceSlice',
    metadata: {
      name,
      namespace,
      ownerReferences: [ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true })],
    },
    spec: { resources: [...resources] },
  };
  if (before === undefined) await client.create(RESOURCE_SLICES, slice, { fieldManager: WRITER });
  else
    await client.update(
      RESOURCE_SLICES,
      { ...before, spec: { ...before.spec, resources: [...resources] } },
      { fieldManager: WRITER },
    );
}

/** The slices as they were just written, and those that go. */
async function follow(name: string, timeoutMs: number, stage: CommandStage): Promise<void> {
  const { client, namespace } = stage;
  const owner = await client.get(COMPOSITIONS, { namespace, name });
  await followApply(name, await slicesOf(owner, stage), timeoutMs, stage);
}
