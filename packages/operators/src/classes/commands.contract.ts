import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ignoreNotFound } from '@kubewright/client';
import { appsv1, corev1, type JsonObject, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { describe, expect, test } from 'vitest';
import { useFolder } from '../../../../test/support/use-folder.ts';
import { runCommand } from '../kit/testing/run-command.ts';
import { useOperator } from '../kit/testing/use-operator.ts';
import { CLASS_RUNTIMES, type ClassRuntime } from './api.ts';
import { classesParts } from './controller.ts';
import { operator } from './operator.ts';

const MANIFEST = `
apiVersion: oaas.io/v1alpha1
kind: ClassRuntime
metadata: {name: cart}
spec:
  addons: []
  functions:
  - {function_key: cart.add, provision_config: {container_image: 'IMAGE'}}
  enforcement: {mode: enforce, dimensions: [replicas]}
  timeouts: {analyzer_interval_secs: 1, enforcement_stability_secs: 1, crashloop_restarts: 1}
`;

/** `kubewright class …`, as a person runs it. */
export function commandsContract(transport: () => Transport, prometheusUrl: () => string): void {
  describe('commands for ClassRuntimes', () => {
    const env = {
      get OPRC_CRM_PROM_URL() {
        return prometheusUrl();
      },
    };
    const classes = useOperator(transport, classesParts, { env });
    const folder = useFolder();
    const file = join(folder, 'cart.yaml');
    const cart = { namespace: classes.namespace, name: 'cart' };

    const run = (line: readonly string[], options?: Readonly<Record<string, string>>): Promise<string> => {
      const { admin: client, namespace } = classes;
      return runCommand(operator, { client, namespace, transport: transport() }, line, options);
    };
    const deploy = (image: string, more: Readonly<Record<string, string>> = {}): Promise<string> => {
      writeFileSync(file, MANIFEST.replace('IMAGE', image));
      return run(['class deploy'], { filename: file, timeout: '60s', ...more });
    };

    test('deploy shows what it would make, and makes nothing', async () => {
      const text = await deploy('cart:1', { dryRun: 'true' });
      expect(text).toBe(
        `ClassRuntime cart in ${classes.namespace}, by the template dev:\n  Deployment/cart\n  Service/cart\n`,
      );
      expect(await ignoreNotFound(classes.admin.get(CLASS_RUNTIMES, cart))).toBeUndefined();
    });

    test('deploy waits until the class is available', async () => {
      expect(await deploy('cart:1')).toBe(
        `ClassRuntime cart in ${classes.namespace} is available: all 2 objects are ready\n`,
      );
    });

    test('show has its functions, objects and conditions', async () => {
      const text = await run(['class show', 'cart']);
      expect(text).toContain(`ClassRuntime cart in ${classes.namespace}: available`);
      expect(text).toContain('template: dev, by Score');
      expect(text).toMatch(/^cart\.add +yes .*http:\/\/cart\..+\.svc\.cluster\.local\/$/m);
      expect(text).toContain('Deployment/cart');
      expect(text).toMatch(/^Available +True .* Ready +all 2 objects are ready$/m);
      await expect(run(['class show', 'none'])).rejects.toThrow('there is no ClassRuntime "none"');
    });

    test('plot draws what was recommended and applied', async () => {
      const recommended = (replicas: number): Promise<ClassRuntime | undefined> =>
        waitForObject(classes.admin, CLASS_RUNTIMES, cart, (live) => {
          const detail = live?.status?.nfr_details?.[0];
          return detail?.recommended === replicas && detail.current === replicas;
        });
      await recommended(1);
      const { items } = await classes.admin.list(corev1.pods, {
        namespace: classes.namespace,
        labelSelector: 'app=cart',
      });
      const [pod] = items;
      if (pod === undefined) throw new TypeError('the function has no pod');
      const annotations = { 'metrics.kubewright.dev/cpu': '900m' };
      await classes.admin.patch(corev1.pods, pod.metadata, {
        type: 'merge',
        body: { metadata: { annotations } },
      });
      const found = await recommended(2);
      const history = found?.status?.nfr_details?.[0]?.history ?? [];
      expect(history[0]).toMatchObject({ recommended: 1, current: 1 });
      expect(history.at(-1)).toMatchObject({ recommended: 2, target: 2, current: 2 });
      const svg = await run(['class plot', 'cart']);
      expect(svg).toMatch(/^<svg /);
      expect(svg).toContain(`cart in ${classes.namespace}: replicas of cart.add`);
    });

    test('CRT-A46 doctor says which signals the source has for the class, and fails where one is missing that it goes by', async () => {
      const doctor = () => run(['class doctor', 'cart'], { prometheus: prometheusUrl() });
      expect(await doctor()).toMatch(
        /^cart\.add: cpu +ok +900m of \d pods?; the newest sample is \d+ s old/m,
      );
      const nfr_requirements = { min_throughput_rps: 10 };
      const require = (spec: JsonObject) =>
        classes.admin.patch(CLASS_RUNTIMES, cart, { type: 'merge', body: { spec } });
      await require({ nfr_requirements });
      await expect(doctor()).rejects.toThrow(/^1 of 4 checks failed$/);
      await require({ nfr_requirements: null });
      await expect(run(['class doctor', 'cart'])).rejects.toThrow('name the source with --prometheus');
      const away = { prometheus: 'http://127.0.0.1:9' };
      await expect(run(['class doctor', 'cart'], away)).rejects.toThrow(/^1 of 1 checks failed$/);
    });

    test('CRT-D45 doctor says which settings of an installed manager have no effect, and what has', async () => {
      const labels = { 'app.kubernetes.io/name': 'kubewright' };
      const env = [{ name: 'OPRC_CRM_FEATURES_HPA', value: 'false' }];
      const spec = { containers: [{ name: 'manager', image: 'kubewright', env }] };
      await classes.admin.create(appsv1.deployments, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'kubewright', namespace: classes.namespace, labels },
        spec: { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      });
      expect(await run(['class doctor', 'cart'], { prometheus: prometheusUrl() })).toContain(
        `OPRC_CRM_FEATURES_HPA of Deployment ${classes.namespace}/kubewright has no effect: HorizontalPodAutoscalers`,
      );
    });

    test('explain says which row decided, and what would change it', async () => {
      const text = await run(['class explain', 'cart']);
      expect(text).toContain('because of row 14: all ready');
      expect(text).toContain('until: an object is not ready for longer than the grace');
    });

    test('deploy fails where the class is degraded, and where it cannot be one', async () => {
      await expect(deploy('crashing:1')).rejects.toThrow(
        /is degraded: CrashLoop: Pod cart-.+ restart count=/,
      );
      writeFileSync(file, 'kind: ConfigMap\napiVersion: v1\n');
      await expect(run(['class deploy'], { filename: file })).rejects.toThrow('only ClassRuntimes');
      writeFileSync(file, `${MANIFEST}    extra: [`);
      await expect(run(['class deploy'], { filename: file })).rejects.toThrow(file);
      await expect(run(['class deploy'], { filename: join(folder, 'none') })).rejects.toThrow('cannot read');
      await expect(run(['class deploy'])).rejects.toThrow('name a file with -f');
    });
  });
}
