import type { JsonObject, KubeObject, ManagedFieldsEntry, Stored } from '@kubewright/kube';
import { formatPath } from '@kubewright/kube/fields';
import { describe, expect, test } from 'vitest';
import { entry, item } from '../../testing/claims.ts';
import { container, deployment } from '../../testing/objects.ts';
import { planRecorded, type RecordedOptions } from './plan-recorded.ts';

const CREATOR = 'kubectl-create';

function setOf(spec: JsonObject): JsonObject {
  return { 'f:spec': spec };
}
const template = (fields: JsonObject): JsonObject => setOf({ 'f:template': { 'f:spec': fields } });
const named = (name: string, fields: JsonObject = {}): JsonObject => ({
  [item(name)]: { '.': {}, 'f:name': {}, 'f:image': {}, ...fields },
});

/** The object as the server has it. */
function liveOf(object: KubeObject, ...managedFields: readonly ManagedFieldsEntry[]): Stored {
  const metadata = { uid: 'u', resourceVersion: '7', namespace: 'shop', ...object.metadata, managedFields };
  return { ...object, metadata: { ...metadata, name: object.metadata.name ?? '' } };
}

type Given = { readonly manifest?: KubeObject; readonly earlier?: readonly KubeObject[] };

function planned(live: Stored, { manifest, earlier = [] }: Given, options: Partial<RecordedOptions> = {}) {
  const plan = planRecorded(
    live,
    {
      apiVersion: live.apiVersion,
      kind: live.kind,
      name: live.metadata.name,
      earlier: earlier,
      ...(manifest !== undefined && { manifest: manifest }),
    },
    { manager: 'helm', from: [], isShared: false, isScaled: false, ...options },
  );
  return {
    plan,
    moves: plan.kind === 'rewrite' ? plan.moves.map(({ path }) => formatPath(path)) : plan.kind,
    left: plan.left.map(({ path, why }) => `${formatPath(path)} ${why}`),
  };
}

const WITH = deployment('web', { init: [container('setup', 'i:1')] });
const WITHOUT = deployment('web');
const BY_CREATOR = entry(
  CREATOR,
  'Update',
  template({
    'f:containers': named('web'),
    'f:initContainers': { '.': {}, ...named('setup') },
    'f:dnsPolicy': {},
  }),
);
const BY_HELM = entry('helm', 'Apply', template({ 'f:containers': named('web') }));
const SETUP = '.spec.template.spec.initContainers[name="setup"]';

