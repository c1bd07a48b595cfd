import { expect, test } from 'vitest';
import { classOfUnit } from './class-of-unit.ts';
import type { DeploymentUnit, OdgmUnit } from './messages.ts';

const UNIT: DeploymentUnit = {
  id: 'd',
  package_name: 'shop',
  class_key: 'cart',
  functions: [
    { function_key: 'shop.add', provision_config: { container_image: 'add:1' } },
    { function_key: 'shop.nothing' },
  ],
  target_env: '',
  function_bindings: [{ name: 'add', function_key: 'shop.add', stateless: false }],
};
const ODGM: OdgmUnit = {
  collections: ['c'],
  options: {},
  env_node_ids: { here: { ids: ['9007199254740993'] } },
  collection_assignments: { c: { assignments: [{ primary: '1', replica: ['7'], shard_ids: ['1'] }] } },
};
const NAMED = { namespace: 'default', name: 'd' };

test('a unit without a data grid configuration has one collection of its name', () => {
  const { spec } = classOfUnit(UNIT, NAMED);
  expect(spec?.functions?.map(({ function_key }) => function_key)).toEqual(['shop.add']);
  expect(spec?.odgm_config).toEqual({
    collections: ['d'],
    partition_count: 1,
    replica_count: 1,
    shard_type: 'mst',
  });
});

test('bindings become routes whose URL the template fills in; ids beyond 2^53 are not rounded', () => {
  const { spec } = classOfUnit({ ...UNIT, odgm_config: ODGM }, NAMED);
  expect(spec?.odgm_config).toMatchObject({
    invocations: {
      fn_routes: { add: { url: '', function_key: 'shop.add', stateless: false, standby: false } },
    },
    env_node_ids: { here: [9_007_199_254_740_993n] },
    collection_assignments: { c: [{ primary: 1, replica: [7], shard_ids: [1] }] },
  });
});

test('a route to something else keeps its URL', () => {
  const fn_routes = { other: { url: 'http://other.example/', active_group: [] } };
  const odgm_config = { ...ODGM, invocations: { fn_routes, disabled_fn: ['x'] } };
  const { spec } = classOfUnit({ ...UNIT, odgm_config }, NAMED);
  expect(spec?.odgm_config?.invocations).toEqual({
    fn_routes: { other: { url: 'http://other.example/', active_group: [] } },
    disabled_fn: ['x'],
  });
});
