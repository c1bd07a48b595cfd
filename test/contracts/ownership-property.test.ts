import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { JsonObject, KubeObject } from '@kubewright/kube';
import { FieldSet, formatPath, getPath, type Path } from '@kubewright/kube/fields';
import { runs } from '../support/seeds.ts';
import {
  identityOf,
  ownClaim,
  readManagedFields,
} from '../../packages/operators/src/ownership/read-managed-fields.ts';
import { removalsOf } from '../../packages/operators/src/ownership/decide/removals-of.ts';
import { type Arena, useArena } from '../../packages/operators/src/ownership/testing/server-under-test.ts';
import { describeServers } from '../servers/describe-servers.ts';

const CRDS = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };
const GROUP = 'property.example.com';

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

const enoSet = (object: KubeObject) => ownClaim(readManagedFields(object).claims, 'eno')?.set;

describeServers('minimal plans on random quarrels', (server) => {
  const anyKind = { apiGroups: [GROUP], resources: ['pipelines'] };
  const arena = useArena(server, anyKind);
  let count = 0;

  beforeAll(async () => {
    await arena.client.create(CRDS, definition());
    await vi.waitFor(() => arena.client.list({ group: GROUP, version: 'v1', kind: 'Pipeline' }), 60_000);
  });

  afterAll(() => arena.client.delete(CRDS, { name: definition().metadata.name ?? '' }));

  test('OWN-T55 what is no longer wanted goes, what nobody asked about stays, and a second pass writes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(content, fc.array(act, { maxLength: 6 }), content, async (first, acts, wanted) => {
        const name = `p${count++}`;
        await quarrel(arena, name, first, acts);
        const object = pipeline(name, wanted);
        const before = await arena.get(object);

        const result = await arena.reconcile(object);

        const after = await arena.get(object);
        if (result.state.ownership?.reason === 'Collateral') {
          expect(after).toEqual(before);
          return;
        }
        expect(result.state).toMatchObject({ reconciled: true });
        const own = enoSet(before);
        const desired = enoSet(after);
        const removals = own === undefined || desired === undefined ? [] : removalsOf(own, desired);
        for (const { path } of removals) expect(getPath(after, path)).toBeUndefined();
        expect(outside(after, removals, wanted)).toEqual(outside(before, removals, wanted));
        const touched = removals.reduce(
          (all, { path }) => all.union(whole(path, before)),
          desired ?? FieldSet.EMPTY,
        );
        expect(changedClaims(before, after, touched)).toEqual([]);
        arena.writes();
        await arena.reconcile(object, {}, result.state);
        expect(arena.writes()).toEqual([]);
      }),
      { numRuns: runs(150) },
    );
  });
});

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

type Removals = readonly { readonly path: readonly string[] }[];

/** The leaves that were neither asked for nor to be removed, as `step.field` or `label`, with their values. */
function outside(object: KubeObject, removals: Removals, wanted: Content): Readonly<Record<string, unknown>> {
  const removed = new Set(removals.map(({ path }) => path.slice(-2).join(' ')));
  const isRemoved = (item: string, field: string): boolean =>
    removed.has(`f:steps k:{"name":"${item}"}`) || removed.has(`k:{"name":"${item}"} f:${field}`);
  const isWanted = (item: string, field: string): boolean =>
    wanted.steps.some((asked) => asked.name === item && Object.hasOwn(asked, field));
  const spec = object['spec'] as { readonly steps?: Content['steps'] } | undefined;
  const fields = (spec?.steps ?? []).flatMap(({ name, ...rest }) =>
    Object.entries(rest)
      .filter(([field]) => !isRemoved(name, field) && !isWanted(name, field))
      .map(([field, value]) => [`${name}.${field}`, value]),
  );
  const labels = Object.entries(object.metadata.labels ?? {}).filter(
    ([label]) => !removed.has(`f:labels f:${label}`) && !Object.hasOwn(wanted.labels, label),
  );
  return Object.fromEntries([...fields, ...labels]) as Record<string, unknown>;
}
