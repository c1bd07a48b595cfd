import { randomUUID } from 'node:crypto';
import { type Client, createClient } from '@kubewright/client';
import { appsv1, corev1, type JsonObject, type KubeObject, type Transport } from '@kubewright/kube';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from './main.ts';

/** The part of a server under test that this suite uses; the repository's `TestServer` is one. */
type ServerUnderTest = { readonly kubeconfigPath: string; transport(): Transport };

const POD = 'spec.template.spec';
const DEPLOYMENTS = { group: 'apps', version: 'v1', kind: 'Deployment' };

/** What `kubewright owners` says of paths as people type them, on any API server. */
export function ownersContract(server: () => ServerUnderTest): void {
  describe('kubewright owners', () => {
    const namespace = `owners-${randomUUID().slice(0, 8)}`;
    let transport: Transport;
    let client: Client;
    let out = '';
    let err = '';

    beforeAll(async () => {
      transport = server().transport();
      client = createClient(transport);
      await client.create<KubeObject>(corev1.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
      });
      const setup = { name: 'setup', image: 'setup:1', command: ['sh'] };
      await client.create<KubeObject>(DEPLOYMENTS, deployment([setup], { replicas: 2 }), {
        fieldManager: 'Go-http-client',
      });
      const newer = deployment([{ name: 'setup', image: 'setup:2' }], {});
      await client.apply(DEPLOYMENTS, newer, { fieldManager: 'platform', force: true });
    });
    afterAll(async () => {
      await client.delete(appsv1.deployments, { namespace, name: 'web' });
      await client.delete(corev1.namespaces, { name: namespace });
      await transport.close();
    });
    beforeEach(() => {
      out = '';
      err = '';
    });

    function deployment(initContainers: readonly JsonObject[], more: JsonObject): KubeObject {
      const labels = { app: 'web' };
      const spec = { initContainers, containers: [{ name: 'web', image: 'web:1' }] };
      return {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', namespace },
        spec: { ...more, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      };
    }

    async function owners(...args: readonly string[]): Promise<number> {
      const terminal = {
        out: (text: string) => void (out += text),
        err: (text: string) => void (err += text),
        colour: false,
        env: {},
        cwd: '/',
        signal: new AbortController().signal,
      };
      const where = ['-n', namespace, '--kubeconfig', server().kubeconfigPath];
      return runCommand(['owners', 'deployment/web', ...args, ...where], terminal);
    }

    it('takes the path that the rejection of a removal prints, and says who would remove it and why not', async () => {
      const rejection: unknown = await client
        .apply(DEPLOYMENTS, deployment([], {}), { fieldManager: 'platform', force: true, dryRun: true })
        .catch((error: unknown) => error);
      const printed = /is invalid: (\S+):/.exec(String(rejection))?.[1] ?? '';
      expect(printed).toBe(`${POD}.initContainers[0].image`);
      expect(await owners(printed)).toBe(0);
      expect(out).toContain('platform (Apply): 1 field');
      expect(out).toContain(`If platform no longer applied ${POD}.initContainers[name="setup"].image`);

      out = '';
      expect(await owners('initContainers[0]')).toBe(0);
      expect(out).toContain('it would be rejected: ');
      expect(out).toContain(
        'move the claim on .spec.template.spec.initContainers[name="setup"] from Go-http-client',
      );
    });

    it.each(['spec.replicas', '/spec/replicas', '{.spec.replicas}', 'f:spec.f:replicas'])(
      'reads %s',
      async (path) => {
        expect(await owners(path)).toBe(0);
        expect(out).toContain('Go-http-client (Update): 1 field');
        expect(out).toContain('because platform has never applied it');
      },
    );

    it('says what is inside a field that is owned as a whole', async () => {
      expect(await owners('spec.selector.matchLabels.app')).toBe(0);
      expect(out).toContain('spec.selector is owned as a whole');
      expect(out).toMatch(/^spec\.selector +platform \(Apply\), Go-http-client \(Update\) {2}shared$/m);
    });

    it('of a field that is not set says so, and of one that does not exist', async () => {
      expect(await owners('spec.paused')).toBe(0);
      expect(out).toContain('spec.paused is not set, and nobody owns it');

      expect(await owners('spec.replica')).toBe(1);
      expect(err).toBe('kubewright: Deployment has no field spec.replica; did you mean spec.replicas?\n');
    });

    it('of an item that does not exist names those that do', async () => {
      expect(await owners('containers[1].image')).toBe(1);
      expect(err).toBe(`kubewright: ${POD}.containers has no item [1]; it has [name="web"]\n`);
    });

    it('-o json and yaml are for programs', async () => {
      expect(await owners('initContainers[0]', '-o', 'json')).toBe(0);
      const found: unknown = JSON.parse(out);
      expect(found).toMatchObject({
        object: { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'web' },
        path: { pattern: `${POD}.initContainers[name="setup"]`, isSet: true },
        removal: {
          manager: 'platform',
          result: 'Rejected',
          remedy: [expect.stringContaining('move the claim')],
        },
      });
      out = '';
      expect(await owners('-o', 'yaml')).toBe(0);
      expect(out).toMatch(/^ {2}- manager: platform$/m);
    });
  });
}
