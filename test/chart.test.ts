import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compareText, type JsonObject, type KubeObject } from '@kubewright/kube';
import { parseYamlStream } from '@kubewright/kube/yaml';
import { OPERATORS } from '@kubewright/operators';
import { describe, expect, test } from 'vitest';
import { chartFiles } from '../tools/chart/chart-files.ts';
import { findHelm } from '../tools/assets/find-helm.mjs';
import manifest from '../packages/kubewright/package.json' with { type: 'json' };
import { runLine } from '../packages/kubewright/src/cli/testing/run-line.ts';

const FOLDER = new URL('../charts/kubewright/', import.meta.url);
const NAMES = OPERATORS.map(({ name }) => name);
const helm = findHelm();

test('charts/kubewright is what `npm run chart` makes of the code', async () => {
  const files = await chartFiles();
  const found = readdirSync(FOLDER, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  expect(found.map(({ name }) => name).toSorted(compareText)).toEqual(
    [...files.keys()].map((path) => path.split('/').at(-1) ?? '').toSorted(compareText),
  );
  for (const [name, text] of files) expect(readFileSync(new URL(name, FOLDER), 'utf8'), name).toBe(text);
});

/** Helm 4's rendering; its exit code is not 0 where values are wrong. */
function template(...args: readonly string[]): {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
} {
  assert(helm !== undefined);
  const line = ['template', 'kw', fileURLToPath(FOLDER), '-n', 'ops', ...args];
  const { status, stdout, stderr } = spawnSync(helm['helm4'] ?? '', line, { encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
}

function objectsIn(yaml: string): readonly KubeObject[] {
  return parseYamlStream(yaml) as readonly KubeObject[];
}

async function installed(...args: readonly string[]): Promise<readonly KubeObject[]> {
  const { code, out } = await runLine([
    'install',
    '-n',
    'ops',
    '--image',
    `kubewright:${manifest.version}`,
    ...args,
  ]);
  expect(code).toBe(0);
  return objectsIn(out);
}

/** What both have, by kind and name. The chart leaves definitions to Helm, so that its manager has no rights on them. */
function comparable(objects: readonly KubeObject[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    objects
      .filter(({ kind }) => kind !== 'Namespace')
      .filter((object, _index, all) => hasRights(object, all))
      .map((object) => [
        `${object.kind} ${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`,
        comparableObject(object),
      ]),
  );
}

/** The manager has no cluster-wide rights of its own where nothing is called. */
function hasRights({ kind, metadata: { name } }: KubeObject, all: readonly KubeObject[]): boolean {
  if (name !== 'kubewright:manager' || !kind.startsWith('ClusterRole')) return true;
  return all.some(
    (one) =>
      one.kind === 'ClusterRole' &&
      one.metadata.name === name &&
      rightsIn(one['rules'] as unknown as readonly Rule[]).length > 0,
  );
}

function comparableObject(object: KubeObject): unknown {
  const { metadata, ...rest } = JSON.parse(JSON.stringify(object, withoutFlag)) as KubeObject;
  const { annotations: _kept, ...named } = metadata;
  const rules = rest['rules'] as readonly Rule[] | undefined;
  return { ...rest, metadata: named, ...(rules === undefined ? {} : { rules: rightsIn(rules) }) };
}

function withoutFlag(_key: string, value: unknown): unknown {
  return value === '--no-crds' ? undefined : value;
}

type Rule = Readonly<
  Record<
    'apiGroups' | 'resources' | 'resourceNames' | 'nonResourceURLs' | 'verbs',
    readonly string[] | undefined
  >
>;

function rightsIn(rules: readonly Rule[]): readonly string[] {
  const rights = rules.flatMap(
    ({ apiGroups = [], resources = [], resourceNames = ['*'], nonResourceURLs = [], verbs = [] }) =>
      [
        ...nonResourceURLs,
        ...apiGroups.flatMap((group) =>
          resources.flatMap((one) => resourceNames.map((name) => `${group}/${one}/${name}`)),
        ),
      ].flatMap((what) => verbs.map((verb) => `${verb} ${what}`)),
  );
  return [...new Set(rights)]
    .filter((right) => !/ apiextensions\.k8s\.io\/customresourcedefinitions\/[a-z]/.test(right))
    .toSorted();
}

/** `null` in a list of arguments is what was taken out. */
function clean(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_key, one: unknown) =>
    Array.isArray(one) ? one.filter((item) => item !== null) : one,
  );
}

const off = (on: readonly string[]): readonly string[] =>
  NAMES.filter((name) => !on.includes(name)).flatMap((name) => ['--set', `operators.${name}.enabled=false`]);

describe.skipIf(helm === undefined)(
  `the chart${helm === undefined ? ' [needs Helm 3 and 4: npm run assets:helm]' : ''}`,
  () => {
    test.each([
      ['all operators', NAMES, [], []],
      ...NAMES.map((name) => [`${name} alone`, [name], [], []] as const),
      ['agents of nodes', NAMES, ['--node-agents'], ['--set', 'nodeAgents.enabled=true']],
      [
        'what Prometheus and Grafana read',
        NAMES,
        ['--prometheus', '--dashboards'],
        ['--set', 'podMonitor.enabled=true,prometheusRule.enabled=true,dashboards.enabled=true'],
      ],
      [
        'settings',
        NAMES,
        ['--ms2m-brokers', 'rabbitmq.$(NAMESPACE).svc'],
        ['--set-string', 'operators.migration.settings.MS2M_BROKERS=rabbitmq.$(NAMESPACE).svc'],
      ],
    ] as const)('renders what "kubewright install" prints, with %s', async (_title, on, options, values) => {
      const printed = await installed('--operators', on.join(','), ...options);
      const { code, out, err } = template(...off(on), ...values);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(clean(comparable(objectsIn(out)))).toEqual(clean(comparable(withPolicy(printed))));
    });

    test.each([
      ['operators.drfit.enabled=false', "additional properties 'drfit' not allowed"],
      ['operators.drift.settings.DRIFT_X=1', "additional properties 'DRIFT_X' not allowed"],
      ['replicas=0', 'minimum'],
      ['image.digest=latest', 'does not match pattern'],
    ])('rejects %s', (value, message) => {
      const { code, err } = template('--set', value);
      expect(code).toBe(1);
      expect(err).toContain(message);
    });

    test('without an operator is rejected', () => {
      expect(template(...off([])).err).toContain('switch on at least one of operators');
    });

    test('has in its Deployment what values say', () => {
      const tolerations = [{ key: 'dedicated', operator: 'Exists' }];
      const topologySpreadConstraints = [
        { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' },
      ];
      const values = {
        replicas: 3,
        image: {
          repository: 'registry.example/kubewright',
          digest: `sha256:${'a'.repeat(64)}`,
          pullPolicy: 'Always',
        },
        imagePullSecrets: [{ name: 'pull' }],
        resources: { limits: { memory: '1Gi' } },
        priorityClassName: 'system-cluster-critical',
        nodeSelector: { pool: 'system' },
        affinity: { nodeAffinity: {} },
        podAnnotations: { a: 'b' },
        podLabels: { team: 'platform' },
        extraEnv: [{ name: 'HTTPS_PROXY', value: 'http://proxy.example' }],
        extraArgs: ['--webhook-host=::'],
        tolerations,
        topologySpreadConstraints,
      };
      const { out } = template(
        ...Object.entries(values).flatMap(([name, value]) => [
          '--set-json',
          `${name}=${JSON.stringify(value)}`,
        ]),
      );
      const deployment = objectsIn(out).find(({ kind }) => kind === 'Deployment');
      expect(deployment).toMatchObject({
        spec: {
          replicas: 3,
          template: {
            metadata: {
              annotations: { a: 'b' },
              labels: { team: 'platform', 'app.kubernetes.io/name': 'kubewright' },
            },
            spec: {
              imagePullSecrets: [{ name: 'pull' }],
              priorityClassName: 'system-cluster-critical',
              nodeSelector: { pool: 'system' },
              affinity: { nodeAffinity: {} },
              tolerations,
              topologySpreadConstraints,
              containers: [
                {
                  image: `registry.example/kubewright@sha256:${'a'.repeat(64)}`,
                  imagePullPolicy: 'Always',
                  resources: { limits: { memory: '1Gi' } },
                  args: expect.arrayContaining(['--no-crds', '--webhook-host=::']),
                  env: expect.arrayContaining(values.extraEnv),
                },
              ],
            },
          },
        },
      });
    });

    test('has with cert-manager a Certificate, paths, its authority in all configurations, and no rights on them', () => {
      const objects = objectsIn(template('--set', 'webhooks.certManager.enabled=true').out);
      const kinds = (kind: RegExp): readonly KubeObject[] => objects.filter((one) => kind.test(one.kind));
      expect(kinds(/^(Issuer|Certificate)$/)).toMatchObject(
        [
          { kind: 'Issuer', spec: { selfSigned: {} } },
          {
            spec: {
              dnsNames: ['kubewright.ops.svc'],
              issuerRef: { kind: 'Issuer', name: 'kubewright-webhooks' },
            },
          },
        ].toSorted((a, b) => ((a.kind ?? '') < (b.kind ?? '') ? -1 : 1)),
      );
      for (const one of kinds(/WebhookConfiguration|APIService/)) {
        expect(one.metadata.annotations).toEqual({
          'cert-manager.io/inject-ca-from': 'ops/kubewright-webhooks',
        });
        for (const webhook of (one['webhooks'] ?? []) as readonly JsonObject[])
          expect(webhook['clientConfig']).toMatchObject({ service: { path: expect.stringMatching(/^\//) } });
      }
      const role = objects.find(
        ({ kind, metadata }) => kind === 'Role' && metadata.name === 'kubewright:manager',
      );
      expect(JSON.stringify(role)).not.toContain('secrets');
      expect(JSON.stringify(objects.find(({ kind }) => kind === 'Deployment'))).toContain(
        '--webhook-cert-dir=',
      );
    });
  },
);

/** The chart names its pull policy, which "install" leaves to the default for the tag. */
function withPolicy(objects: readonly KubeObject[]): readonly KubeObject[] {
  return objects.map(
    (object) =>
      JSON.parse(JSON.stringify(object), (_key, value: unknown) =>
        isContainer(value) ? { ...value, imagePullPolicy: 'IfNotPresent' } : value,
      ) as KubeObject,
  );
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'image' in value && 'securityContext' in value;
}
