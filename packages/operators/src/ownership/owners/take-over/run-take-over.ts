import type { Client, ResourceRef } from '@kubewright/client';
import { defined, type Json, type Stored } from '@kubewright/kube';
import type { SchemaNode } from '@kubewright/kube/schema';
import { listSetting } from '../../../kit/list-setting.ts';
import type { CommandCall, CommandRun, CommandStage } from '../../../kit/operator.ts';
import { OperatorError } from '../../../operator-error.ts';
import { readManagedFields } from '../../read-managed-fields.ts';
import { applierOf } from '../applier-of.ts';
import { resolveFieldPath } from '../field-path/resolve-field-path.ts';
import { findRemoval, type Removal } from '../find-removal.ts';
import { readObject } from '../read-objects.ts';
import { parseTarget, readTarget, type Target } from '../read-target.ts';
import { describeTakeOver, kubectlPatch, patchOf, takeOverFindings } from './describe-take-over.ts';
import { planTakeOver, type TakeOver, type TakeOverPlan, takeOverWrite } from './plan-take-over.ts';
import { migrateAll } from './migrate-all.ts';
import { isRewrite, writePlan, type Written } from './write-plan.ts';

type Connect = () => Promise<CommandStage>;

/** `kubewright owners plan KIND/NAME --to MANAGER`: what `migrate` would write. Only reads. */
export async function runPlan(call: CommandRun, connect: Connect): Promise<void> {
  const { filename } = call.options;
  const of =
    filename === undefined
      ? (await prepare(call, connect, 'owners plan')).of
      : await prepareFrom(filename, call);
  const taken = planTakeOver(of);
  const patch = patchOf(taken, of.live);
  const line = patch === undefined ? '' : `\nThe patch:\n${kubectlPatch(of.live, patch)}\n`;
  const { print, paint } = call.terminal;
  print({
    json: takeOverFindings(of, taken),
    text: () => `${describeTakeOver(of, taken, paint)}${line}`,
  });
}

/** `kubewright owners migrate KIND/NAME --to MANAGER`: moves the ownership with one guarded write. */
export async function runMigrate(call: CommandCall, connect: Connect): Promise<void> {
  if (call.args[0] === undefined && call.options['all'] === 'true')
    return migrateAll(call.options, managerOf(call.options), connect);
  return carryOut(await prepare(call, connect, 'owners migrate'), call.options);
}

/** `kubewright owners release KIND/NAME --fields PATHS --to MANAGER`: the same, in the other direction. */
export async function runRelease(call: CommandCall, connect: Connect): Promise<void> {
  const { fields, to: releaseTo = '', manager, dryRun } = call.options;
  checkDryRun(dryRun);
  if (releaseTo === '') throw new OperatorError('Usage', '--to is missing: the field manager that gets them');
  if (listSetting(fields).length === 0)
    throw new OperatorError('Usage', '--fields is missing: what to release, for example spec.replicas');
  const target = parseTarget(call.args[0] ?? '', 'owners release');
  const stage = await connect();
  const { ref, live } = await readTarget(target, stage);
  const remove = pathsOf(fields, live, await stage.findSchema(ref));
  const from = manager ?? applierOf(readManagedFields(live).claims, remove[0] ?? '');
  if (from === undefined)
    throw new OperatorError('Usage', 'nobody applies this object: there is nothing to release');
  return carryOut({ stage, ref, of: { live, manager: from, remove, releaseTo } }, call.options);
}

async function carryOut(
  { stage, of, ref }: Prepared,
  { yes, dryRun }: CommandCall['options'],
): Promise<void> {
  const taken = planTakeOver(of);
  if (!isRewrite(taken.plan) || dryRun === 'client')
    return printMigrated({ of, taken, dryRun, written: undefined, removals: [] }, stage);
  if (yes !== 'true' && dryRun === undefined) {
    stage.out(describeTakeOver(of, taken, stage.paint));
    const next = 'add --yes to write this, or --dry-run=server to try it';
    throw new OperatorError('Usage', `nothing was written; ${next}`);
  }
  const written = await writePlan(takeOverWrite(of, ref, dryRun === 'server'), stage.client);
  const removals = dryRun === undefined ? await checkRemovals(written, of, stage.client) : [];
  printMigrated({ of, taken, dryRun, written, removals }, stage);
}

