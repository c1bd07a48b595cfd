import type { Json, KubeObject } from '@kubewright/kube';
import { loadCatalogue } from '@kubewright/kube/schema';
import { describe, expect, test } from 'vitest';
import { readManagedFields } from '../../read-managed-fields.ts';
import { closestName } from './closest-name.ts';
import { inPatternSyntax } from './in-pattern-syntax.ts';
import { resolveFieldPath } from './resolve-field-path.ts';

const web = 'k:{"name":"web"}';
const http = 'k:{"containerPort":80,"protocol":"TCP"}';
const CLAIMED: Json = {
  'f:metadata': {
    'f:annotations': { 'f:example.com/owner.name': {} },
    'f:labels': { '.': {}, 'f:app.kubernetes.io/name': {} },
    'f:finalizers': { 'v:"example.com/hold"': {} },
  },
  'f:spec': {
    'f:replicas': {},
    'f:selector': {},
    'f:template': {
      'f:spec': {
        'f:containers': {
          [web]: { '.': {}, 'f:image': {}, 'f:command': {}, 'f:ports': { [http]: { '.': {} } } },
          'k:{"name":"proxy"}': { '.': {}, 'f:name': {} },
        },
      },
    },
  },
};

const LIVE: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'web',
    namespace: 'shop',
    annotations: { 'example.com/owner.name': 'a', '7': 'b' },
    labels: { 'app.kubernetes.io/name': 'web', team: 'a' },
    finalizers: ['example.com/hold'],
    managedFields: [
      { manager: 'a', operation: 'Apply', apiVersion: 'apps/v1', fieldsType: 'FieldsV1', fieldsV1: CLAIMED },
    ],
  },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [
          {
            name: 'web',
            image: 'i:1',
            command: ['sh', '-c'],
            ports: [{ containerPort: 80, protocol: 'TCP', name: 'http' }],
          },
          { name: 'proxy', image: 'i:2' },
        ],
      },
    },
  },
};

const schema = loadCatalogue().schemaOf({ group: 'apps', version: 'v1', kind: 'Deployment' });
const { claims } = readManagedFields(LIVE);
const resolve = (text: string, ...known: readonly [typeof schema] | readonly []) =>
  resolveFieldPath(text, { live: LIVE, claims, schema: known.length === 0 ? schema : known[0] });
const POD = 'spec.template.spec';

describe('a field is found by what people type', () => {
  test.each([
    ['spec.replicas', 'spec.replicas'],
    ['.spec.replicas', 'spec.replicas'],
    ['{.spec.replicas}', 'spec.replicas'],
    ['{$.spec.replicas}', 'spec.replicas'],
    ['$.spec.replicas', 'spec.replicas'],
    ['/spec/replicas', 'spec.replicas'],
    ['f:spec.f:replicas', 'spec.replicas'],
    ['f:spec/f:replicas', 'spec.replicas'],
    // Positions, as validation errors print them.
    [`${POD}.containers[0].image`, `${POD}.containers[name="web"].image`],
    ['containers[0].image', `${POD}.containers[name="web"].image`],
    ['containers[0].ports[0]', `${POD}.containers[name="web"].ports[containerPort=80,protocol="TCP"]`],
    ['/spec/template/spec/containers/1/name', `${POD}.containers[name="proxy"].name`],
    ['metadata.finalizers[0]', 'metadata.finalizers[="example.com/hold"]'],
    ['metadata.labels[app.kubernetes.io/name]', `metadata.labels['app.kubernetes.io/name']`],
    // Items by other fields than their keys.
    [
      'containers[name=web].ports[name="http"]',
      `${POD}.containers[name="web"].ports[containerPort=80,protocol="TCP"]`,
    ],
    [`{.${POD}.containers[?(@.name=="web")].image}`, `${POD}.containers[name="web"].image`],
    [`{.${POD}.containers[?(@.name=='web')].image}`, `${POD}.containers[name="web"].image`],
    // Names with dots.
    [`metadata.labels['app.kubernetes.io/name']`, `metadata.labels['app.kubernetes.io/name']`],
    ['metadata.labels["app.kubernetes.io/name"]', `metadata.labels['app.kubernetes.io/name']`],
    [String.raw`{.metadata.labels.app\.kubernetes\.io/name}`, `metadata.labels['app.kubernetes.io/name']`],
    ['/metadata/labels/app.kubernetes.io~1name', `metadata.labels['app.kubernetes.io/name']`],
    ['f:metadata.f:labels.f:app.kubernetes.io/name', `metadata.labels['app.kubernetes.io/name']`],
    ['metadata.annotations[7]', 'metadata.annotations.7'],
    // What managedFields hold.
    ['f:spec.f:template.f:spec.f:containers.k:{"name":"web"}.f:image', `${POD}.containers[name="web"].image`],
    ['f:metadata.f:finalizers.v:"example.com/hold"', 'metadata.finalizers[="example.com/hold"]'],
    // Patterns stay.
    ['!spec', '!spec'],
    [`${POD}.containers[*].image`, `${POD}.containers[*].image`],
    [`${POD}.containers[name=~"w*"].image`, `${POD}.containers[name="web"].image`],
    [`${POD}.containers[name=~"*"].image`, `${POD}.containers[name=~"*"].image`],
  ])('%s', (text, pattern) => {
    expect(resolve(text)).toEqual({ pattern, isSet: true });
    expect(resolve(text, undefined)).toEqual({ pattern, isSet: true });
  });

  test('one that the kind has and nobody has set', () => {
    expect(resolve('spec.paused')).toEqual({ pattern: 'spec.paused', isSet: false });
    expect(resolve('metadata.labels.none')).toEqual({ pattern: 'metadata.labels.none', isSet: false });
  });

  test('by its owned whole, where the server records nothing below', () => {
    const command = `${POD}.containers[name="web"].command`;
    expect(resolve('containers[0].command[1]')).toEqual({
      pattern: command,
      isSet: true,
      within: `${command}[1]`,
    });
    expect(resolve('spec.selector.matchLabels.app')).toEqual({
      pattern: 'spec.selector',
      isSet: true,
      within: 'spec.selector.matchLabels.app',
    });
  });

  test('not by the membership around it', () => {
    expect(resolve('metadata.labels.team')).toEqual({ pattern: 'metadata.labels.team', isSet: true });
    expect(resolve('containers[1].image')).toEqual({
      pattern: `${POD}.containers[name="proxy"].image`,
      isSet: true,
    });
  });
});

