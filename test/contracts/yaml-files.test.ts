import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient } from '@kubewright/client';
import { corev1, type KubeObject, systemClock, type Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ran, runLine } from '../../packages/kubewright/src/cli/testing/run-line.ts';
import { CLASS_RUNTIMES } from '../../packages/operators/src/classes/api.ts';
import { classesParts } from '../../packages/operators/src/classes/controller.ts';
import { driftParts } from '../../packages/operators/src/drift/controller.ts';
import { DECISION_LOGS } from '../../packages/operators/src/drift/decision-log/decision-logs.ts';
import { installOperators } from '../../packages/operators/src/kit/install-operators.ts';
import { describeClusters } from '../servers/describe-clusters.ts';
import { useFolder } from '../support/use-folder.ts';

/** Texts that look like numbers, times and dates: short commit hashes, an hour, a day. */
const TEXTS = { tag: 'e10', commit: 'e1234567', short: '1234e567', time: '22:30', day: '2026-11-29' };
const HASH = TEXTS.short;

/** As people write it: without quotes. */
function block(indent: string): string {
  return Object.entries(TEXTS)
    .map(([key, value]) => `${indent}${key}: ${value}\n`)
    .join('');
}

const RUNTIME = `apiVersion: oaas.io/v1alpha1
kind: ClassRuntime
metadata:
  name: typed
  labels: {commit: ${HASH}}
  annotations:
${block('    ')}spec:
  addons: []
  functions:
  - function_key: typed.get
    provision_config: {container_image: ${HASH}}
`;

const POLICY = `apiVersion: kausality.io/v1alpha1
kind: ApprovalPolicy
metadata: {name: typed}
spec:
  rules:
  - {apiVersion: v1, kind: ConfigMap, name: ${HASH}, expiry: 2099-11-29T22:30:00Z}
`;

/** Commands that read manifests from files, on any server. */
function yamlFiles(transport: () => Transport, kubeconfigPath: () => string): void {
  describe('a manifest with texts that look like numbers and times', () => {
    const namespace = `yaml-${randomUUID().slice(0, 8)}`;
    const folder = useFolder();
    let client: Client;
    beforeAll(async () => {
      client = createClient(transport());
      await installOperators(client, [classesParts, driftParts], { clock: systemClock, random: Math.random });
      const metadata = { name: namespace };
      await client.create<KubeObject>(corev1.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata });
    });
    afterAll(() => client.delete(corev1.namespaces, { name: namespace }));
    const run = (line: string, text: string): Promise<Ran> => {
      const file = join(folder, 'typed.yaml');
      writeFileSync(file, text);
      return runLine(`${line} -f ${file} -n ${namespace} --kubeconfig ${kubeconfigPath()}`);
    };

    test('is deployed by class deploy as kubectl would store it', async () => {
      // No operator runs: it is stored, and never available.
      const { code, err } = await run('class deploy --timeout 1s', RUNTIME);
      expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('typed') as string });
      const stored = await client.get(CLASS_RUNTIMES, { namespace, name: 'typed' });
      expect(stored).toMatchObject({
        metadata: { labels: { commit: HASH }, annotations: TEXTS },
        spec: { functions: [{ provision_config: { container_image: HASH } }] },
      });
    });

    test('is a policy by which drift simulate finds what it approves', async () => {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', name: HASH };
      const parent = { apiVersion: 'example.com/v1', kind: 'Site', name: 'web' };
      const decision = {
        time: '2026-11-29T22:30:00Z',
        times: 1,
        operation: 'UPDATE',
        object,
        parentGeneration: 1,
        user: 'somebody',
        reason: 'Drift',
        allowed: true,
        mode: 'log',
        fields: ['data.a'],
        trace: [],
        hops: 0,
      };
      const metadata = { name: 'typed', namespace };
      const log = { apiVersion: 'kausality.io/v1alpha1', kind: 'DecisionLog', metadata };
      const other = { ...decision, object: { ...object, name: 'other' } };
      await client.create(DECISION_LOGS, { ...log, spec: { parent, decisions: [decision, other] } } as never);
      const { code, out, err } = await run('drift simulate', POLICY);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain('1 of 2 drifts would have been approved\n');
      expect(out).toContain('ConfigMap other');
    });

    test('is printed by owners with its name, who wrote it and when, as they are', async () => {
      const owned = Object.keys(TEXTS)
        .map((key) => `"f:${key}": {}`)
        .join(', ');
      const manifest = `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${HASH}
  managedFields:
  - manager: ${HASH}
    operation: Apply
    apiVersion: v1
    time: 2026-11-29T22:30:00Z
    fieldsType: FieldsV1
    fieldsV1: {"f:data": {${owned}}}
data:
${block('  ')}`;
      const { code, out, err } = await run('owners', manifest);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain(`ConfigMap ${HASH}\n`);
      expect(out).toMatch(new RegExp(`${HASH} \\(?Apply.*: 5 fields, 2026-11-29T22:30:00Z\n`));
    });
  });
}

describeClusters(
  'commands that read files',
  { controllers: [], kubectl: true },
  (transport, _nodes, kubeconfigPath) => yamlFiles(transport, kubeconfigPath),
);
