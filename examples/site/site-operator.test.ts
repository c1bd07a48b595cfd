import { createApiServer } from '@kubewright/apiserver';
import { createClient } from '@kubewright/client';
import { appsv1, isConditionTrue } from '@kubewright/kube';
import { createManager, installDefinitions, waitForObject } from '@kubewright/runtime';
import { expect, test } from 'vitest';
import { addSiteController, sites } from './site-operator.ts';

const key = { namespace: 'default', name: 'blog' };

test('a Site is served, says so, and takes its host with it when it goes', async () => {
  const client = createClient(createApiServer().transport());
  await installDefinitions(client, [sites.definition], { fieldManager: 'test' });
  const manager = createManager({ client });
  const dns = new Map<string, string>();
  const fake = {
    set: async (h: string, t: string) => void dns.set(h, t),
    remove: async (h: string) => void dns.delete(h),
  };
  addSiteController(manager, fake);
  const stop = new AbortController();
  const running = manager.start(stop.signal);

  const spec = { host: 'blog.example.com', text: 'hello', replicas: 2 };
  await client.create(sites, { apiVersion: 'example.com/v1', kind: 'Site', metadata: key, spec });
  const deployment = await waitForObject(client, appsv1.deployments, key, (live) => live !== undefined);
  expect(deployment?.metadata.ownerReferences?.[0]).toMatchObject({ kind: 'Site', name: 'blog' });

  const body = { status: { replicas: 2, readyReplicas: 2 } }; // what the cluster's own controllers would say
  await client.patch(appsv1.deployments, key, { type: 'merge', body }, { subresource: 'status' });
  await waitForObject(client, sites, key, (site) => isConditionTrue(site?.status?.conditions, 'Ready'));
  expect(dns).toEqual(new Map([['blog.example.com', 'blog.default']]));

  await client.delete(sites, key);
  await waitForObject(client, sites, key, (site) => site === undefined);
  expect(dns).toEqual(new Map());
  stop.abort();
  await running;
});
