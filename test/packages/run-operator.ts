import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createClient, kubeconfigTransport, loadKubeconfig } from '@kubewright/client';
import { isConditionTrue } from '@kubewright/kube';
import { expect } from 'vitest';
import { type Site, sites } from '../../examples/site/site-operator.ts';
import { userEnvironment } from '../../tools/nodejs/releases.mjs';

const key = { namespace: 'default', name: 'blog' };
const site: Site = {
  apiVersion: 'example.com/v1',
  kind: 'Site',
  metadata: key,
  spec: { host: 'blog.example.com', text: 'hello', replicas: 2 },
};

/**
 * With the Node at `node`: the installed command line serves a cluster, the example's operator runs on it and makes a Site
 * ready, and both end when they are asked to.
 */
export async function runOperator(node: string, project: string): Promise<void> {
  const kubeconfig = join(project, 'kubeconfig');
  const command = 'node_modules/kubewright/bin/kubewright.mjs';
  const cluster = start(node, project, [command, 'cluster', '--port', '0', '--kubeconfig-out', kubeconfig]);
  const programs = [cluster];
  try {
    await expect.poll(() => cluster.output(), { timeout: 60_000 }).toMatch(/^ready$/m);
    programs.push(start(node, project, ['--import', 'tsx', 'main.ts', '--kubeconfig', kubeconfig]));
    await seeReady(kubeconfig);
    for (const program of programs.toReversed()) expect(await program.stop()).toBe(0);
  } catch (cause) {
    const message = programs.map((program) => program.output()).join('\n');
    throw new AggregateError([cause], message, { cause });
  } finally {
    for (const program of programs) program.kill();
  }
}

async function seeReady(kubeconfig: string): Promise<void> {
  const transport = kubeconfigTransport(await loadKubeconfig(kubeconfig));
  const client = createClient(transport);
  const created = (): Promise<boolean> =>
    client.create(sites, site).then(
      () => true,
      () => false, // the operator has not installed its definition yet
    );
  await expect.poll(created, { timeout: 60_000 }).toBe(true);
  const isReady = async (): Promise<boolean> =>
    isConditionTrue((await client.get(sites, key)).status?.conditions, 'Ready');
  await expect.poll(isReady, { timeout: 60_000 }).toBe(true);
  await transport.close();
}

export type Program = { output(): string; stop(): Promise<number | null>; kill(): void };

/** A program of which all is kept that it prints. */
export function start(node: string, cwd: string, args: readonly string[]): Program {
  const child = spawn(node, args, { cwd, env: userEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => void (output += text.toString()));
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve);
  });
  return {
    output: () => output,
    async stop() {
      child.kill('SIGTERM');
      return await ended;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
