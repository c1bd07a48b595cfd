import { createApiServer } from '@kubewright/apiserver';
import { createManager, silentLogger } from '@kubewright/runtime';
import { expect, test } from 'vitest';
import { anyKindApi } from '../kit/any-kind-api.ts';
import { act } from './act.ts';
import { createRest } from './rest/create-rest.ts';
import { shardFromEnvironment } from './shard.ts';
import { sliceReconciler } from './slice-reconciler.ts';

test('nothing is remembered of a change of a slice of another shard', async () => {
  const manager = createManager({
    name: 'shard',
    transport: createApiServer().transport(),
    log: silentLogger,
  });
  const rest = createRest(manager, {}).tools;
  const reconciler = sliceReconciler(manager, {
    env: {},
    shard: shardFromEnvironment({ COMPOSITION_NAMESPACE: 'ours' }),
    tools: { api: anyKindApi(manager.client), act },
    rest,
  });
  const request = { namespace: 'theirs', name: 'web-1' };
  rest.memory.noteTrigger(request);

  const context = {
    signal: new AbortController().signal,
    log: silentLogger,
    controller: 'resourceslice',
  };
  expect(await reconciler.reconcile(request, context)).toEqual({});
  expect(rest.memory.takeTrigger(request)).toBe(false);
});
