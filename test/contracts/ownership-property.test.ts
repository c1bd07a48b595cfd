import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { JsonObject, KubeObject } from '@kubewright/kube';
import { field, FieldSet, formatPath, getPath, key, type Path } from '@kubewright/kube/fields';
import { runs } from '../support/seeds.ts';
import {
  identityOf,
  ownClaim,
  readManagedFields,
} from '../../packages/operators/src/ownership/read-managed-fields.ts';
import { type Arena, useArena } from '../../packages/operators/src/ownership/testing/server-under-test.ts';
import { describeServers } from '../servers/describe-servers.ts';

const CRDS = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };
const GROUP = 'property.example.com';
const RUNS = 150;

type Content = {
  readonly steps: readonly { readonly name: string; readonly image: string; readonly args?: string }[];
  readonly labels: Readonly<Record<string, string>>;
};
type Act = { readonly by: string; readonly verb: 'apply' | 'merge'; readonly content: Content };

const step = fc.record(
  { name: fc.constantFrom('a', 'b', 'c'), image: fc.constantFrom('1', '2'), args: fc.constantFrom('x', 'y') },
  { requiredKeys: ['name', 'image'] },
);
const content: fc.Arbitrary<Content> = fc.record({
  steps: fc.uniqueArray(step, { selector: ({ name }) => name, maxLength: 3 }),
  labels: fc.dictionary(fc.constantFrom('l', 'm'), fc.constantFrom('1', '2'), { noNullPrototype: true }),
});
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ by: fc.constantFrom('eno', 'other'), verb: fc.constant('apply' as const), content }),
  fc.record({ by: fc.constantFrom('legacy', 'tool', 'eno'), verb: fc.constant('merge' as const), content }),
);

/** From whom nothing may be taken. */
const kept = fc.option(fc.constantFrom('other', 'tool', 'legacy'), { nil: undefined });

