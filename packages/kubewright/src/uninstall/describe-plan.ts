import { printable } from '@kubewright/operators/list';
import { KINDS, SHOWN_FIRST } from './kinds-of-objects.ts';
import type { ObjectsOf, Plan, Target } from './plan-uninstall.ts';

const MOST_NAMED = 10;

/** What is deleted, for people: what cannot be had again first. */
export function describePlan(plan: Plan, keepsDefinitions: boolean): string {
  const { configurations, workloads, definitions, rest, home, stays } = plan;
  const objects = keepsDefinitions ? [] : plan.objects;
  const things = [...configurations, ...workloads, ...(keepsDefinitions ? [] : definitions), ...rest];
  if (things.length + objects.length === 0 && home === undefined) return 'nothing is installed\n';
  const lines = [
    ...shownOrder(objects).flatMap(describeObjects),
    ...countByKind(things),
    ...(home === undefined ? [] : [`the namespace ${home.name}`]),
  ];
  const kept = [
    ...(keepsDefinitions && definitions.length > 0
      ? [
          `kept: ${definitions.length} CustomResourceDefinitions and their objects, of which ${held(plan)} wait for operators to release finalizers before they can be deleted`,
        ]
      : []),
    ...(stays.length > 0 ? [`kept: the namespace, which also has ${firstOf(stays)}`] : []),
  ];
  return printable(`${['to be deleted:', ...lines.map((line) => `  ${line}`), ...kept].join('\n')}\n`);
}

function held({ objects }: Plan): number {
  return objects
    .flatMap((one) => one.objects)
    .filter(({ metadata: { finalizers = [] } }) => finalizers.length > 0).length;
}

function shownOrder(objects: readonly ObjectsOf[]): readonly ObjectsOf[] {
  const place = ({ ref: { kind } }: ObjectsOf): number =>
    SHOWN_FIRST.includes(kind) ? SHOWN_FIRST.indexOf(kind) : SHOWN_FIRST.length;
  return objects.toSorted((a, b) => place(a) - place(b));
}

function describeObjects({ ref: { kind }, objects }: ObjectsOf): readonly string[] {
  const names = objects.map(({ metadata: { namespace, name } }) =>
    namespace === undefined ? name : `${namespace}/${name}`,
  );
  const lost = KINDS[kind] ?? '';
  return [`${objects.length} ${kind}: ${firstOf(names)}`, ...(lost === '' ? [] : [`  ${lost}`])];
}

function firstOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

function countByKind(targets: readonly Target[]): readonly string[] {
  const kinds = [...new Set(targets.map(({ kind }) => kind))];
  return kinds.map((kind) => {
    const names = targets.filter((one) => one.kind === kind).map(({ name }) => name);
    return `${names.length} ${kind}: ${firstOf(names)}`;
  });
}