describe('what a tool dropped', () => {
  test('OWN-T88 is moved to it, and nothing else: neither defaults, nor what it still applies, nor what it never did', () => {
    const never = container('sidecar', 's:1');
    const live = liveOf(
      deployment('web', {
        init: [container('setup', 'i:1')],
        containers: [container('web', 'nginx:1'), never],
      }),
      BY_HELM,
      entry(
        CREATOR,
        'Update',
        template({
          'f:containers': { ...named('web'), ...named('sidecar') },
          'f:initContainers': { '.': {}, ...named('setup') },
          'f:dnsPolicy': {},
        }),
      ),
    );
    const { moves, left, plan } = planned(live, { manifest: WITHOUT, earlier: [WITHOUT, WITH] });
    expect(moves).toEqual([SETUP]);
    expect(left).toEqual([]);
    const ofCreator =
      plan.kind === 'rewrite' && plan.rewrite.entries.find(({ manager }) => manager === CREATOR);
    expect(ofCreator).toMatchObject({
      fieldsV1: template({
        'f:containers': { ...named('web'), ...named('sidecar') },
        'f:initContainers': { '.': {}, [item('setup')]: { 'f:name': {}, 'f:image': {} } },
        'f:dnsPolicy': {},
      }),
    });
  });

  test('OWN-T88 stays where another manager applies it', () => {
    const { moves, left } = planned(
      liveOf(
        WITH,
        BY_HELM,
        BY_CREATOR,
        entry('ci', 'Apply', template({ 'f:initContainers': named('setup') })),
      ),
      { manifest: WITHOUT, earlier: [WITH] },
    );
    expect(moves).toBe('nothing');
    expect(left).toContain(`${SETUP} Applied`);
  });

  test('OWN-T88 stays where somebody has changed its value since', () => {
    const settings = (data: JsonObject): KubeObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c' },
      data,
    });
    const data = (...keys: readonly string[]): JsonObject => ({
      'f:data': Object.fromEntries(keys.map((key) => [`f:${key}`, {}])),
    });
    const { moves, left } = planned(
      liveOf(
        settings({ keep: '1', old: '1', level: 'debug' }),
        entry('helm', 'Apply', data('keep'), 'v1'),
        entry(CREATOR, 'Update', data('keep', 'old'), 'v1'),
        entry('kubectl-edit', 'Update', data('level'), 'v1'),
      ),
      { manifest: settings({ keep: '1' }), earlier: [settings({ keep: '1', old: '1', level: 'info' })] },
    );
    expect(moves).toEqual(['.data.old']);
    expect(left).toEqual(['.data.level Changed']);
  });

  test('OWN-T84 replicas stay where an autoscaler sets them', () => {
    const withReplicas = deployment('web', {}, { replicas: 3 });
    const live = liveOf(withReplicas, BY_HELM, entry(CREATOR, 'Update', setOf({ 'f:replicas': {} })));
    const given = { manifest: WITHOUT, earlier: [withReplicas] };
    expect(planned(live, given).moves).toEqual(['.spec.replicas']);
    const scaled = planned(live, given, { isScaled: true });
    expect(scaled.moves).toBe('nothing');
    expect(scaled.left).toEqual(['.spec.replicas Scaled']);
  });

  test('of one port of two with the same number is the one that the manifest leaves out', () => {
    const port = (protocol?: string): JsonObject => ({
      port: 53,
      name: protocol ?? 'TCP',
      ...(protocol && { protocol }),
    });
    const service = (...ports: readonly JsonObject[]): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'dns' },
      spec: { ports },
    });
    const keyed = (protocol: string): JsonObject => ({
      [`k:{"port":53,"protocol":"${protocol}"}`]: { '.': {} },
    });
    const live = liveOf(
      service({ ...port(), protocol: 'TCP' }, port('UDP')),
      entry('helm', 'Apply', setOf({ 'f:ports': keyed('TCP') }), 'v1'),
      entry(CREATOR, 'Update', setOf({ 'f:ports': { ...keyed('TCP'), ...keyed('UDP') } }), 'v1'),
    );
    const both = service(port(), port('UDP'));
    expect(planned(live, { manifest: service(port()), earlier: [both] }).moves).toEqual([
      '.spec.ports[port=53,protocol="UDP"]',
    ]);
  });

  test('OWN-T89 of stringData is a key of data, also where nobody owns it', () => {
    const secret = (stringData: JsonObject): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's' },
      stringData,
    });
    const live = liveOf(
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 's' },
        data: { a: 'MQ==', b: 'MQ==', c: 'MQ==' },
      },
      entry('helm', 'Apply', { 'f:stringData': { 'f:a': {} } }, 'v1'),
      entry(CREATOR, 'Update', { 'f:data': { 'f:b': {} } }, 'v1'),
    );
    const given = { manifest: secret({ a: '1' }), earlier: [secret({ a: '1', b: '1', c: '1' })] };
    expect(planned(live, given).moves).toEqual(['.data.b', '.data.c']);
    const { plan } = planned({ ...live, data: { ...(live['data'] as JsonObject), x: 'MQ==' } }, given);
    expect(plan).toMatchObject({ kind: 'blocked', reason: 'Collateral' });
  });

  test('of a whole struct takes with it what the server defaulted in it', () => {
    const probe = (more: JsonObject = {}): KubeObject =>
      deployment('web', {
        containers: [container('web', 'nginx:1', { livenessProbe: { httpGet: { port: 80 }, ...more } })],
      });
    const probed = {
      'f:livenessProbe': {
        '.': {},
        'f:failureThreshold': {},
        'f:httpGet': { '.': {}, 'f:port': {}, 'f:scheme': {} },
      },
    };
    const { moves } = planned(
      liveOf(
        probe({ failureThreshold: 3, httpGet: { port: 80, scheme: 'HTTP' } }),
        BY_HELM,
        entry(CREATOR, 'Update', template({ 'f:containers': named('web', probed) })),
      ),
      { manifest: WITHOUT, earlier: [probe()] },
    );
    const root = '.spec.template.spec.containers[name="web"].livenessProbe';
    expect(moves).toEqual(
      ['', '.failureThreshold', '.httpGet', '.httpGet.port', '.httpGet.scheme'].map((one) => `${root}${one}`),
    );
  });

  test('is moved to an entry of its own, where the tool has none on the object yet', () => {
    const { moves, plan } = planned(liveOf(WITH, BY_CREATOR), { manifest: WITHOUT, earlier: [WITH] });
    expect(moves).toEqual([SETUP]);
    expect(plan.kind === 'rewrite' && plan.rewrite.entries[0]).toMatchObject({
      manager: 'helm',
      operation: 'Apply',
    });
  });

  test('OWN-T82 is moved before it is applied, where the newest revision has failed', () => {
    const behind = entry(
      'helm',
      'Apply',
      template({ 'f:containers': named('web'), 'f:initContainers': named('setup') }),
    );
    const { moves } = planned(liveOf(WITH, behind, BY_CREATOR), { manifest: WITHOUT, earlier: [WITH] });
    expect(moves).toEqual([SETUP]);
    const moved = entry(
      'helm',
      'Apply',
      template({ 'f:containers': named('web'), 'f:initContainers': { [item('setup')]: { '.': {} } } }),
    );
    const left = entry(
      CREATOR,
      'Update',
      template({ 'f:initContainers': { [item('setup')]: { 'f:image': {} } } }),
    );
    expect(planned(liveOf(WITH, moved, left), { manifest: WITHOUT, earlier: [WITH] }).moves).toBe('nothing');
  });

  test('OWN-T86 is not known without a record: --from names who writes no more', () => {
    const live = liveOf(WITH, BY_HELM, BY_CREATOR);
    expect(planned(live, {}).moves).toBe('nothing');
    expect(planned(live, {}, { from: [CREATOR] }).moves).toContain(SETUP);
  });

  test('OWN-T90 --shared moves what the tool applies now too, from Update entries only', () => {
    const live = liveOf(
      WITH,
      BY_HELM,
      BY_CREATOR,
      entry('ci', 'Apply', template({ 'f:containers': named('web') })),
    );
    const { moves, plan } = planned(live, { manifest: WITHOUT, earlier: [WITH] }, { isShared: true });
    expect(moves).toContain('.spec.template.spec.containers[name="web"].image');
    expect(moves).toContain(SETUP);
    expect(plan.kind === 'rewrite' && plan.rewrite.entries.map(({ manager }) => manager)).toEqual([
      'helm',
      CREATOR,
      'ci',
    ]);
  });
});
