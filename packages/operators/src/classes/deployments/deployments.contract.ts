import { connect } from 'node:net';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { type Client as KubeClient, createClient } from '@kubewright/client';
import { appsv1, corev1, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../../kit/testing/use-operator.ts';
import { CLASS_RUNTIMES, type ClassRuntime } from '../api.ts';
import { classesParts } from '../controller.ts';
import { addDeployments, deploymentsPart } from './deployments-part.ts';
import { protoFiles } from './proto-files.ts';
import { serviceDefinition } from './service-definition.ts';

type Fields = Readonly<Record<string, unknown>>;
type Called = { readonly response: Fields; readonly correlationId?: string | undefined };

/** The package manager's calls, over a socket, on a cluster with Deployments and nodes. */
export function deploymentsContract(transport: () => Transport): void {
  describe('deployments of a package manager', () => {
    let onPort: (port: number) => void = () => undefined;
    const listening = new Promise<number>((resolve) => (onPort = resolve));
    const namespace = `deployments-${Math.floor(performance.timeOrigin)}-${process.pid}`;
    const listen = { host: '127.0.0.1', port: 0, onListening: (port: number) => onPort(port) };
    const api = {
      ...deploymentsPart,
      add: (...[manager]: Parameters<typeof addDeployments>) =>
        addDeployments(manager, { OPRC_CRM_K8S_NAMESPACE: namespace }, { listen }),
    };
    const parts = classesParts.parts.map((part) => (part.account === api.account ? api : part));
    const classes = useOperator(transport, { ...classesParts, parts });
    let grpc: Client | undefined;
    let admin: KubeClient;
    let port = 0;

    beforeAll(async () => {
      admin = createClient(transport());
      const metadata = { name: namespace };
      await admin.create(corev1.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata, spec: {} });
      port = await listening;
      grpc = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    });
    afterAll(() => grpc?.close());

    const { root } = protoFiles();
    const call = (method: string, request: Fields, headers: Readonly<Record<string, string>> = {}) =>
      callOf(grpc, { root, method, request, headers });
    const unit = (id: string, image: string): Fields => ({
      deployment_unit: {
        id,
        package_name: 'shop',
        class_key: 'cart',
        functions: [{ function_key: 'shop.cart', provision_config: { container_image: image, port: 8080 } }],
        odgm_config: { collections: ['carts'], odgm_node_id: '18446744073709', partition_count: 2 },
        class_requirements: { min_throughput_rps: 100 },
      },
    });
    const reached = (name: string, holds: (live: ClassRuntime) => boolean): Promise<unknown> =>
      waitForObject(
        classes.admin,
        CLASS_RUNTIMES,
        { namespace, name },
        (live) => live !== undefined && holds(live),
      );

    test('CRT-T15 CRT-D15 a deployment becomes a class; deployed again with another image, the same class has it', async () => {
      const first = await call('DeploymentService/Deploy', unit('shop-cart-1', 'cart:1'), {
        'x-correlation-id': 'c-1',
      });
      expect(first.response).toMatchObject({ status: 'OK', deployment_id: 'shop-cart-1', generation: '1' });
      expect(first.correlationId).toBe('c-1');
      await reached('shop-cart-1', ({ status: live }) => live?.phase === 'available');
      const second = await call('DeploymentService/Deploy', unit('shop-cart-1', 'cart:2'));
      expect(second.response).toMatchObject({ generation: '2' });
      await reached(
        'shop-cart-1',
        ({ status: live }) => live?.phase === 'available' && live.observed_generation === 2,
      );
      const deployment = await admin.get(appsv1.deployments, { namespace, name: 'shop-cart-1' });
      expect(deployment.spec?.template?.spec?.containers[0]?.image).toBe('cart:2');
      const { metadata, spec } = await admin.get(CLASS_RUNTIMES, { namespace, name: 'shop-cart-1' });
      expect(metadata.labels).toEqual({ 'oaas.io/deployment-id': 'shop-cart-1' });
      expect(spec).toMatchObject({
        package_class_key: 'shop.cart',
        odgm_config: { node_id: 18_446_744_073_709, partition_count: 2 },
        nfr_requirements: { min_throughput_rps: 100 },
      });
    });

    test('CRT-T15 status, list and one class say what it is', async () => {
      const { response } = await call('DeploymentService/GetDeploymentStatus', {
        deployment_id: 'shop-cart-1',
      });
      expect(response).toMatchObject({
        status: 'OK',
        message: 'Available',
        deployment: { package_name: 'shop', class_key: 'cart', functions: [{ function_key: 'shop.cart' }] },
      });
      const one = await call('DeploymentService/GetClassRuntime', { deployment_id: 'shop-cart-1' });
      expect(one.response['deployment']).toMatchObject({
        id: 'shop-cart-1',
        status: { condition: 'RUNNING', phase: 'PHASE_RUNNING', functions: [{ ready: true }] },
        partition_count: 2,
      });
      const counts = await Promise.all(
        [{}, { package_name: 'shop' }, { package_name: 'none' }, { status: 'Available' }, { offset: 1 }].map(
          async (filter) => (await call('DeploymentService/ListClassRuntimes', filter)).response['items'],
        ),
      );
      expect(counts.map((items) => (items as readonly unknown[]).length)).toEqual([1, 1, 0, 1, 0]);
    });

    test('CRT-T16 an id with other characters may be deployed again', async () => {
      await call('DeploymentService/Deploy', unit('A.B_c', 'cart:1'));
      const { response } = await call('DeploymentService/Deploy', unit('A.B_c', 'cart:1'));
      expect(response).toMatchObject({ status: 'OK', deployment_id: 'A.B_c', generation: '1' });
    });

    test('what is not there, not valid, or not theirs is a status', async () => {
      const codes = await Promise.all(
        (
          [
            ['GetDeploymentStatus', { deployment_id: 'nobody' }],
            ['GetClassRuntime', { deployment_id: 'nobody' }],
            ['GetClassRuntime', {}],
            ['Deploy', {}],
            ['Deploy', { deployment_unit: { id: '...' } }],
            ['Deploy', { deployment_unit: { id: 'x'.repeat(64) } }],
          ] as const
        ).map(([method, request]) => codeOf(call(`DeploymentService/${method}`, request))),
      );
      const { NOT_FOUND, INVALID_ARGUMENT } = status;
      expect(codes).toEqual([NOT_FOUND, NOT_FOUND, ...Array.from({ length: 4 }, () => INVALID_ARGUMENT)]);
    });

    test('CRT-D40 the health of the environment counts nodes and classes', async () => {
      const { response } = await call('CrmInfoService/GetEnvHealth', { env: 'here' });
      expect(response).toMatchObject({ env_name: 'here', status: 'Healthy', availability: 1 });
      expect(response['node_count']).toBe(response['ready_nodes']);
      const check = await call('HealthService/Check', {});
      expect(check.response).toEqual({ status: 'SERVING' });
    });

    test('HTTP/1.1 on the same port has /health and /metrics', async () => {
      const health = await fetch(`http://127.0.0.1:${port}/health`);
      expect(await health.text()).toBe('ok');
      const metrics = await fetch(`http://127.0.0.1:${port}/metrics`);
      expect(await metrics.text()).toContain('kubewright_decisions_total');
      expect((await fetch(`http://127.0.0.1:${port}/other`)).status).toBe(404);
      const silent = connect(port, '127.0.0.1');
      await new Promise((resolve) => silent.once('connect', resolve));
      silent.destroy();
    });

    test('CRT-T18 deleted, it is deleting until it is gone', async () => {
      const { response } = await call('DeploymentService/DeleteDeployment', { deployment_id: 'shop-cart-1' });
      expect(response).toMatchObject({ status: 'OK', message: 'deleted' });
      await waitForObject(
        classes.admin,
        CLASS_RUNTIMES,
        { namespace, name: 'shop-cart-1' },
        (live) => live === undefined,
      );
      const { items } = await admin.list(appsv1.deployments, {
        namespace,
        labelSelector: 'oaas.io/owner=shop-cart-1',
      });
      expect(items).toEqual([]);
    });

    test('CRT-D43 what is gone may be deleted again', async () => {
      for (const deployment_id of ['shop-cart-1', 'nobody']) {
        const { response } = await call('DeploymentService/DeleteDeployment', { deployment_id });
        expect(response).toMatchObject({ status: 'OK', message: 'deleted' });
      }
    });
  });
}

