import type { History, Written } from '@kubewright/cluster';
import type { ClassRuntime } from '@kubewright/operators';
import { Look } from './classes-looks.ts';

/** Deadlines are rounded up. */
const ROUNDED_MS = 2000;

/**
 * The first condition of a class that changed without a cause, or twice for one. A cause is what the process that wrote it
 * saw, and whoever last decided for the old value did not: a class or an object in another version or gone, an error
 * response, a new reading of the load. That a process has no reading is none: it may have just started. Without any, it is a
 * deadline that was announced then, and has passed. The same difference between two views is a cause once, also between two
 * processes: one whose cache is old may be corrected, and may not insist.
 */
export function flapping(history: History, name: string): string | undefined {
  const all = history.reported.filter((fact) => fact instanceof Look);
  const used = new Set<string>();
  for (const written of history.of('classruntimes', name)) {
    const types = changedIn(written);
    if (types.length === 0) continue;
    const { uid } = written.object.metadata;
    const ofIt = all.filter((look) => look.uid === uid && look.at <= written.at);
    const index = ofIt.findLastIndex((look) => isOf(look, written));
    const looks = ofIt.slice(0, index + 1);
    for (const type of types) {
      const cause = causeOf(type, looks);
      if (cause === undefined || used.has(`${uid} ${type} ${cause}`))
        return `${name}: ${type} changed again at ${written.at} ms, and nothing had happened`;
      used.add(`${uid} ${type} ${cause}`);
    }
  }
  return undefined;
}

/** The conditions with another status than before. One that is new has not changed. */
function changedIn({ object, previous }: Written): readonly string[] {
  const had = statusesIn(previous);
  return [...statusesIn(object)].flatMap(([type, status]) =>
    [undefined, status].includes(had.get(type)) ? [] : [type],
  );
}

function statusesIn(object: Written['object'] | undefined): ReadonlyMap<string, string> {
  const { conditions = [] } = (object as ClassRuntime | undefined)?.status ?? {};
  return new Map(conditions.map(({ type, status }) => [type, status]));
}

/** Whether this is what was decided: the status is written for one version only. */
function isOf({ version, conditions }: Look, { object, previous }: Written): boolean {
  return (
    version === previous?.metadata.resourceVersion &&
    JSON.stringify([...conditions]) === JSON.stringify([...statusesIn(object)])
  );
}

/** Why the last of these looks changed a condition, as a text: what differs from the last one that did not. */
function causeOf(type: string, looks: readonly Look[]): string | undefined {
  const look = looks.at(-1);
  const index = looks.findLastIndex(({ conditions }) => conditions.get(type) !== look?.conditions.get(type));
  const before = looks[index];
  if (look === undefined || before === undefined) return undefined;
  // The same samples are a new reading if more is wrong with them, or less.
  const isOther = look.loads.length > 0 && before.problems.some((one) => !look.problems.includes(one));
  const isRead = isOther || isNew(look.loads, before.loads) || isNew(look.problems, before.problems);
  const isDue = looks.slice(index, -1).some(({ due = Infinity }) => due <= look.at + ROUNDED_MS);
  if (look.seen === before.seen && !isRead && !isDue) return undefined;
  const view = ({ seen, loads, problems }: Look): string => [seen, ...loads, ...problems].join(' ');
  return `${view(before)} -> ${view(look)}`;
}

function isNew(now: readonly string[], before: readonly string[]): boolean {
  return now.some((one) => !before.includes(one));
}
