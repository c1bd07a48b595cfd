import type { History, Written } from '@kubewright/cluster';
import type { ClassRuntime } from '@kubewright/operators';
import { LOAD_RISES_AT } from './classes-load.ts';

type Conditions = NonNullable<NonNullable<ClassRuntime['status']>['conditions']>;

/**
 * The first condition of a class that changed twice for one cause. Causes are what others write of the class and its objects, and
 * what the operator writes to them, as when a retry succeeds; and the load that rises. Time alone is none: what a timer
 * changed stays as it is until something happens. The first status after a cause may be of a look before it, so what that
 * changes may change once more.
 */
export function flapping(history: History, name: string): string | undefined {
  const changed = new Set<string>();
  let isFirst = true;
  let before: Written | undefined;
  for (const written of history.all) {
    const isClass = written.resource === 'classruntimes' && written.object.metadata.name === name;
    if (!isClass && !concerns(written, name)) continue;
    if (isCause(written, before, isClass)) {
      changed.clear();
      isFirst = true;
    }
    if (!isClass) continue;
    const fault = changesOf(before, written).find((type) => changed.has(type));
    if (fault !== undefined)
      return `${name}: ${fault} changed again at ${written.at} ms, and nothing had happened`;
    if (!isFirst) for (const type of changesOf(before, written)) changed.add(type);
    isFirst = false;
    before = written;
  }
  return undefined;
}

/** An object with the class's label, or an autoscaler, which has none. */
function concerns({ resource, object: { metadata } }: Written, name: string): boolean {
  return resource === 'horizontalpodautoscalers' || metadata.labels?.['oaas.io/owner'] === name;
}

function isCause(written: Written, before: Written | undefined, isClass: boolean): boolean {
  if (!isClass || before === undefined) return true;
  const [old, now] = [before.object.metadata, written.object.metadata];
  const isAnother = old.uid !== now.uid || old.generation !== now.generation;
  return isAnother || (before.at < LOAD_RISES_AT && written.at >= LOAD_RISES_AT);
}

function changesOf(before: Written | undefined, after: Written): readonly string[] {
  const had = new Map(conditionsIn(before).map(({ type, status }) => [type, status]));
  // A condition that is new has not changed.
  return conditionsIn(after).flatMap(({ type, status }) =>
    [undefined, status].includes(had.get(type)) ? [] : [type],
  );
}

/** Without NfrEnforced: what it depends on, the load and its age, is in no history, and a clock that jumps makes it old. */
function conditionsIn(written: Written | undefined): Conditions {
  const all = (written?.object as ClassRuntime | undefined)?.status?.conditions ?? [];
  return all.filter(({ type }) => type !== 'NfrEnforced');
}