function definition(): KubeObject {
  const text = { type: 'string' };
  const item = {
    type: 'object',
    required: ['name', 'image'],
    properties: { name: text, image: text, args: text },
  };
  const listMap = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
  const spec = { type: 'object', properties: { steps: { type: 'array', items: item, ...listMap } } };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `pipelines.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural: 'pipelines', singular: 'pipeline', kind: 'Pipeline', listKind: 'PipelineList' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

const pipeline = (name: string, { steps, labels }: Content): KubeObject => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Pipeline',
  metadata: { name, ...(Object.keys(labels).length === 0 ? {} : { labels }) },
  spec: steps.length === 0 ? {} : { steps },
});

/** What others may do, refused or not; the object begins as a legacy client's. */
async function quarrel(arena: Arena, name: string, first: Content, acts: readonly Act[]): Promise<void> {
  await arena.create(pipeline(name, first), 'legacy');
  for (const { by, verb, content: wanted } of acts) {
    const object = pipeline(name, wanted);
    const body = {
      metadata: { labels: wanted.labels },
      spec: { steps: wanted.steps },
    } as JsonObject;
    await (verb === 'apply'
      ? arena.apply(object, by)
      : arena.patch(object, body, by, { type: 'merge' })
    ).catch(() => undefined);
  }
}

const enoSet = (object: KubeObject): FieldSet =>
  ownClaim(readManagedFields(object).claims, 'eno')?.set ?? FieldSet.EMPTY;

const STEPS: Path = [field('spec'), field('steps')];
const LABELS: Path = [field('metadata'), field('labels')];
const stepAt = (name: string): Path => [...STEPS, key({ name })];
const labelAt = (name: string): Path => [...LABELS, field(name)];

/** What a server says that the applier of this content owns. */
function ownedBy({ steps, labels }: Content): FieldSet {
  const ofSteps = steps.flatMap(({ name, ...rest }) => [
    stepAt(name),
    ...Object.keys({ name, ...rest }).map((one) => [...stepAt(name), field(one)]),
  ]);
  const empty = steps.length === 0 ? [[field('spec')]] : [];
  return FieldSet.of(...ofSteps, ...empty, ...Object.keys(labels).map(labelAt));
}

/** Steps and labels, of which order does not count. */
type Parts = {
  readonly steps: Readonly<Record<string, JsonObject>>;
  readonly labels: Readonly<Record<string, string>>;
};

function partsOf(object: KubeObject): Parts {
  const { steps = [] } = (object['spec'] ?? {}) as { readonly steps?: readonly JsonObject[] };
  const named = steps.map(({ name, ...rest }) => [name as string, rest] as const);
  return { steps: Object.fromEntries(named), labels: object.metadata.labels ?? {} };
}

const without = <T>(of: Readonly<Record<string, T>>, isGone: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(of).filter(([name]) => !isGone(name)));

/** What eno owned, and its manifest lacks: whole steps, fields of steps that stay, and labels. */
function dropped(before: KubeObject, { steps, labels }: Content): readonly Path[] {
  const own = enoSet(before);
  const live = partsOf(before);
  const isWanted = (step: string) => steps.some(({ name }) => name === step);
  const owned = (path: Path) => own.has(path) || !own.at(path).isEmpty;
  const wholeSteps = Object.keys(live.steps).filter((name) => !isWanted(name));
  const args = steps
    .filter((one) => one.args === undefined)
    .map(({ name }) => [...stepAt(name), field('args')]);
  const ofLabels = Object.keys(live.labels).filter((name) => !Object.hasOwn(labels, name));
  return [...wholeSteps.map(stepAt), ...args, ...ofLabels.map(labelAt)].filter(owned);
}

/** Whether a manager owns this very path. */
const owns = (object: KubeObject, manager: string, path: Path): boolean =>
  readManagedFields(object).claims.some(({ owner, set }) => owner.manager === manager && set.has(path));

/** The object that has to come of it: what eno dropped is gone, what it wants is there, and all else is as it was. */
function expected(before: KubeObject, wanted: Content): Parts {
  const gone = new Set(dropped(before, wanted).map(formatPath));
  const isGone = (path: Path): boolean => gone.has(formatPath(path));
  const live = partsOf(before);
  const steps = without(live.steps, (name) => isGone(stepAt(name)));
  for (const { name, ...rest } of wanted.steps) {
    const kept = without(live.steps[name] ?? {}, (one) => isGone([...stepAt(name), field(one)]));
    steps[name] = { ...kept, ...rest };
  }
  return { steps, labels: { ...without(live.labels, (name) => isGone(labelAt(name))), ...wanted.labels } };
}

describeServers('minimal plans on random quarrels', (server) => {
  const anyKind = { apiGroups: [GROUP], resources: ['pipelines'] };
  const arena = useArena(server, anyKind);
  let count = 0;

  beforeAll(async () => {
    await arena.client.create(CRDS, definition());
    await vi.waitFor(() => arena.client.list({ group: GROUP, version: 'v1', kind: 'Pipeline' }), 60_000);
  });

  afterAll(() => arena.client.delete(CRDS, { name: definition().metadata.name ?? '' }));

  test('OWN-T55 what is no longer wanted goes unless it is not to be taken, all else stays, and a second pass writes nothing', async () => {
    const outcomes = { moved: 0, blocked: 0, kept: 0 };
    await fc.assert(
      fc.asyncProperty(
        content,
        fc.array(act, { maxLength: 6 }),
        content,
        kept,
        async (first, acts, wanted, keeps) => {
          const name = `p${count++}`;
          await quarrel(arena, name, first, acts);
          const object = pipeline(name, wanted);
          const before = await arena.get(object);

          const policy = keeps === undefined ? {} : { sources: [['*', `!${keeps}`]] };
          const result = await arena.reconcile(object, policy);

          const after = await arena.get(object);
          const isKept =
            keeps !== undefined && dropped(before, wanted).some((path) => owns(before, keeps, path));
          if (isKept) {
            outcomes.kept += 1;
            expect(result.state).toMatchObject({ reconciled: false, ownership: { state: 'Blocked' } });
            expect(result.state.reconciliationError).toContain(`${keeps} (`);
            expect(after).toEqual(before);
            return;
          }
          if (result.state.ownership?.reason === 'Collateral') {
            outcomes.blocked += 1;
            expect(after).toEqual(before);
            return;
          }
          if (result.state.ownership?.state === 'Moved') outcomes.moved += 1;
          expect(result.state).toMatchObject({ reconciled: true });
          expect(partsOf(after)).toEqual(expected(before, wanted));
          const own = ownedBy(wanted);
          expect(listed(enoSet(after))).toEqual(listed(own));
          const touched = dropped(before, wanted).reduce((all, path) => all.union(whole(path, before)), own);
          expect(changedClaims(before, after, touched)).toEqual([]);
          arena.writes();
          await arena.reconcile(object, policy, result.state);
          expect(arena.writes()).toEqual([]);
        },
      ),
      { numRuns: runs(RUNS) },
    );
    // What is drawn has to meet what this is about.
    expect(outcomes.moved).toBeGreaterThan(RUNS / 20);
    expect(outcomes.kept).toBeGreaterThan(0);
    expect(outcomes.blocked).toBeLessThan(outcomes.moved);
  });
});

const listed = (set: FieldSet): readonly string[] => [...set.paths()].map(formatPath).toSorted();

/** All claims at and below `path`. */
function whole(path: Path, object: KubeObject): FieldSet {
  const { claims } = readManagedFields(object);
  return claims.reduce((all, { set }) => all.union(set.at(path).prefixed(path)), FieldSet.of(path));
}

/**
 * Paths outside of `touched` that others own in only one of the two. What is gone from the object does not count, nor an
 * owned empty struct that the manifest gives a field: the server takes both from their owners.
 */
function changedClaims(before: KubeObject, after: KubeObject, touched: FieldSet): readonly string[] {
  const others = (object: KubeObject): ReadonlySet<string> =>
    new Set(
      readManagedFields(object)
        .claims.filter(({ owner }) => owner.manager !== 'eno' || owner.operation !== 'Apply')
        .flatMap(({ owner, set }) =>
          [...set.difference(touched).paths()]
            .filter((path) => touched.at(path).isEmpty && getPath(after, path) !== undefined)
            .map((path) => `${identityOf(owner)} ${formatPath(path)}`),
        ),
    );
  const [had, has] = [others(before), others(after)];
  return [...had, ...has].filter((claim) => had.has(claim) !== has.has(claim));
}
