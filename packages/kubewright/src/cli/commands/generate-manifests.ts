import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { GenerateManifestsOptions } from '../../command-options.ts';
import { loadOperator } from '../../generate/load-operator.ts';
import { operatorManifests } from '../../generate/operator-manifests.ts';
import { readRequests } from '../../generate/read-requests.ts';
import type { Terminal } from '../../terminal.ts';
import { encodeYaml } from '../encode-yaml.ts';

const HEAD = '# Made by "kubewright generate manifests"; changes are lost.\n';

/** `kubewright generate manifests`: definitions, rights, webhooks and a Deployment of the manager of a project. */
export async function generateManifests(
  { operator: file, requests, out: folder, namespace, image }: GenerateManifestsOptions,
  { cwd, out }: Terminal,
): Promise<void> {
  const operator = await loadOperator(file, cwd);
  const files = operatorManifests(operator, {
    namespace: namespace ?? `${operator.name}-system`,
    image: image ?? operator.name,
    requests: requests.flatMap((path) => readRequests(resolve(cwd, path))),
  });
  mkdirSync(resolve(cwd, folder), { recursive: true });
  for (const [name, objects] of files) {
    if (objects.length === 0) continue;
    writeFileSync(
      join(resolve(cwd, folder), name),
      HEAD + objects.map((one) => encodeYaml(one)).join('---\n'),
    );
    out(`${join(folder, name)}: ${objects.map(({ kind }) => kind).join(', ')}\n`);
  }
}
