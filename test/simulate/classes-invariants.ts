import type { History, Scenario, Written } from '@kubewright/cluster';
import { isConditionTrue } from '@kubewright/kube';
import { type ClassRuntime, isLegal } from '@kubewright/operators';
import { flapping } from './classes-conditions.ts';

type Status = NonNullable<ClassRuntime['status']>;

/** `cooldown`: seconds; `most`: the replicas that the load needs in the end. */
type Limits = { readonly cooldown: number; readonly most: number };

/** The invariants of classes of these names, whatever the faults. */
export function classesInvariants(
  names: readonly string[],
  { cooldown, most }: Limits,
): Scenario['invariants'] {
  const ofEach = (check: (history: History, name: string) => string | undefined) => (history: History) =>
    names.map((name) => check(history, name)).find((fault) => fault !== undefined);
  return {
    'phases follow the table': ofEach(illegalEdge),
    'conditions agree': ofEach(contradiction),
    'a change of replicas is written down first': unannounced,
    'replicas do not fall while the load does not': fallen,
    'replicas are no more than the load needs': (history) => risen(history, most),
    'replicas change once per cooldown': ofEach((history, name) => hasty(history, name, cooldown)),
    'what was applied is not applied again': ofEach(repeated),
    'conditions change once per cause': ofEach(flapping),
  };
}

function statusesOf(history: History, name: string): readonly Status[] {
  return history.of('classruntimes', name).map((written) => statusIn(written));
}

function statusIn({ object }: Written): Status {
  return (object as ClassRuntime).status ?? {};
}

/** A class that is made again under the same name begins anew. */
function illegalEdge(history: History, name: string): string | undefined {
  const all = history.of('classruntimes', name);
  for (const [at, written] of all.entries()) {
    const before = all[at - 1];
    if (before?.object.metadata.uid !== written.object.metadata.uid) continue;
    const [from, to] = [statusIn(before).phase, statusIn(written).phase];
    if (!isLegal(from, to)) return `${name}: ${from} -> ${to}`;
  }
  return undefined;
}

function contradiction(history: History, name: string): string | undefined {
  for (const { conditions } of statusesOf(history, name)) {
    const yes = ['Progressing', 'Available', 'Degraded'].filter((type) => isConditionTrue(conditions, type));
    if (yes.length > 1) return `${name}: ${yes.join(' and ')} at once`;
  }
  return undefined;
}

/** Each change of the replicas of a Deployment, and the status of its class then. */
function changes(
  history: History,
): readonly { readonly name: string; readonly from: number; readonly to: number; readonly status: Status }[] {
  const statuses = new Map<string, Status>();
  const replicas = new Map<string, number>();
  return history.all.flatMap((written) => {
    const { name, uid, labels } = written.object.metadata;
    if (written.resource === 'classruntimes') statuses.set(name, statusIn(written));
    if (written.resource !== 'deployments') return [];
    const from = replicas.get(uid);
    const to = replicasIn(written);
    replicas.set(uid, to);
    const status = statuses.get(labels?.['oaas.io/owner'] ?? '') ?? {};
    return from === undefined || from === to ? [] : [{ name, from, to, status }];
  });
}

function replicasIn({ object }: Written): number {
  return (object['spec'] as { readonly replicas?: number } | undefined)?.replicas ?? 1;
}

function unannounced(history: History): string | undefined {
  const found = changes(history).find(
    ({ to, status }) =>
      !(status.nfr_details ?? []).some(({ enforcement }) => enforcement?.applying?.replicas === to),
  );
  return found && `${found.name}: ${found.from} -> ${found.to}`;
}

function fallen(history: History): string | undefined {
  const found = changes(history).find(({ from, to }) => to < from);
  return found && `${found.name}: ${found.from} -> ${found.to}`;
}

function risen(history: History, most: number): string | undefined {
  const found = changes(history).find(({ to }) => to > most);
  return found && `${found.name}: ${found.from} -> ${found.to}`;
}

/** By the clock that the operator itself goes by: it may be set while it runs. */
function hasty(history: History, name: string, cooldown: number): string | undefined {
  const last = new Map<string, string>();
  for (const { nfr_details = [] } of statusesOf(history, name))
    for (const { function_key, enforcement } of nfr_details) {
      const applied = enforcement?.applied_at;
      const before = last.get(function_key);
      if (applied === undefined || applied === before) continue;
      last.set(function_key, applied);
      if (before !== undefined && Date.parse(applied) - Date.parse(before) < cooldown * 1000)
        return `${name}: ${function_key} at ${before} and at ${applied}`;
    }
  return undefined;
}

/** Nobody else changes replicas in these worlds, so two equal entries of a function in a row are one too many. */
function repeated(history: History, name: string): string | undefined {
  const all = history.of('classruntimes', name);
  for (const written of all) {
    const last = new Map<string, number>();
    for (const { component, dimension, target, function_key } of statusIn(written)
      .last_applied_recommendations ?? []) {
      const key = `${component} ${function_key} ${dimension}`;
      if (last.get(key) === target) return `${name}: ${key} ${target} twice`;
      last.set(key, target);
    }
  }
  return undefined;
}
