import { randomUUID } from 'node:crypto';
import { createClient } from '@kubewright/client';
import { corev1, type CustomResource, type KubeObject } from '@kubewright/kube';
import { OPERATORS } from '@kubewright/operators';
import { installDefinitions } from '@kubewright/runtime';
import { beforeAll, expect, test, vi } from 'vitest';
import { findKubectl } from '../../tools/assets/find.mjs';
import type { TestServer } from '../servers/test-server.ts';
import { runSession } from '../support/kubectl-session.ts';

const PATIENCE = { timeout: 60_000, interval: 500 };

const namesOf = (definition: object): { readonly shortNames?: readonly string[] } =>
  (definition as { readonly spec: { readonly names: { readonly shortNames?: readonly string[] } } }).spec
    .names;

/** What kubectl says of the kinds of all operators, and how it lists them. */
export function kubectlExplainContract(server: () => TestServer): void {
  const namespace = `explain-${randomUUID().slice(0, 8)}`;
  let resources: readonly Pick<CustomResource<KubeObject>, 'definition' | 'kind'>[] = [];

  beforeAll(async () => {
    const loaded = await Promise.all(OPERATORS.map((operator) => operator.load()));
    resources = loaded.flatMap((operator) => operator.resources);
    const client = createClient(server().transport());
    await installDefinitions(
      client,
      resources.map(({ definition }) => definition),
      { fieldManager: 'kubectl-explain', signal: new AbortController().signal },
    );
    await client.create<KubeObject>(corev1.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
  });

  /** All commands in one session: discovery is read once. */
  const kubectl = async (...commands: readonly string[]): Promise<readonly string[]> => {
    const results = await runSession(findKubectl() ?? '', server().kubeconfigPath, commands.join('\n%%\n'));
    return results.map(({ out, err }) => `${out}${err}`.replaceAll(/\s+/g, ' '));
  };

  test('kubectl explain teaches what a policy of drift says', async () => {
    // kube-apiserver publishes a schema some time after its definition.
    await vi.waitFor(async () => expect((await kubectl('explain kausality'))[0]).toMatch(/^GROUP/), PATIENCE);
    const [kind, spec, mode] = await kubectl(
      'explain kausality',
      'explain kausality.spec',
      'explain kau.spec.mode',
    );
    expect(kind).toContain('which changes by controllers are checked for drift, and whether drift is denied');
    for (const said of [
      'The resources whose objects are tracked: traced, and checked for drift.',
      'Only objects with these labels, before or after the change.',
      'Other modes for some of the objects.',
    ])
      expect(spec).toContain(said);
    expect(mode).toMatch(
      /log: drift is reported, and admitted\. enforce: it is denied unless it is approved/,
    );
  });

  test('kubectl explain --recursive knows every kind by its short name', async () => {
    const shortNames = resources.map(({ definition }) => namesOf(definition).shortNames?.[0] ?? 'none');
    expect(new Set(shortNames).size).toBe(resources.length);
    await vi.waitFor(async () => {
      const explained = await kubectl(...shortNames.map((name) => `explain ${name} --recursive`));
      resources.forEach(({ kind }, index) => expect(explained[index]).toContain(`KIND: ${kind} `));
    }, PATIENCE);
  });

  test('kubectl get kubewright lists what there is of all operators', async () => {
    const kau = JSON.stringify({
      apiVersion: 'kausality.io/v1alpha1',
      kind: 'Kausality',
      metadata: { name: namespace },
      spec: {
        mode: 'log',
        namespaces: { names: [namespace] },
        resources: [{ apiGroups: [`${namespace}.example.com`], resources: ['things'] }],
      },
    });
    const composition = JSON.stringify({
      apiVersion: 'eno.azure.io/v1',
      kind: 'Composition',
      metadata: { name: 'shop', namespace },
    });
    const [, , all, table] = await kubectl(
      `create -f -\n${kau}`,
      `create -f -\n${composition}`,
      'get kubewright -A -o name',
      'get kubewright -A',
    );
    expect(all).toContain(`kausality.kausality.io/${namespace}`);
    expect(all).toContain('composition.eno.azure.io/shop');
    expect(table).toMatch(/NAME MODE READY REASON COVERED ALARMS SINCE AGE/);
    const [deleted] = await kubectl(
      `delete kausality ${namespace}`,
      `delete composition shop -n ${namespace}`,
    );
    expect(deleted).toContain('deleted');
  });
}