type Calling = {
  readonly root: ReturnType<typeof protoFiles>['root'];
  readonly method: string;
  readonly request: Fields;
  readonly headers: Readonly<Record<string, string>>;
};

/** `DeploymentService/Deploy` */
function callOf(client: Client | undefined, { root, method, request, headers }: Calling): Promise<Called> {
  const [service = '', name = ''] = method.split('/');
  const of = { DeploymentService: 'oaas.deployment' }[service] ?? 'oaas.health';
  const definition = serviceDefinition(root.lookupService(`${of}.${service}`))[name];
  const metadata = new Metadata();
  for (const [header, value] of Object.entries(headers)) metadata.set(header, value);
  return new Promise((resolve, reject) => {
    if (client === undefined || definition === undefined) throw new TypeError(`there is no ${method}`);
    let correlationId: string | undefined;
    const { path, requestSerialize, responseDeserialize } = definition;
    const options = { deadline: Date.now() + 30_000 };
    client
      .makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        metadata,
        options,
        (error, value) =>
          error === null ? resolve({ response: value as Fields, correlationId }) : reject(error),
      )
      .on('metadata', (found) => (correlationId = found.get('x-correlation-id')[0]?.toString()));
  });
}

async function codeOf(call: Promise<unknown>): Promise<number | undefined> {
  return call.then(
    () => undefined,
    (error: unknown) => (error as ServiceError).code,
  );
}
