import { createApiServer } from '@kubewright/apiserver';
import { createClient } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';
import { expect, test } from 'vitest';
import type { NodeAgents, NodeFacts } from './checkpoints/node-agents.ts';
import { observeNodes } from './observe-nodes.ts';
import { migrationOf, podOf } from './testing/migration-bench.ts';

const FACTS: NodeFacts = { arch: 'amd64', cgroup: 'v2', kernel: '6.18', criu: '4.2' };

test('the agents of Nodes that exist are called, and no host that a pod or a migration names', async () => {
  const server = createApiServer();
  const client = createClient(server.transport());
  const called: string[] = [];
  const agents = {
    facts: async (node: string) => {
      called.push(node);
      return FACTS;
    },
  } as Partial<NodeAgents> as NodeAgents;
  const named = podOf();
  const observe = async (targetNode: string) => {
    const { items } = await client.list(corev1.nodes);
    const node = items.find(({ metadata }) => metadata.name === targetNode);
    return observeNodes(migrationOf({ targetNode }), { named, node }, { client, agents });
  };

  expect(await observe('evil.example.com/x?')).toBeUndefined();
  const create = (name: string) =>
    client.create(corev1.nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: {} });
  await create('b');
  expect(await observe('b')).toEqual({ type: 'reached', source: undefined, target: FACTS });
  expect(called).toEqual(['b']);
  await create(named.spec.nodeName ?? '');
  expect(await observe('b')).toEqual({ type: 'reached', source: FACTS, target: FACTS });
  await server.close();
});