describe('what is not there is said', () => {
  test.each([
    ['spec.replica', 'Deployment has no field spec.replica; did you mean spec.replicas?'],
    ['spec.Replicas', 'Deployment has no field spec.Replicas; did you mean spec.replicas?'],
    ['spec.banana', 'Deployment has no field spec.banana'],
    ['banana', 'Deployment has no field banana'],
    ['/spec/banana', 'Deployment has no field spec.banana'],
    [
      'containers[0].imag',
      `Deployment has no field ${POD}.containers[name="web"].imag; did you mean ${POD}.containers[name="web"].image?`,
    ],
    ['spec.replicas.least', 'Deployment has no field spec.replicas.least'],
    ['containers[2].image', `${POD}.containers has no item [2]; it has [name="proxy"], [name="web"]`],
    [
      'containers[name="db"]',
      `${POD}.containers has no item [name="db"]; it has [name="proxy"], [name="web"]`,
    ],
    [
      'containers.image',
      `${POD}.containers is a list; write ${POD}.containers[0].image or ${POD}.containers[name="…"].image`,
    ],
    ['spec.replicas[name="a"]', 'spec.replicas is no list'],
    [
      'image',
      `"image" is in several places; write one of ${POD}.containers[0].image, ${POD}.containers[1].image`,
    ],
  ])('%s', (text, message) => {
    expect(() => resolve(text)).toThrow(expect.objectContaining({ message }));
  });

  test('without a schema a field that is not set may exist', () => {
    expect(resolve('spec.banana', undefined)).toEqual({ pattern: 'spec.banana', isSet: false });
  });

  test.each(['', 'spec[', '{.spec..replicas}', 'k:{"name":'])('%j is no path', (text) => {
    expect(() => resolve(text)).toThrow(/invalid path/);
  });

  test('hostile names are names', () => {
    const object = JSON.parse(
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"__proto__":"x"}}',
    ) as KubeObject;
    const found = (text: string) => resolveFieldPath(text, { live: object, claims: [], schema: undefined });
    expect(found('data.__proto__').isSet).toBe(true);
    expect(found('data.constructor').isSet).toBe(false);
    expect(found('/data/toString').isSet).toBe(false);
  });
});

test('syntax alone', () => {
  expect(inPatternSyntax(`/data/it's`)).toBe(String.raw`.data['it\'s']`);
  expect(inPatternSyntax('data["a\\"b"]')).toBe(`data['a"b']`);
});

test.each([
  ['replica', 'replicas'],
  ['imagePulPolicy', 'imagePullPolicy'],
  ['x', undefined],
  ['zzzzzz', undefined],
])('the name closest to %s is %s', (text, name) => {
  expect(closestName(text, ['replicas', 'image', 'imagePullPolicy'])).toBe(name);
});
