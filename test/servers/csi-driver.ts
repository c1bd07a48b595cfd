import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@kubewright/client';
import { apiextensionsv1, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { SNAPSHOT_CRDS } from '../../tools/assets/find-csi.mjs';
import { startChild } from '../support/child.ts';

/** The name of csi-driver-host-path. */
export const HOSTPATH_DRIVER = 'hostpath.csi.k8s.io';

/** The driver at work, with its sidecars and the snapshot controller. */
export type CsiDriver = {
  /** The folder of a volume. No node is needed: the driver keeps volumes as folders. */
  volumeFolder(handle: string): string;
  /** The names of what it stores: a folder for each volume, an archive for each snapshot. */
  stored(): readonly string[];
  stop(): Promise<void>;
};

type Programs = { readonly directory: string; readonly driver: string };
type Cluster = { readonly transport: Transport; readonly kubeconfigPath: string };

const DEFINITIONS = apiextensionsv1.customresourcedefinitions;

/** Starts kubernetes-csi's programs on a cluster. All act as the user of the kubeconfig. */
export async function startCsiDriver(programs: Programs, cluster: Cluster): Promise<CsiDriver> {
  await installSnapshotDefinitions(join(programs.directory, SNAPSHOT_CRDS), cluster.transport);
  const directory = mkdtempSync(join(tmpdir(), 'kubewright-csi-'));
  const state = join(directory, 'state');
  mkdirSync(state);
  const children = Object.entries(commandsOf(programs, directory, cluster.kubeconfigPath)).map(
    ([name, [program, ...args]]) => startChild(program, args, join(directory, `${name}.log`), directory),
  );
  return {
    volumeFolder: (handle) => join(state, handle),
    stored: () => readdirSync(state).filter((name) => name !== 'state.json'),
    async stop() {
      await Promise.all(children.map((child) => child.stop()));
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

type Command = readonly [program: string, ...args: readonly string[]];

/** Sidecars wait for the driver's socket. */
function commandsOf(
  { directory, driver }: Programs,
  folder: string,
  kubeconfig: string,
): Readonly<Record<string, Command>> {
  const socket = `unix://${join(folder, 'csi.sock')}`;
  const calls = [`--kubeconfig=${kubeconfig}`, '--kube-api-qps=500', '--kube-api-burst=1000'];
  const sidecar = (name: string): Command => [join(directory, name), `--csi-address=${socket}`, ...calls];
  return {
    driver: [
      driver,
      `--endpoint=${socket}`,
      `--statedir=${join(folder, 'state')}`,
      `--drivername=${HOSTPATH_DRIVER}`,
      '--nodeid=node',
      '--enable-topology=false',
    ],
    provisioner: sidecar('csi-provisioner'),
    snapshotter: sidecar('csi-snapshotter'),
    'snapshot-controller': [join(directory, 'snapshot-controller'), ...calls],
  };
}

/** Creates external-snapshotter's own definitions, and waits until they are served. */
async function installSnapshotDefinitions(folder: string, transport: Transport): Promise<void> {
  const client = createClient(transport);
  for (const file of readdirSync(folder).filter((name) => name.includes('_'))) {
    const { status, body } = await transport.request({
      method: 'POST',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      headers: { 'content-type': 'application/yaml' },
      body: readFileSync(join(folder, file), 'utf8'),
    });
    for await (const _ of body);
    assert(status === 201, `${file}: ${status}`);
    const [group, plural] = file.replace('.yaml', '').split('_');
    await waitForObject(
      client,
      DEFINITIONS,
      { name: `${plural}.${group}` },
      (live) =>
        live?.status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True') === true,
    );
  }
}
