import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, kubeconfigTransport, loadKubeconfig } from '@kubewright/client';
import { appsv1, type KubeObject, parseApiVersion } from '@kubewright/kube';
import { parseYamlStream } from '@kubewright/kube/yaml';
import { expect } from 'vitest';
import { type Program, start } from './run-operator.ts';

const key = { namespace: 'default', name: 'blog' };
const object: KubeObject = {
  apiVersion: 'shop.example.org/v1',
  kind: 'WebCache',
  metadata: key,
  spec: { image: 'blog:1.0', replicas: 2 },
};

/** The built program of a new operator makes an object of its kind ready, on a cluster of the project's own command line. */
export async function runProject(node: string, project: string): Promise<void> {
  const kubeconfig = join(project, 'kubeconfig');
  const command = 'node_modules/kubewright/bin/kubewright.mjs';
  const cluster = start(node, project, [command, 'cluster', '--port', '0', '--kubeconfig-out', kubeconfig]);
  const programs: Program[] = [cluster];
  try {
    await expect.poll(() => cluster.output(), { timeout: 60_000 }).toMatch(/^ready$/m);
    const transport = kubeconfigTransport(await loadKubeconfig(kubeconfig));
    const client = createClient(transport);
    const apply = async (one: KubeObject): Promise<unknown> =>
      client.apply({ ...parseApiVersion(one.apiVersion), kind: one.kind }, one, { fieldManager: 'test' });
    const access = readFileSync(join(project, 'manifests/access.yaml'), 'utf8');
    for (const one of parseYamlStream(access)) await apply(one as unknown as KubeObject);
    const free = ['--health-port', '0', '--webhook-port', '0'];
    programs.push(start(node, project, ['dist/main.cjs', '--kubeconfig', kubeconfig, ...free]));
    // Until the operator has installed its definition.
    const applied = (): Promise<boolean> =>
      apply(object).then(
        () => true,
        () => false,
      );
    await expect.poll(applied, { timeout: 60_000 }).toBe(true);
    const ready = async (): Promise<number | undefined> =>
      (await client.list(appsv1.deployments)).items.find(({ metadata: { name } }) => name === key.name)
        ?.status?.readyReplicas;
    await expect.poll(ready, { timeout: 60_000 }).toBe(2);
    await transport.close();
    for (const program of programs.toReversed()) expect(await program.stop()).toBe(0);
  } catch (cause) {
    throw new AggregateError([cause], programs.map((program) => program.output()).join('\n'), { cause });
  } finally {
    for (const program of programs) program.kill();
  }
}
