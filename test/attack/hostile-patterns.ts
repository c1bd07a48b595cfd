import { keyOf } from '@kubewright/client';
import { apiextensionsv1, appsv1, corev1, type JsonObject, ownerReferenceTo } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { APPROVAL_POLICIES } from '../../packages/operators/src/drift/approval-policy/approval-policies.ts';
import { ANNOTATIONS, COMPOSITIONS, RESOURCE_SLICES } from '../../packages/operators/src/ownership/api.ts';
import { type Attack, inputs } from './attack.ts';
import type { Installation } from './installation.ts';

/** A name that almost fits, and a text. */
const LONGEST_NAME = 'a'.repeat(63);
const TEXT = 'a'.repeat(300_000);
const GLOB = '*a*a*a*a*a*a*a*a*a*b';
const PATTERNS = [
  '^(a|a?)+$b',
  '^(a+)+$b',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(?:a?){99}a{99}b',
  '^(.*a){20}b$',
];
const EXPRESSIONS = [
  ...PATTERNS.map((pattern) => `self.data.text.matches('${pattern}')`),
  "self.data.text.split('').all(a, self.data.text.split('').all(b, self.data.text.replace('a', b) == a))",
  "lists.range(9999).exists(a, 'b'.matches('(a{9}|' + string(a) + '){99}'))",
  "self.data.text.findAll('a*b|a').size() < 0",
];

/** An editor of a namespace brings patterns and texts for which a regular expression or a glob may backtrack. */
export const hostilePatterns: Attack = {
  name: 'hostile-patterns',
  about: 'an editor writes globs, patterns and expressions that backtrack or loop, and texts for them',
  async play(installation) {
    const namespace = await installation.namespace('patterns');
    const [slices, definitions] = [
      await attackManager(installation, namespace),
      await attackServer(installation, namespace),
    ];
    return {
      inputs: slices.inputs + definitions.inputs,
      effects: [...slices.effects, ...definitions.effects],
    };
  },
};

type Part = { readonly inputs: number; readonly effects: readonly string[] };

async function attackManager({ client }: Installation, namespace: string): Promise<Part> {
  await client.create(appsv1.deployments, deployment(namespace, LONGEST_NAME));
  const rule = {
    apiVersion: '*',
    kind: '*',
    name: '*',
    mode: 'always',
    match: { cel: PATTERN_OF_POLICY },
  } as const;
  await client.create(APPROVAL_POLICIES, {
    apiVersion: 'kausality.io/v1alpha1',
    kind: 'ApprovalPolicy',
    metadata: { name: 'hostile', namespace },
    spec: { rules: [rule] },
  });
  const owner = await client.create(COMPOSITIONS, {
    apiVersion: 'eno.azure.io/v1',
    kind: 'Composition',
    metadata: { name: 'hostile', namespace },
    spec: {},
  });
  const count = inputs(80);
  const objects = [
    ...Array.from({ length: count }, (_, index) => configMap(namespace, index)),
    deployment(namespace, 'web', {
      [ANNOTATIONS.scope]: `spec.template.spec.containers[name=~"${GLOB}"]`,
      // That of the others, none of which becomes ready.
      [ANNOTATIONS.readinessGroup]: '-100',
    }),
    { ...configMap(namespace, 0), metadata: { name: 'honest', namespace } },
  ];
  const slice = await client.create(RESOURCE_SLICES, {
    apiVersion: 'eno.azure.io/v1',
    kind: 'ResourceSlice',
    metadata: {
      name: 'hostile',
      namespace,
      ownerReferences: [ownerReferenceTo(owner, { controller: true })],
    },
    spec: { resources: objects.map((object) => ({ manifest: JSON.stringify(object) })) },
  });
  const done = await waitForObject(client, RESOURCE_SLICES, keyOf(slice), (live) => {
    const states = live?.status?.resources ?? [];
    return states.length === objects.length && states.every(({ reconciled }) => reconciled === true);
  });
  const passed = (done?.status?.resources ?? []).slice(0, count).filter(({ ready }) => ready !== undefined);
  await client.get(corev1.configmaps, { namespace, name: 'honest' });
  await client.delete(COMPOSITIONS, keyOf(owner));
  await waitForObject(client, RESOURCE_SLICES, keyOf(slice), (live) => live === undefined);
  return { inputs: objects.length + 1, effects: passed.map(() => 'a check passed that ought to be stopped') };
}

const PATTERN_OF_POLICY = "new.metadata.name.matches('^(a|a?)+$b')";

/** Its checks never pass: each is false, or stopped. */
function configMap(namespace: string, index: number): JsonObject {
  const expression = EXPRESSIONS[index % EXPRESSIONS.length] ?? '';
  const override = { path: 'self.data.text', value: 'b', condition: expression };
  const annotations = {
    [ANNOTATIONS.readiness]: `${expression} && false`,
    [`${ANNOTATIONS.readiness}-more`]: expression,
    [ANNOTATIONS.overrides]: JSON.stringify([override]),
  };
  const data = { text: index % 2 === 0 ? LONGEST_NAME : TEXT.slice(0, 20_000) };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `c-${index}`, namespace, annotations },
    data,
  };
}

function deployment(namespace: string, container: string, annotations: Record<string, string> = {}) {
  const labels = { app: 'web' };
  const spec = { containers: [{ name: container, image: 'busybox' }] };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace, annotations },
    spec: { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  } as const;
}

/** Texts for patterns and formats that administrators wrote, and for the server's own. */
async function attackServer({ client, transport }: Installation, namespace: string): Promise<Part> {
  const group = 'hostile.example.com';
  const fields: Properties = {
    ...Object.fromEntries(PATTERNS.map((pattern, index) => [`p${index}`, { type: 'string', pattern }])),
    duration: { type: 'string', format: 'duration' },
    uri: { type: 'string', format: 'uri' },
    rule: { type: 'string', 'x-kubernetes-validations': [{ rule: "self.matches('^(a+)+$b')" }] },
  };
  const texts = [LONGEST_NAME, TEXT, `${'11x'.repeat(60)}!`, `http://${'@'.repeat(100_000)}:x`];
  await client.create(apiextensionsv1.customresourcedefinitions, definition(group, fields));
  const path = `/apis/${group}/v1/namespaces/${namespace}/texts`;
  const send = async (body: JsonObject): Promise<number> => {
    const { status, body: rest } = await transport.request({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    for await (const _ of rest);
    return status;
  };
  while ((await send({})) === 404);
  const bodies = Object.keys(fields).flatMap((field) =>
    texts.map((text, index) => ({
      apiVersion: `${group}/v1`,
      kind: 'Text',
      metadata: { name: `${field}-${index}` },
      spec: { [field]: text },
    })),
  );
  const effects: string[] = [];
  for (const body of bodies)
    if ((await send(body)) !== 422) effects.push(`${body.metadata.name} was not rejected`);
  return { inputs: bodies.length, effects };
}

type Properties = Readonly<Record<string, apiextensionsv1.JSONSchemaProps>>;

function definition(group: string, properties: Properties) {
  const spec = { type: 'object', properties } as const;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `texts.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'texts', kind: 'Text' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        },
      ],
    },
  } as const;
}
