import { describe, expect, test } from 'vitest';
import type { ClassRuntime } from '../api.ts';
import { classOf, decidedAt, renderingOf, SETTINGS } from '../testing/class-bench.ts';
import { render } from './render.ts';

type Spec = Pick<ClassRuntime['spec'], 'placement' | 'probes'>;

function withSpec(spec: Spec): ClassRuntime {
  const runtime = classOf({ odgm: true });
  return { ...runtime, spec: { ...runtime.spec, ...spec } };
}

/** The pod of a workload. */
function podOf(spec: Spec, name = 'hello', settings = SETTINGS): object {
  const rendered = render(withSpec(spec), settings);
  if ('error' in rendered) throw new TypeError(rendered.error);
  const found = rendered.objects.find(
    (object) => object.kind === 'Deployment' && object.metadata.name === name,
  );
  return (
    (found?.kind === 'Deployment' && found.spec?.template?.spec) || expect.fail('there is a pod template')
  );
}

describe('placement', () => {
  test('functions and the data grid run on nodes with the labels, and are spread', () => {
    const placement = {
      regions: ['eu'],
      hw_classes: ['gpu'],
      spread: 'zone',
      node_selector: { pool: 'fast' },
      tolerations: [{ key: 'gpu', operator: 'Exists' }],
    } as const;
    for (const app of ['hello', 'hello-odgm'])
      expect(podOf({ placement }, app)).toMatchObject({
        nodeSelector: { pool: 'fast' },
        tolerations: [{ key: 'gpu', operator: 'Exists' }],
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                {
                  matchExpressions: [
                    { key: 'topology.kubernetes.io/region', operator: 'In', values: ['eu'] },
                    { key: 'oaas.io/hw-class', operator: 'In', values: ['gpu'] },
                  ],
                },
              ],
            },
          },
        },
        topologySpreadConstraints: [
          {
            topologyKey: 'topology.kubernetes.io/zone',
            whenUnsatisfiable: 'ScheduleAnyway',
            labelSelector: { matchLabels: { app, 'oaas.io/owner': 'hello' } },
          },
        ],
      });
  });

  test('what the whole environment has is not asked of its nodes', () => {
    expect(
      podOf({ placement: { regions: ['eu', 'us'] } }, 'hello', { ...SETTINGS, region: 'eu' }),
    ).not.toHaveProperty('affinity');
  });

  test('a class that does not fit is degraded, and says so', () => {
    const runtime = {
      ...withSpec({ placement: { zones: ['b', 'c'] } }),
      status: { phase: 'pending' } as const,
    };
    const rendered = render(runtime, { ...SETTINGS, zone: 'a' });
    expect(rendered).toEqual({
      error: 'PlacementMismatch: zones is b, c, and this environment is in a',
    });
    const told = decidedAt(5, runtime, [], [], { rendered });
    expect(told).toMatchObject({ phase: 'degraded', reason: 'ApplyInvalid' });
    expect(told.message).toContain('PlacementMismatch');
  });

  test('without it nothing is rendered', () => {
    const { objects } = renderingOf(classOf());
    expect(JSON.stringify(objects)).not.toMatch(/affinity|nodeSelector|tolerations|topologySpread/);
  });
});

test.each([
  [undefined, { tcpSocket: { port: 80 } }],
  [{ type: 'http', path: '/healthz' }, { httpGet: { path: '/healthz', port: 80 } }],
  [{ type: 'grpc' }, { grpc: { port: 80 } }],
] as const)('with probes %j a function is probed by %j', (probes, probe) => {
  const spec: Spec = probes === undefined ? {} : { probes };
  expect(podOf(spec)).toMatchObject({
    containers: [{ readinessProbe: probe, livenessProbe: { ...probe, failureThreshold: 6 } }],
  });
});

test('functions need not be probed; the data grid is, on its port', () => {
  const spec: Spec = { probes: { type: 'none' } };
  expect(JSON.stringify(podOf(spec))).not.toContain('Probe');
  expect(podOf(spec, 'hello-odgm')).toMatchObject({
    containers: [{ readinessProbe: { tcpSocket: { port: 8080 } } }],
  });
});