/** Throws OperatorError `Usage` for what is no way of a dry run. */
export function checkDryRun(how: string | undefined): void {
  if (how === undefined || how === 'client' || how === 'server') return;
  throw new OperatorError('Usage', `--dry-run is client or server, not "${how}"`);
}

type Prepared = { readonly stage: CommandStage; readonly of: TakeOver; readonly ref: ResourceRef };

async function prepare({ args, options }: CommandCall, connect: Connect, verb: string): Promise<Prepared> {
  const target: Target = parseTarget(args[0] ?? '', verb);
  const manager = managerOf(options);
  const stage = await connect();
  const { ref, live } = await readTarget(target, stage);
  const schema = options['remove'] === undefined ? undefined : await stage.findSchema(ref);
  return { stage, ref, of: { live, manager, remove: pathsOf(options['remove'], live, schema) } };
}

async function prepareFrom(
  file: string,
  { args: [target], options, terminal }: CommandRun,
): Promise<TakeOver> {
  const manager = managerOf(options);
  const live = await readObject(
    file,
    terminal,
    target === undefined ? undefined : parseTarget(target, 'owners plan'),
  );
  if (live.metadata.resourceVersion === undefined)
    throw new OperatorError('Usage', `${file} lacks metadata.resourceVersion, which guards the patch`);
  return { live, manager, remove: pathsOf(options['remove'], live, undefined) };
}

function managerOf({ to }: CommandCall['options']): string {
  if (to !== undefined && to !== '') return to;
  throw new OperatorError('Usage', '--to is missing: the field manager that applies the object');
}

function pathsOf(texts: string | undefined, live: Stored, schema: SchemaNode | undefined): readonly string[] {
  const { claims } = readManagedFields(live);
  return listSetting(texts).map((text) => resolveFieldPath(text, { live, claims, schema }).pattern);
}

/** Whether each removal would succeed now, by a dry run. */
async function checkRemovals(
  written: Written | undefined,
  of: TakeOver,
  client: Client,
): Promise<readonly Removal[]> {
  const removals: Removal[] = [];
  if (written === undefined) return removals;
  for (const path of of.remove)
    removals.push(await findRemoval(client, { live: written.after, path, manager: of.manager }));
  return removals;
}

type Migrated = {
  readonly of: TakeOver;
  readonly taken: TakeOverPlan;
  readonly dryRun: string | undefined;
  readonly written: Written | undefined;
  readonly removals: readonly Removal[];
};

function printMigrated({ of, taken, dryRun, written, removals }: Migrated, stage: CommandStage): void {
  const undo = written === undefined || dryRun !== undefined ? undefined : rollbackOf(written);
  const more = defined({
    dryRun,
    written: undo !== undefined,
    rollback: undo,
    removals: removals.map(({ path, result }) => ({ path, result })),
  });
  const lines = [
    ...(dryRun === undefined ? [] : [`${dryRun} dry run: nothing was written`]),
    ...(undo === undefined ? [] : ['written']),
    ...(written === undefined && dryRun === undefined ? ['nothing was written'] : []),
    ...removals.map(({ path, result }) => `a dry run without ${path}: ${RESULTS[result]}`),
    ...(undo === undefined || written === undefined
      ? []
      : [`to undo it, as long as nothing else changes the object:\n${kubectlPatch(written.after, undo)}`]),
  ];
  stage.print({
    json: { ...takeOverFindings(of, taken), ...more },
    text: () => `${describeTakeOver(of, taken, stage.paint)}${lines.map((line) => `${line}\n`).join('')}`,
  });
}

const RESULTS: Readonly<Record<Removal['result'], string>> = {
  Removed: 'it is removed',
  Stays: 'it stays',
  Rejected: 'it is rejected',
  NotTried: 'not allowed for this user',
};

/** Restores the entries as they were. A stale `resourceVersion` leads to a 409. */
function rollbackOf({ before, after }: Written): readonly Json[] {
  const entries = (before.metadata.managedFields ?? []).map((entry) => ({ ...entry }));
  return [
    { op: 'replace', path: '/metadata/managedFields', value: entries },
    { op: 'replace', path: '/metadata/resourceVersion', value: after.metadata.resourceVersion },
  ];
}
